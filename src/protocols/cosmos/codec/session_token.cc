#include "protocols/cosmos/codec/session_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace partita::cosmos {
namespace {

constexpr std::string_view kFirstVectorVersion = "2018-06-18";

struct Entry {
  std::string_view range_id;  // empty: any
  uint64_t lsn;
};

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Cuts the text before the next separator off the front of `rest`, and the separator with it.
std::string_view take_until(std::string_view& rest, char separator) {
  const size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view head = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return head;
}

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_region_progress(std::string_view text) {
  const size_t equals = text.find('=');
  return equals != std::string_view::npos && parse_number(text.substr(0, equals)) && parse_number(text.substr(equals + 1));
}

// "123" or "-1#123#1=120#2=119". A negative LSN says that the client knows nothing yet.
std::optional<uint64_t> parse_lsn(std::string_view token) {
  std::string_view lsn_text = token;
  if (token.contains('#')) {
    if (!parse_number(take_until(token, '#'))) return std::nullopt;
    lsn_text = take_until(token, '#');
    while (!token.empty()) {
      if (!is_region_progress(take_until(token, '#'))) return std::nullopt;
    }
  }
  const auto lsn = parse_number(lsn_text);
  if (!lsn) return std::nullopt;
  return static_cast<uint64_t>(std::max<int64_t>(*lsn, 0));
}

std::optional<Entry> parse_entry(std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool names_range = colon != std::string_view::npos;
  const auto lsn = parse_lsn(names_range ? text.substr(colon + 1) : text);
  if (!lsn) return std::nullopt;
  return Entry{names_range ? text.substr(0, colon) : std::string_view(), *lsn};
}

bool is_date(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00";
  return std::ranges::equal(text, kShape, [](char c, char shape) { return shape == '0' ? c >= '0' && c <= '9' : c == shape; });
}

}  // namespace

SessionTokenShape session_token_shape(std::string_view api_version) {
  return is_date(api_version) && api_version < kFirstVectorVersion ? SessionTokenShape::kSimple : SessionTokenShape::kVector;
}

void append_session_token(std::string& out, std::string_view range_id, uint64_t lsn, SessionTokenShape shape) {
  out += range_id;
  out += shape == SessionTokenShape::kSimple ? ":" : ":-1#";
  out += fmt::format_int(lsn).c_str();
}

Result<SessionTokens> SessionTokens::parse(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view entry = trim(take_until(rest, ','));
    if (!entry.empty() && !parse_entry(entry)) {
      return fail(ErrorCode::kInvalidInput, fmt::format("The session token provided '{}' is invalid.", entry));
    }
  }
  return SessionTokens(text);
}

uint64_t SessionTokens::lsn_demanded(std::string_view range_id, std::span<const std::string> parent_range_ids) const {
  uint64_t demanded = 0;
  std::string_view rest = text_;
  while (!rest.empty()) {
    const auto entry = parse_entry(trim(take_until(rest, ',')));
    if (!entry) continue;
    const bool names_parent = std::ranges::find(parent_range_ids, entry->range_id) != parent_range_ids.end();
    if (names_parent || entry->range_id.empty() || entry->range_id == range_id) demanded = std::max(demanded, entry->lsn);
  }
  return demanded;
}

}  // namespace partita::cosmos
