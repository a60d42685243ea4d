#include "base/check.h"
#include "document/json/json.h"
#include "tools/bench/load/document_template.h"

#include <cstddef>
#include <cstdint>

// Whatever is accepted as a template gives JSON documents that have the id and the key that it says, of the size that is asked
// for.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  using namespace partita::tools::bench;
  constexpr size_t kBytes = 600;
  constexpr size_t kLongest = 1 << 16;  // templates may ask for long strings, which take long
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const DocumentPath path{{"pk"}};
  const Result<DocumentTemplate> made = DocumentTemplate::parse(text, {.key_path = path, .document_bytes = kBytes});
  if (!made) return 0;
  for (const uint64_t number : {uint64_t{0}, uint64_t{12345}}) {
    const Subject subject{.seed = 1, .number = number, .version = number};
    std::string document;
    made->append_document(document, subject);
    if (document.size() > kLongest) return 0;
    CHECK(document.size() >= kBytes);
    const Result<std::string> stored = stored_from_json(document);
    CHECK(stored);
    const Value root = Value::view(*stored);
    CHECK(root.find("id").string() == made->id(subject));
    const Result<std::string> key = stored_from_json(made->key(subject));
    CHECK(key && to_json(path.resolve(root)) == to_json(Value::view(*key)));
  }
  return 0;
}
