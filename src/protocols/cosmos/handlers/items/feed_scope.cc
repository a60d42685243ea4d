#include "protocols/cosmos/handlers/items/feed_scope.h"

#include "base/encodings.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::cosmos {
namespace {

Result<EffectivePartitionKey> effective_key_header(const Exchange& exchange, std::string_view name,
                                                   const EffectivePartitionKey& fallback) {
  const std::optional<std::string_view> text = exchange.request().find_header(name);
  if (!text) return fallback;
  std::optional<std::string> bytes = from_hex(*text);
  if (!bytes) return fail(ErrorCode::kInvalidInput, fmt::format("The effective partition key '{}' is not hexadecimal.", *text));
  return *std::move(bytes);
}

EffectiveKeyRange overlap(const EffectiveKeyRange& left, const EffectiveKeyRange& right) {
  return {std::max(left.min, right.min), std::min(left.max, right.max)};
}

// No hashes have one form: a place in the space of hashes, where the request is served.
EffectiveKeyRange in_order(EffectiveKeyRange range) {
  if (range.min < range.max) return range;
  if (range.min >= kEffectiveKeyMax) range.min = kEffectiveKeyMin;
  range.max = range.min;
  return range;
}

bool contains(const EffectiveKeyRange& outer, const EffectiveKeyRange& inner) {
  return outer.min <= inner.min && inner.max <= outer.max;
}

bool overlaps(const EffectiveKeyRange& left, const EffectiveKeyRange& right) {
  return left.min < right.max && right.min < left.max;
}

bool is_nested(const EffectiveKeyRange& left, const EffectiveKeyRange& right) {
  return contains(left, right) || contains(right, left);
}

// Whether the range became the partitions that have its hashes by splits alone. Once it was merged with what lies beside it, the
// next map may have its edges elsewhere, although this one has them where they were.
bool was_only_split(const EffectiveKeyRange& range, const Container& container) {
  return std::ranges::all_of(container.places, [&](const PartitionPlace& place) {
    if (!overlaps(place.range(), range)) return true;
    const auto lies_beside = [&](const FormerRange& former) {
      return !is_nested(former.range, range) && std::ranges::find(place.parents, former.range_id) != place.parents.end();
    };
    return contains(range, place.range()) && std::ranges::none_of(container.former, lies_beside);
  });
}

// "<id>" or "<container rid>,<id>".
std::string_view named_range_id(const Exchange& exchange) {
  const std::string_view text = exchange.header(header::kPartitionKeyRangeId);
  return text.substr(text.find(',') + 1);
}

// Everything when the request names none. A range that is gone is served to requests that say by themselves which hashes they are
// about: by a whole partition key, as a continuation, or because the client has found out that its range is a part of another one
// now. Queries over HTTP are served in any case, because clients that merge partitions do not get over a split:
// @azure/cosmos 4.10 asks the range that is gone again and again, and Python's asynchronous client reads some of its documents
// twice.
Result<EffectiveKeyRange> named_range(const Exchange& exchange, const Container& container, bool says_hashes) {
  const Result<const PartitionPlace*> place = named_place(exchange, container);
  if (place) return *place == nullptr ? EffectiveKeyRange{} : (*place)->range();
  const FormerRange* former = container.find_former(named_range_id(exchange));
  const bool is_query = exchange.operation().action == Action::kQuery && !exchange.is_direct();
  const bool is_to_look = former == nullptr || (!says_hashes && !is_query && was_only_split(former->range, container));
  if (is_to_look) return std::unexpected(place.error());
  return former->range;
}

}  // namespace

Result<const PartitionPlace*> named_place(const Exchange& exchange, const Container& container) {
  const std::string_view range_id = named_range_id(exchange);
  if (range_id.empty()) return nullptr;
  const PartitionPlace* place = container.find_place(range_id);
  if (place == nullptr)
    return fail(ErrorCode::kPartitionGone,
                fmt::format("The container has no partition key range '{}', or no longer has it.", range_id));
  return place;
}

Result<FeedScope> feed_scope(const Exchange& exchange, const Container& container, const EffectiveKeyRange* begun) {
  FeedScope scope;
  TRY_ASSIGN(scope.key, exchange.partition_key());
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  if (!container.has_partition_key()) scope.key.reset();
  if (scope.key && scope.key->components.empty()) {
    // "No key" means the documents that have none, where a key has one path; a hierarchical key's empty prefix means all.
    if (definition.paths.size() == 1) {
      scope.key->components.emplace_back(UndefinedKey{});
    } else {
      scope.key.reset();
    }
  }
  if (scope.key && scope.key->components.size() > definition.paths.size()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The partition key of the request has {} components, the container's key has {}.",
                            scope.key->components.size(), definition.paths.size()));
  }
  const bool is_narrowed = exchange.request().find_header(header::kStartEffectiveKey).has_value();
  const bool is_of_one_key = scope.key && scope.key->components.size() == definition.paths.size();
  const bool says_hashes = begun != nullptr || is_narrowed || is_of_one_key;
  TRY_ASSIGN(const EffectiveKeyRange named, named_range(exchange, container, says_hashes));
  if (!scope.key) scope.range = named;
  EffectiveKeyRange asked;
  TRY_ASSIGN(asked.min, effective_key_header(exchange, header::kStartEffectiveKey, kEffectiveKeyMin));
  TRY_ASSIGN(asked.max, effective_key_header(exchange, header::kEndEffectiveKey, kEffectiveKeyMax));
  scope.range = overlap(scope.range, asked);
  if (scope.key) scope.range = overlap(scope.range, range_of_prefix(*scope.key, definition));
  if (begun != nullptr) scope.range = overlap(scope.range, *begun);
  scope.range = in_order(std::move(scope.range));
  return scope;
}

bool names_its_partitions(const Exchange& exchange) {
  const net::HttpRequest& request = exchange.request();
  return request.find_header(header::kPartitionKey) || request.find_header(header::kPartitionKeyRangeId) ||
         request.find_header(header::kStartEffectiveKey) || request.find_header(header::kEndEffectiveKey);
}

Status check_may_cross_partitions(const Exchange& exchange) {
  if (exchange.is_header_true(header::kEnableCrossPartition)) return {};
  return fail(
      ErrorCode::kInvalidInput,
      "Cross partition query is required but disabled. Please set x-ms-documentdb-query-enablecrosspartition to true, specify "
      "x-ms-documentdb-partitionkey, or revise your query to avoid this exception.");
}

}  // namespace partita::cosmos
