#pragma once

#include "base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::client {

// HashResolver: spreads documents over several containers by a hash of their key. Immutable and thread-safe.
//
// A ring of hashes: each container has points on it, and a key belongs to the container of the last point at or before the key's
// hash. Chooses what HashPartitionResolver of the npm package `documentdb` chooses for the same links in the same order, so that
// data that was spread by one is found by the other.
class HashResolver {
 public:
  static constexpr size_t kPointsOfLink = 128;

  // `links`: what the containers are called, such as dbs/db/colls/c0; the text itself is hashed. kInvalidInput: there is none.
  static Result<HashResolver> create(std::vector<std::string> links);

  const std::string& resolve_for_create(std::string_view key) const;
  // One key, one container. Without a key: links(), all of them.
  const std::string& resolve_for_read(std::string_view key) const { return resolve_for_create(key); }
  const std::vector<std::string>& links() const { return links_; }

  struct Point {
    uint32_t hash;
    uint32_t link;  // its place in links()
  };
  std::span<const Point> points() const { return points_; }

 private:
  HashResolver() = default;

  std::vector<std::string> links_;
  std::vector<Point> points_;  // sorted
};

}  // namespace partita::client
