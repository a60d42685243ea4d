#include "protocols/cosmos/direct/position.h"

#include "gateway/items/location.h"

namespace partita::cosmos::direct {
namespace {

const PartitionPlace* place_by_key(const Container& container, std::string_view text) {
  if (text.empty()) return nullptr;
  const Result<PartitionKey> given = PartitionKey::parse(text);
  if (!given) return nullptr;
  const Result<PartitionKey> key = complete_key(*given, container.definition.partition_key);
  return key ? locate(container, *key, {}).place : nullptr;
}

const PartitionPlace* place_of(const Container& container, const net::HttpRequest& request) {
  if (const PartitionPlace* by_key = place_by_key(container, request.header(header::kPartitionKey))) return by_key;
  const std::string_view range = request.header(header::kPartitionKeyRangeId);
  if (!range.empty()) return container.find_place(range.substr(range.find(',') + 1));
  return &container.places.front();
}

}  // namespace

Position position_of(const Service& service, const net::HttpRequest& request) {
  const Position metadata{.range_id = {}, .lsn = service.catalog().version()};
  const Result<ResourcePath> path = ResourcePath::parse(request.path);
  if (!path || path->container().empty()) return metadata;
  const auto container = service.catalog().container(path->database(), path->container());
  if (!container) return metadata;
  const PartitionPlace* place = place_of(**container, request);
  if (place == nullptr) return metadata;
  return {.range_id = place->range_id, .lsn = place->partition->durable_lsn().value};
}

}  // namespace partita::cosmos::direct
