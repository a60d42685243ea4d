#include "protocols/cosmos/direct/position.h"

#include "base/encodings.h"
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

// Where the hashes begin that the request is about, as its range and its EPK headers say: also those of a range that was split or
// merged. Null: the container never had that range.
const PartitionPlace* place_by_range(const Container& container, const net::HttpRequest& request) {
  const std::string_view named = request.header(header::kPartitionKeyRangeId);
  const std::string_view range_id = named.substr(named.find(',') + 1);
  if (const PartitionPlace* place = container.find_place(range_id)) return place;
  const FormerRange* former = container.find_former(range_id);
  if (former == nullptr && !range_id.empty()) return nullptr;
  const EffectiveKeyRange range = former == nullptr ? EffectiveKeyRange{} : former->range;
  const std::optional<std::string> begin = from_hex(request.header(header::kStartEffectiveKey));
  return &container.place_of(begin && range.contains(*begin) ? *begin : range.min);
}

}  // namespace

Position position_of(const Service& service, const net::HttpRequest& request) {
  const Position metadata{.range_id = {}, .lsn = service.catalog().version()};
  const Result<ResourcePath> path = ResourcePath::parse(request.path);
  if (!path || path->container().empty()) return metadata;
  const auto container = service.catalog().container(path->database(), path->container());
  if (!container) return metadata;
  const PartitionPlace* place = place_by_key(**container, request.header(header::kPartitionKey));
  if (place == nullptr) place = place_by_range(**container, request);
  if (place == nullptr) return {.range_id = {}, .lsn = metadata.lsn, .is_of_unknown_range = true};
  return {.range_id = place->range_id, .lsn = place->partition->durable_lsn().value};
}

}  // namespace partita::cosmos::direct
