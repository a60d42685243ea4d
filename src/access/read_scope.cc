#include "access/read_scope.h"

#include <algorithm>
#include <string>
#include <variant>

namespace partita {
namespace {

bool has_prefix(const PartitionKey& key, const PartitionKey& prefix) {
  return key.components.size() >= prefix.components.size() &&
         std::equal(prefix.components.begin(), prefix.components.end(), key.components.begin());
}

// Whether the document has a key that begins so. Strings, as most keys are, are compared where they are.
bool has_key(const Value& document, const PartitionKeyDefinition& definition, const PartitionKey& prefix) {
  const std::string* text = prefix.components.size() == 1 ? std::get_if<std::string>(&prefix.components[0]) : nullptr;
  if (text != nullptr && !definition.paths.empty()) {
    const Value value = definition.paths[0].resolve(document);
    return value.is_string() && value.string() == *text;
  }
  return has_prefix(PartitionKey::of(document, definition), prefix);
}

// The documents of a whole key have one hash.
bool has_hash_of_key(const ReadScope& scope) {
  const bool is_whole_key = scope.key && scope.key->components.size() == scope.definition.paths.size();
  return is_whole_key && scope.range.contains(effective_partition_key(*scope.key, scope.definition));
}

}  // namespace

bool contains(const EffectiveKeyRange& outer, const EffectiveKeyRange& inner) {
  return outer.min <= inner.min && inner.max <= outer.max;
}

ScopeTest::ScopeTest(const ReadScope& scope, const EffectiveKeyRange& partition)
    : scope_(scope),
      has_whole_partition_(contains(scope.range, partition)),
      has_all_hashes_(has_whole_partition_ || has_hash_of_key(scope)) {}

bool ScopeTest::passes(const Value& document) const {
  if (scope_.key && !has_key(document, scope_.definition, *scope_.key)) return false;
  if (has_all_hashes_) return true;
  const PartitionKey key = PartitionKey::of(document, scope_.definition);
  return scope_.range.contains(effective_partition_key(key, scope_.definition));
}

}  // namespace partita
