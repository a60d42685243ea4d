#include "protocols/cosmos/codec/continuation.h"

#include "base/encodings.h"
#include "document/json.h"
#include "protocols/cosmos/codec/resource_id.h"

#include <fmt/format.h>

namespace partita::cosmos {
namespace {

constexpr std::string_view kRidPrefix = "+RID:";

std::unexpected<Error> invalid(std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("Invalid Continuation Token: {}.", why));
}

std::string range_members(const FeedPosition& position, const Container& container) {
  return fmt::format(R"("token":"{}{}","range":{{"min":"{}","max":"{}"}})", kRidPrefix,
                     container.identity.document_rid(position.after), hex_upper(position.range.min),
                     hex_upper(position.range.max));
}

Result<FeedPosition> parse_range_members(const Value& value, const Container& container) {
  const Value token = value.find("token");
  const Value min = value.find("range").find("min");
  const Value max = value.find("range").find("max");
  if (!token.is_string() || !token.string().starts_with(kRidPrefix) || !min.is_string() || !max.is_string())
    return invalid("it is not one of ours");
  const std::string_view rid_text = token.string().substr(kRidPrefix.size());
  FeedPosition position;
  // "After number 0" is no document's name, but a position.
  if (rid_text != container.identity.document_rid(DocumentNumber{0})) {
    const auto rid = parse_child_rid(rid_text, ContainerChild::kItem);
    if (!rid) return invalid("it does not name a document");
    if (rid->container != ContainerRid{container.database->number, container.number})
      return invalid("it belongs to another container");
    position.after.value = rid->ordinal;
  }
  const auto min_bytes = from_hex(min.string());
  const auto max_bytes = from_hex(max.string());
  if (!min_bytes || !max_bytes) return invalid("its range is not hexadecimal");
  position.range = {*min_bytes, *max_bytes};
  return position;
}

// FNV-1a: only to notice a mistake, not to withstand anybody.
uint64_t text_hash(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3ULL;
  return hash;
}

}  // namespace

std::string encode_continuation(const FeedPosition& position, const Container& container) {
  return fmt::format("{{{}}}", range_members(position, container));
}

Result<FeedPosition> decode_continuation(std::string_view text, const Container& container) {
  const Result<std::string> stored = stored_from_json(text);
  if (!stored) return invalid("it is not one of ours");
  return parse_range_members(Value::view(*stored), container);
}

std::string encode_query_continuation(const QueryPosition& position, std::string_view query_text, const Container& container) {
  const query::PlanCursor::Position& at = position.progress.position;
  return fmt::format(R"({{"query":"{:016x}","results":{},"row":{},"skipped":{},"taken":{}{}{}}})", text_hash(query_text),
                     position.progress.results, at.results_of_row, at.skipped, at.taken, position.from ? "," : "",
                     position.from ? range_members(*position.from, container) : "");
}

Result<QueryPosition> decode_query_continuation(std::string_view text, std::string_view query_text, const Container& container) {
  const Result<std::string> stored = stored_from_json(text);
  if (!stored) return invalid("it is not one of ours");
  const Value value = Value::view(*stored);
  const Value query = value.find("query");
  if (!query.is_string()) return invalid("it is not one of ours");
  if (query.string() != fmt::format("{:016x}", text_hash(query_text))) return invalid("it belongs to another query");
  QueryPosition position;
  const auto count = [&](std::string_view name, uint64_t& into) -> Status {
    const Value number = value.find(name);
    const std::optional<int64_t> integer = number.is_number() ? number.integer() : std::nullopt;
    if (!integer || *integer < 0) return invalid("its numbers are not counts");
    into = static_cast<uint64_t>(*integer);
    return {};
  };
  TRY(count("results", position.progress.results));
  TRY(count("row", position.progress.position.results_of_row));
  TRY(count("skipped", position.progress.position.skipped));
  TRY(count("taken", position.progress.position.taken));
  if (!value.find("token").is_undefined()) {
    TRY_ASSIGN(position.from, parse_range_members(value, container));
  }
  return position;
}

}  // namespace partita::cosmos
