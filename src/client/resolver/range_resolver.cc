#include "client/resolver/range_resolver.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::client {
namespace {

// The place of a UTF-8 byte among others where two texts differ: code points beyond 16 bits are pairs of surrogates in UTF-16,
// which come before U+E000.
unsigned rank(char c) {
  constexpr unsigned kFirstOfPrivateUse = 0xEE;
  constexpr unsigned kFirstOfFourBytes = 0xF0;
  const unsigned byte = static_cast<unsigned char>(c);
  if (byte >= kFirstOfFourBytes) return byte;
  return byte >= kFirstOfPrivateUse ? byte + 0x100 : byte;
}

}  // namespace

std::strong_ordering compare_as_javascript(std::string_view left, std::string_view right) {
  const auto [a, b] = std::ranges::mismatch(left, right);
  if (a == left.end() || b == right.end()) return left.size() <=> right.size();
  return rank(*a) <=> rank(*b);
}

RangeResolver::RangeResolver(std::vector<Entry> entries, Order order)
    : entries_(std::move(entries)), order_(order ? std::move(order) : Order(compare_as_javascript)) {}

Result<std::string> RangeResolver::resolve_for_create(std::string_view key) const {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return order_(key, entry.range.low) >= 0 && order_(key, entry.range.high) <= 0; });
  if (found != entries_.end()) return found->link;
  return fail(ErrorCode::kNotFound, fmt::format("no range of the resolver has the key '{}'", key));
}

std::vector<std::string> RangeResolver::resolve_for_read(std::span<const Range> ranges) const {
  std::vector<std::string> links;
  for (const Range& range : ranges) {
    for (const Entry& entry : entries_) {
      const std::string& low = order_(entry.range.low, range.low) >= 0 ? entry.range.low : range.low;
      const std::string& high = order_(entry.range.high, range.high) <= 0 ? entry.range.high : range.high;
      if (order_(low, high) <= 0) links.push_back(entry.link);
    }
  }
  return links;
}

std::vector<std::string> RangeResolver::resolve_for_read(std::string_view key) const {
  const Range range{std::string(key), std::string(key)};
  return resolve_for_read(std::span(&range, 1));
}

std::vector<std::string> RangeResolver::links() const {
  std::vector<std::string> links;
  for (const Entry& entry : entries_) links.push_back(entry.link);
  return links;
}

}  // namespace partita::client
