#pragma once

#include "cluster/records/records.h"
#include "partition/transfer.h"

#include <memory>
#include <string>

// What a change of the partition key means for a container's definition and for its documents.
namespace partita {

// The computed properties that the new key's paths name: of `wanted` (an array as clients write it; undefined: none), else of the
// container as it is. In stored form; empty when no path names one. kInvalidInput when one of them cannot be a key.
Result<std::string> computed_properties_of(const PartitionKeyDefinition& key, const Value& wanted,
                                           const ContainerDefinition& container);

// The members and the synthetic key that a container has after the reshape, as its definition is now. What was computed for the
// former key is an ordinary property of the documents from now on.
struct KeyChange {
  std::string properties;
  std::shared_ptr<const query::SyntheticKey> synthetic_key;
};
Result<KeyChange> key_change_of(const Reshape& reshape, const ContainerDefinition& container);

// Gives documents what the new key has computed. A random part follows from the document's number, so that it is the same each
// time. kInvalidInput when a document has another value there. Empty when there is nothing to give.
Transfer::Convert conversion_of(const KeyChange& change, const Reshape& reshape, const ContainerDefinition& container);

}  // namespace partita
