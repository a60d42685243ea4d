#include "protocols/cosmos/codec/continuation.h"

#include "base/encodings.h"
#include "document/json.h"
#include "protocols/cosmos/codec/resource_id.h"

#include <fmt/format.h>

namespace partita::cosmos {
namespace {

constexpr std::string_view kRidPrefix = "+RID:";

std::unexpected<Error> invalid(std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("Invalid continuation token specified: {}.", why));
}

}  // namespace

std::string encode_continuation(const FeedPosition& position, const Container& container) {
  return fmt::format(R"({{"token":"{}{}","range":{{"min":"{}","max":"{}"}}}})", kRidPrefix,
                     container.identity.document_rid(position.after), hex_upper(position.range.min), hex_upper(position.range.max));
}

Result<FeedPosition> decode_continuation(std::string_view text, const Container& container) {
  const Result<std::string> stored = stored_from_json(text);
  if (!stored) return invalid("it is not one of ours");
  const Value value = Value::view(*stored);
  const Value token = value.find("token");
  const Value min = value.find("range").find("min");
  const Value max = value.find("range").find("max");
  if (!token.is_string() || !token.string().starts_with(kRidPrefix) || !min.is_string() || !max.is_string()) return invalid("it is not one of ours");
  // "After number 0" is not a document's name, but a position.
  const std::string_view rid_text = token.string().substr(kRidPrefix.size());
  FeedPosition position;
  if (rid_text != container.identity.document_rid(DocumentNumber{0})) {
    const auto rid = parse_child_rid(rid_text, ContainerChild::kItem);
    if (!rid) return invalid("it does not name a document");
    if (rid->container != ContainerRid{container.database->number, container.number}) return invalid("it belongs to another container");
    position.after.value = rid->ordinal;
  }
  const auto min_bytes = from_hex(min.string());
  const auto max_bytes = from_hex(max.string());
  if (!min_bytes || !max_bytes) return invalid("its range is not hexadecimal");
  position.range = {*min_bytes, *max_bytes};
  return position;
}

}  // namespace partita::cosmos
