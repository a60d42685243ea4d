#include "protocols/cosmos/codec/changes/change_etag.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace partita::cosmos {
namespace {

// LSNs are counted from 1, and clients keep them as signed numbers.
constexpr uint64_t kLsnMax = std::numeric_limits<int64_t>::max();
// Ranges are numbered.
constexpr size_t kRangeIdCharsMax = 20;

bool is_range_id(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= kRangeIdCharsMax && std::ranges::all_of(text, is_digit);
}

std::unexpected<Error> invalid(std::string_view text) {
  return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not a position in the change feed.", text));
}

Result<Lsn> parse_lsn(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kLsnMax) return invalid(text);
  return Lsn{value};
}

bool names_a_range_twice(const ChangePosition& position) {
  std::vector<std::string_view> ids;
  for (const auto& [range_id, lsn] : position.by_range) ids.push_back(range_id);
  std::ranges::sort(ids);
  return std::ranges::adjacent_find(ids) != ids.end();
}

}  // namespace

std::string encode_change_etag(const ChangePage& page) {
  if (page.is_of_one_place) return fmt::format("\"{}\"", page.next.of(*page.place).value);
  std::string out = "\"";
  for (const auto& [range_id, lsn] : page.next.by_range) {
    if (out.size() > 1) out += ',';
    out += fmt::format("{}:{}", range_id, lsn.value);
  }
  return out + '"';
}

Result<ChangePosition> decode_change_etag(std::string_view text) {
  const std::string_view whole = text;
  if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"')) text = text.substr(1, text.size() - 2);
  ChangePosition position;
  if (text.find(':') == std::string_view::npos) {
    TRY_ASSIGN(position.everywhere, parse_lsn(text));
    return position;
  }
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view entry = text.substr(0, comma);
    const size_t colon = entry.find(':');
    if (colon == std::string_view::npos || !is_range_id(entry.substr(0, colon))) return invalid(whole);
    TRY_ASSIGN(const Lsn lsn, parse_lsn(entry.substr(colon + 1)));
    position.by_range.emplace_back(entry.substr(0, colon), lsn);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  if (names_a_range_twice(position)) return invalid(whole);
  return position;
}

}  // namespace partita::cosmos
