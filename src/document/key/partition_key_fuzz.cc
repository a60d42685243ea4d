#include "base/check.h"
#include "document/key/partition_key.h"

#include <cstdint>

// Any header either fails with a message, or gives a key that reads back from its own header and has a place in the key space.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const auto key = PartitionKey::parse({reinterpret_cast<const char*>(data), size});
  if (!key) {
    CHECK(key.error().code == ErrorCode::kInvalidInput && !key.error().message.empty());
    return 0;
  }
  CHECK(key->components.size() <= kPartitionKeyPathsMax);
  const std::string header = key->to_json();
  for (const char character : header) CHECK(character >= ' ' && character < '\x7F');
  CHECK(PartitionKey::parse(header) == *key);
  std::string key_form;
  key->append_key_form(key_form);
  for (const auto kind : {PartitionKeyDefinition::Kind::kHash, PartitionKeyDefinition::Kind::kMultiHash}) {
    for (const int version : {1, 2}) {
      const PartitionKeyDefinition definition{.paths = {}, .kind = kind, .version = version};
      const EffectivePartitionKey hash = effective_partition_key(*key, definition);
      CHECK(hash < kEffectiveKeyMax);
      CHECK(range_of_prefix(*key, definition).contains(hash));
    }
  }
  return 0;
}
