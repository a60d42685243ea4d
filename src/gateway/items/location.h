#pragma once

#include "base/result.h"
#include "cluster/resources.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace partita {

// Which document a request means: by id within a logical partition, or by document number (how old clients address).
struct ItemName {
  std::string_view id;
  std::optional<DocumentNumber> number;
  std::optional<PartitionKey> key;  // as the request gives it; may be missing in containers without partition key
};

// Id and whole partition key of what a name means.
struct ResolvedName {
  std::string id;
  PartitionKey key;
};
Result<ResolvedName> resolve(const Container& container, const ItemName& name);

// The whole key of a logical partition from what a request gives. kInvalidInput when it is missing or has too few or too many
// components.
Result<PartitionKey> complete_key(const std::optional<PartitionKey>& given, const PartitionKeyDefinition& definition);

// Where a document is: its partition and its primary key there.
struct Location {
  const PartitionPlace* place = nullptr;
  std::string logical_partition;  // names it among the partition's latches
  std::string item_key;
};
Location locate(const Container& container, const PartitionKey& key, std::string_view id);

std::unexpected<Error> item_not_found();
std::unexpected<Error> item_already_exists();

// The container as it is now, when a request was refused because its partition was split or merged meanwhile; else null.
std::shared_ptr<const Container> newest_if_gone(const std::shared_ptr<const Container>& container, ErrorCode refused_with);
template <typename T>
std::shared_ptr<const Container> heir_of(const std::shared_ptr<const Container>& container, const Result<T>& outcome) {
  return outcome ? nullptr : newest_if_gone(container, outcome.error().code);
}

}  // namespace partita
