#include "protocols/cosmos/handlers/feed_scope.h"

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

}  // namespace

// "<id>" or "<container rid>,<id>".
Result<const PartitionPlace*> named_place(const Exchange& exchange, const Container& container) {
  std::string_view text = exchange.header(header::kPartitionKeyRangeId);
  if (text.empty()) return nullptr;
  if (const size_t comma = text.find(','); comma != std::string_view::npos) text = text.substr(comma + 1);
  const PartitionPlace* place = container.find_place(text);
  if (place == nullptr)
    return fail(ErrorCode::kPartitionGone, fmt::format("The container has no partition key range '{}' (any more).", text));
  return place;
}

Result<FeedScope> feed_scope(const Exchange& exchange, const Container& container) {
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
  TRY_ASSIGN(const PartitionPlace* place, named_place(exchange, container));
  if (place != nullptr && !scope.key) scope.range = place->range();
  EffectiveKeyRange asked;
  TRY_ASSIGN(asked.min, effective_key_header(exchange, header::kStartEffectiveKey, kEffectiveKeyMin));
  TRY_ASSIGN(asked.max, effective_key_header(exchange, header::kEndEffectiveKey, kEffectiveKeyMax));
  scope.range = overlap(scope.range, asked);
  if (scope.key) scope.range = overlap(scope.range, range_of_prefix(*scope.key, definition));
  return scope;
}

}  // namespace partita::cosmos
