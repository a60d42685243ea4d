#include "base/check.h"
#include "document/json/json.h"
#include "spatial/shape.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

// Any JSON is a valid shape or has a reason why not; a shape meets itself and lies within itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace partita;
  const auto stored = stored_from_json(std::string_view(reinterpret_cast<const char*>(bytes), size));
  if (!stored) return 0;
  for (const Space space : {Space::kGlobe, Space::kPlane}) {
    const auto shape = Shape::parse(Value::view(*stored), space);
    if (!shape) {
      CHECK(!shape.error().empty());
      continue;
    }
    CHECK(!(shape->area() < 0));
    const auto always = [] { return true; };
    CHECK(intersects(*shape, *shape, always));
    CHECK(!(distance(*shape, *shape, always) > 0));
    is_within(*shape, *shape, always);
  }
  return 0;
}
