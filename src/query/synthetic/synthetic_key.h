#pragma once

#include "document/stored/stored_writer.h"
#include "query/synthetic/synthetic_level.h"

#include <functional>
#include <memory>

namespace partita::query {

// SyntheticKey: what a container's definition says about a partition key that the server computes: the key's paths that name
// computed properties of the container. The server stores the values in the documents at every write, so that filters on the
// sources say where documents are.
//
// Immutable and thread-safe.
class SyntheticKey {
 public:
  // A number from 1 to n.
  using Draw = std::function<uint32_t(uint32_t n)>;

  // A property that a document lacks.
  struct Addition {
    std::string_view name;
    PartitionKeyComponent value;
  };

  // `container`: its members as clients write them, checked by check_computed_properties(). Null when no path of the key names a
  // computed property. kInvalidInput when one cannot be a key.
  static Result<std::shared_ptr<const SyntheticKey>> of(const Value& container, const PartitionKeyDefinition& key);

  // The same properties with the same queries.
  bool is_same(const SyntheticKey& other) const;
  // The first random level's name; empty when the sources decide.
  std::string_view random_name() const;
  // The members of the container without the computed properties of the key: those are stored, so queries read them.
  const std::string& other_properties() const { return other_properties_; }
  const std::vector<SyntheticLevel>& levels() const { return levels_; }
  // Which level computes this path of the key; null when none does.
  const SyntheticLevel* level_of(const DocumentPath& path) const;

  // What a document lacks. `given`, the request's key, may say which of the possible values a random one has. kInvalidInput with
  // both values when the document has another one than its sources give.
  Result<std::vector<Addition>> additions_to(const Value& document, const PartitionKeyDefinition& key, const PartitionKey* given,
                                             const Draw& draw) const;

  // As members of the object that is being written. REQUIRES: none is undefined.
  static void write(StoredWriter& out, const std::vector<Addition>& additions);

  // The key of the documents with these properties, which an object has. kInvalidInput when one is missing or is no scalar, and
  // when a random level decides.
  Result<PartitionKey> key_of(const Value& properties, const PartitionKeyDefinition& key) const;

 private:
  Result<PartitionKeyComponent> value_for(const SyntheticLevel& level, const Value& document,
                                          const PartitionKeyComponent& brought, const Draw& draw) const;

  std::vector<SyntheticLevel> levels_;
  std::string other_properties_;
};

}  // namespace partita::query
