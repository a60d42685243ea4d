#pragma once

#include "base/result.h"

#include <compare>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::client {

// RangeResolver: spreads documents over several containers by ranges of their keys. Immutable and thread-safe.
//
// Both ends of a range belong to it; ranges may overlap and leave gaps. Chooses what RangePartitionResolver of the npm package
// `documentdb` chooses: keys are compared as JavaScript compares strings, thus "10" is less than "9", unless an order is given.
class RangeResolver {
 public:
  struct Range {
    std::string low;
    std::string high;
  };
  struct Entry {
    Range range;
    std::string link;
  };
  using Order = std::function<std::strong_ordering(std::string_view, std::string_view)>;

  explicit RangeResolver(std::vector<Entry> entries, Order order = {});

  // The first container whose range has the key; kNotFound when there is none.
  Result<std::string> resolve_for_create(std::string_view key) const;
  // All containers that may have such keys, by range and then in the order of the entries; one may come twice.
  std::vector<std::string> resolve_for_read(std::span<const Range> ranges) const;
  std::vector<std::string> resolve_for_read(std::string_view key) const;
  std::vector<std::string> links() const;

 private:
  std::vector<Entry> entries_;
  Order order_;
};

// By UTF-16 units, of texts in UTF-8.
std::strong_ordering compare_as_javascript(std::string_view left, std::string_view right);

}  // namespace partita::client
