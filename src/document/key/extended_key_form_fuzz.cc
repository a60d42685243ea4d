#include "base/check.h"
#include "document/key/extended_key_form.h"
#include "document/key/key_form.h"

#include <cstdint>

// Bytes that are read as a key form are exactly the one of the value that was read, and say where they end.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::optional<size_t> first = first_extended_key_form_bytes(bytes);
  CHECK(!first || (*first > 0 && *first <= bytes.size() && *first <= kExtendedKeyFormBytesMax));
  std::string scratch;
  (void)read_key_form(bytes, scratch);
  const std::optional<size_t> json_first = first_key_form_bytes(bytes);
  CHECK(!json_first || read_key_form(bytes.substr(0, *json_first), scratch));

  StoredWriter out;
  if (!read_extended_key_form(bytes, out)) return 0;
  CHECK(validate_stored_form(out.bytes()).has_value());
  std::string again;
  append_whole_extended_key_form(again, out.view());
  CHECK(again == bytes);
  if (bytes.size() <= kExtendedKeyFormBytesMax) CHECK(first == bytes.size());
  return 0;
}
