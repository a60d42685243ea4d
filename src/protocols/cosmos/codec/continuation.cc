#include "protocols/cosmos/codec/continuation.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "engine/item/resource_rid.h"

#include <fmt/format.h>

namespace partita::cosmos {
namespace {

constexpr std::string_view kRidPrefix = "+RID:";
constexpr int64_t kQueryTokenVersion = 1;
constexpr size_t kDocumentRidBytes = 16;

std::unexpected<Error> invalid(std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("Invalid Continuation Token: {}.", why));
}

std::string token_member(DocumentNumber number, const Container& container) {
  return fmt::format(R"("token":"{}{}")", kRidPrefix, container.identity.document_rid(number));
}

std::string range_member(std::string_view name, const EffectiveKeyRange& range) {
  return fmt::format(R"("{}":{{"min":"{}","max":"{}"}})", name, hex_upper(range.min), hex_upper(range.max));
}

// FNV-1a: only to notice a mistake, not to withstand anybody.
uint64_t text_hash(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3ULL;
  return hash;
}

// Different for partition keys under which documents have different hashes.
std::string key_mark(const Container& container) {
  const PartitionKeyDefinition& key = container.definition.partition_key;
  std::string text = fmt::format("{}", key.version);
  for (const DocumentPath& path : key.paths) text += path.text();
  return fmt::format("{:08x}", static_cast<uint32_t>(text_hash(text)));
}

std::string range_members(const EffectiveKeyRange& range, const EffectiveKeyRange& scope, const Container& container) {
  std::string members = fmt::format(R"("key":"{}",)", key_mark(container)) + range_member("range", range);
  if (scope != EffectiveKeyRange{}) members += "," + range_member("scope", scope);
  return members;
}

Result<DocumentNumber> parse_token(const Value& token, const Container& container) {
  if (!token.is_string() || !token.string().starts_with(kRidPrefix)) return invalid("it is not one of ours");
  const std::string_view rid_text = token.string().substr(kRidPrefix.size());
  const std::optional<DocumentNumber> number = document_number_in_rid(rid_text, container.identity.rid_bytes);
  if (!number || number->value >= DocumentNumber::kEnd) return invalid("it does not name a document of this container");
  return *number;
}

Result<EffectiveKeyRange> parse_range(const Value& range) {
  const Value min = range.find("min");
  const Value max = range.find("max");
  if (!min.is_string() || !max.is_string()) return invalid("it is not one of ours");
  auto min_bytes = from_hex(min.string());
  auto max_bytes = from_hex(max.string());
  if (!min_bytes || !max_bytes) return invalid("its range is not hexadecimal");
  if (*min_bytes > *max_bytes) return invalid("its range ends before it begins");
  if (*max_bytes > kEffectiveKeyMax) return invalid("its range goes beyond the hashes that there are");
  return EffectiveKeyRange{*std::move(min_bytes), *std::move(max_bytes)};
}

Status check_key(const Value& token, const Container& container) {
  const Value key = token.find("key");
  if (!key.is_string()) return invalid("it is not one of ours");
  if (key.string() == key_mark(container)) return {};
  return invalid("the container has got another partition key since, so the query must be begun anew");
}

Result<EffectiveKeyRange> parse_scope(const Value& scope) {
  if (scope.is_undefined()) return EffectiveKeyRange{};
  return parse_range(scope);
}

Result<uint64_t> parse_count(const Value& value) {
  if (value.is_undefined()) return uint64_t{0};
  const std::optional<int64_t> integer = value.is_number() ? value.integer() : std::nullopt;
  if (!integer || *integer < 0) return invalid("its numbers are not counts");
  return static_cast<uint64_t>(*integer);
}

Result<std::string> parse_bytes(const Value& value) {
  if (value.is_undefined()) return std::string();
  auto bytes = value.is_string() ? from_base64(value.string()) : std::nullopt;
  if (!bytes) return invalid("its values are not base64");
  return *std::move(bytes);
}

bool is_true(const Value& value) { return value.is_bool() && value.boolean(); }

// Each member with a comma before it.
std::string position_members(const query::Position& position, const Container& container) {
  std::string out;
  const auto add = [&out](std::string_view name, const auto& value) { out += fmt::format(R"(,"{}":{})", name, value); };
  const auto add_bytes = [&add](std::string_view name, std::string_view bytes) {
    if (!bytes.empty()) add(name, fmt::format(R"("{}")", base64(bytes)));
  };
  if (position.skipped > 0) add("skipped", position.skipped);
  if (position.taken > 0) add("taken", position.taken);
  add_bytes("order", position.order);
  add_bytes("group", position.origin.group);
  if (position.origin.number > 0) out += "," + token_member(DocumentNumber{position.origin.number}, container);
  if (position.origin.ordinal > 0) add("row", position.origin.ordinal);
  if (position.is_open) add("open", true);
  if (position.is_repeated) add("again", true);
  if (!position.has_begun) add("begun", false);
  if (position.inner) out += fmt::format(R"(,"inner":{{{}}})", position_members(*position.inner, container).substr(1));
  return out;
}

Result<query::Position> parse_position(const Value& value, const Container& container) {
  query::Position position;
  TRY_ASSIGN(position.skipped, parse_count(value.find("skipped")));
  TRY_ASSIGN(position.taken, parse_count(value.find("taken")));
  TRY_ASSIGN(position.order, parse_bytes(value.find("order")));
  TRY_ASSIGN(position.origin.group, parse_bytes(value.find("group")));
  if (const Value token = value.find("token"); !token.is_undefined()) {
    TRY_ASSIGN(const DocumentNumber number, parse_token(token, container));
    position.origin.number = number.value;
  }
  TRY_ASSIGN(position.origin.ordinal, parse_count(value.find("row")));
  position.is_open = is_true(value.find("open"));
  position.is_repeated = is_true(value.find("again"));
  position.has_begun = value.find("begun").is_undefined();
  if (const Value inner = value.find("inner"); !inner.is_undefined()) {
    if (!inner.is_object()) return invalid("it is not one of ours");
    TRY_ASSIGN(query::Position nested, parse_position(inner, container));
    position.inner = std::make_shared<const query::Position>(std::move(nested));
  }
  return position;
}

}  // namespace

