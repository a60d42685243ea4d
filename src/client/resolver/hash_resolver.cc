#include "client/resolver/hash_resolver.h"

#include "base/bytes.h"
#include "document/key/murmur3.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace partita::client {
namespace {

// The hash of a hash. Zero hashes like an empty text, as in the package.
uint32_t next_hash(uint32_t hash) {
  if (hash == 0) return murmur3_x86_32({});
  std::array<char, sizeof hash> bytes;
  store_little_endian(bytes.data(), hash);
  return murmur3_x86_32({bytes.data(), bytes.size()});
}

}  // namespace

Result<HashResolver> HashResolver::create(std::vector<std::string> links) {
  if (links.empty()) return fail(ErrorCode::kInvalidInput, "a hash resolver needs at least one container");
  HashResolver resolver;
  for (size_t link = 0; link < links.size(); ++link) {
    uint32_t hash = murmur3_x86_32(links[link]);
    for (size_t point = 0; point < kPointsOfLink; ++point) {
      resolver.points_.push_back({.hash = hash, .link = static_cast<uint32_t>(link)});
      hash = next_hash(hash);
    }
  }
  std::ranges::sort(resolver.points_, [](const Point& left, const Point& right) {
    return std::tie(left.hash, left.link) < std::tie(right.hash, right.link);
  });
  resolver.links_ = std::move(links);
  return resolver;
}

const std::string& HashResolver::resolve_for_create(std::string_view key) const {
  const auto after = std::ranges::upper_bound(points_, murmur3_x86_32(key), {}, &Point::hash);
  // Before the first point there is the last one.
  const Point& point = after == points_.begin() ? points_.back() : *std::prev(after);
  return links_[point.link];
}

}  // namespace partita::client
