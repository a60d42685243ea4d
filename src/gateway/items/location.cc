#include "gateway/items/location.h"

#include <fmt/format.h>

namespace partita {
namespace {

// The document that a number names, wherever it is; for clients that address by resource id. Nothing when there is none.
Result<std::optional<Item>> find_by_number(const Container& container, DocumentNumber number) {
  for (const PartitionPlace& place : container.places) {
    TRY_ASSIGN(std::optional<Item> item, place.partition->load(number));
    if (item) return item;
  }
  return std::nullopt;
}

}  // namespace

Result<ResolvedName> resolve(const Container& container, const ItemName& name) {
  if (name.number) {
    TRY_ASSIGN(const std::optional<Item> item, find_by_number(container, *name.number));
    if (item) {
      return ResolvedName{std::string(item->id()), PartitionKey::of(item->document(), container.definition.partition_key)};
    }
    if (!name.key && container.has_partition_key()) return item_not_found();
  }
  TRY_ASSIGN(PartitionKey key, complete_key(name.key, container.definition.partition_key));
  return ResolvedName{std::string(name.id), std::move(key)};
}

Result<PartitionKey> complete_key(const std::optional<PartitionKey>& given, const PartitionKeyDefinition& definition) {
  const size_t wanted = definition.paths.size();
  if (wanted == 0) {
    const bool is_none = !given || given->components.empty() ||
                         (given->components.size() == 1 && std::holds_alternative<UndefinedKey>(given->components[0]));
    if (is_none) return PartitionKey{};
    return fail(ErrorCode::kInvalidInput, "This container has no partition key, but the request gives one.");
  }
  if (!given) return fail(ErrorCode::kInvalidInput, "The request names no partition key value.", ErrorDetail::kNoKey);
  if (given->components.size() == wanted) return *given;
  if (given->components.empty()) return PartitionKey{std::vector<PartitionKeyComponent>(wanted, UndefinedKey{})};
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("The request's partition key value is not the whole one. It has {} components, the container's key has {}.",
                  given->components.size(), wanted),
      ErrorDetail::kKeyLength);
}

Location locate(const Container& container, const PartitionKey& key, std::string_view id) {
  const EffectivePartitionKey hash = effective_partition_key(key, container.definition.partition_key);
  const PartitionPlace& place = container.place_of(hash);
  return {&place, hash, item_key(place.partition->id(), hash, key, id)};
}

std::shared_ptr<const Container> newest_if_gone(const std::shared_ptr<const Container>& container, ErrorCode refused_with) {
  if (refused_with != ErrorCode::kPartitionGone) return nullptr;
  std::shared_ptr<const Container> newest = container->lineage->newest();
  return newest == container ? nullptr : newest;
}

std::unexpected<Error> item_already_exists() {
  return fail(ErrorCode::kAlreadyExists, "There is a document with this id already.", ErrorDetail::kItemExists);
}

std::unexpected<Error> item_not_found() {
  return fail(ErrorCode::kNotFound, "There is nothing of this name.", ErrorDetail::kNoItem);
}

}  // namespace partita