std::string encode_continuation(const FeedContinuation& continuation, const Container& container) {
  return fmt::format("{{{},{}}}", token_member(continuation.position.after, container),
                     range_members(continuation.position.range, continuation.scope, container));
}

Result<FeedContinuation> decode_continuation(std::string_view text, const Container& container) {
  const Result<std::string> stored = stored_from_json(text);
  if (!stored) return invalid("it is not one of ours");
  const Value value = Value::view(*stored);
  FeedContinuation continuation;
  TRY_ASSIGN(continuation.position.after, parse_token(value.find("token"), container));
  TRY(check_key(value, container));
  TRY_ASSIGN(continuation.position.range, parse_range(value.find("range")));
  TRY_ASSIGN(continuation.scope, parse_scope(value.find("scope")));
  return continuation;
}

bool is_foreign_continuation(std::string_view text, const Container& container) {
  constexpr std::string_view kMark = "RID:~";
  const bool has_direction = text.starts_with('+') || text.starts_with('-');
  if (!has_direction || !text.substr(1).starts_with(kMark)) return false;
  const std::string_view rid = text.substr(1 + kMark.size(), text.find('#') - 1 - kMark.size());
  const std::optional<std::string> bytes = bytes_in_rid_text(rid);
  return text.contains("#RT:") && bytes && bytes->size() == kDocumentRidBytes &&
         !bytes->starts_with(container.identity.rid_bytes);
}

std::string encode_query_continuation(const QueryContinuation& continuation, std::string_view query_text,
                                      const Container& container) {
  return fmt::format(R"({{"v":{},"query":"{:016x}"{},{}}})", kQueryTokenVersion, text_hash(query_text),
                     position_members(continuation.position.progress, container),
                     range_members(continuation.position.range, continuation.scope, container));
}

Result<QueryContinuation> decode_query_continuation(std::string_view text, std::string_view query_text, const query::Plan& plan,
                                                    const Container& container) {
  const Result<std::string> stored = stored_from_json(text);
  if (!stored) return invalid("it is not one of ours");
  const Value value = Value::view(*stored);
  const Value version = value.find("v");
  const Value query = value.find("query");
  if (!version.is_number() || !query.is_string()) return invalid("it is not one of a query of ours");
  if (version.integer() != kQueryTokenVersion) return invalid("it is of another version");
  if (query.string() != fmt::format("{:016x}", text_hash(query_text))) return invalid("it belongs to another query");
  TRY(check_key(value, container));
  QueryContinuation continuation;
  TRY_ASSIGN(continuation.position.progress, parse_position(value, container));
  if (!query::is_position_in(plan, continuation.position.progress)) return invalid("it is not a position in this query");
  TRY_ASSIGN(continuation.position.range, parse_range(value.find("range")));
  TRY_ASSIGN(continuation.scope, parse_scope(value.find("scope")));
  return continuation;
}

}  // namespace partita::cosmos
