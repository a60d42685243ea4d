#include "tools/transfer/import/recovery.h"

#include "base/bytes.h"
#include "document/json/json.h"

#include <algorithm>
#include <variant>

namespace partita::tools::transfer {

bool Recovery::is_equal(const PendingWrite& write, std::string_view document) const {
  const Result<std::string> stored = stored_from_json(document);
  if (!stored || !Value::view(*stored).is_object()) return false;
  const Value found = Value::view(*stored);
  if (content_hash(found, computed_) != write.content) return false;
  const PartitionKey key = PartitionKey::of(found, key_);
  for (size_t level = 0; level < std::min(key.components.size(), write.key.components.size()); ++level) {
    const PartitionKeyComponent& wanted = write.key.components[level];
    if (!std::holds_alternative<UndefinedKey>(wanted) && key.components[level] != wanted) return false;
  }
  return true;
}

uint64_t Recovery::count_equal(const PendingWrite& write, std::span<const std::string> documents) const {
  return static_cast<uint64_t>(
      std::ranges::count_if(documents, [&](const std::string& document) { return is_equal(write, document); }));
}

bool Recovery::take(const PendingWrite& write, uint64_t equal) {
  std::string identity = write.identity();
  append_little_endian(identity, write.content.low);
  append_little_endian(identity, write.content.high);
  if (equal == 0) return false;
  uint64_t& taken = taken_[std::move(identity)];
  if (taken >= equal) return false;
  ++taken;
  return true;
}

bool Recovery::take_first(const PendingWrite& write) { return ++taken_[write.identity()] == 1; }

}  // namespace partita::tools::transfer
