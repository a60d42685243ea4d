#include "base/bytes.h"
#include "base/check.h"
#include "document/exact_number.h"

#include <cmath>
#include <cstdint>

namespace partita {

namespace {

// Every encoding has a text, and the text is that number again with the same digits.
void check_decimal(const Decimal128& decimal) {
  const auto again = Decimal128::parse(decimal.to_text());
  CHECK(again && again->to_text() == decimal.to_text());
  const ExactNumber number = ExactNumber::of(decimal);
  CHECK(compare(number, ExactNumber::of(*again)) == 0);
  if (!decimal.is_finite()) return;
  CHECK(std::isfinite(number.truncated));
  if (const auto integer = decimal.exact_integer()) CHECK(compare(ExactNumber::of(*integer), number) == 0);
  // What is truncated is not further from zero than the number, and the next double is.
  const auto at = ExactNumber::of(number.truncated);
  const auto beyond = ExactNumber::of(std::nextafter(number.truncated, decimal.is_negative() ? -INFINITY : INFINITY));
  if (decimal.is_negative()) {
    CHECK(compare(at, number) >= 0 && compare(beyond, number) < 0);
  } else {
    CHECK(compare(at, number) <= 0 && compare(beyond, number) > 0);
  }
}

}  // namespace

}  // namespace partita

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto parsed = Decimal128::parse(bytes)) check_decimal(*parsed);
  if (bytes.size() >= 16)
    check_decimal({load_little_endian<uint64_t>(bytes.data()), load_little_endian<uint64_t>(bytes.data() + 8)});
  return 0;
}
