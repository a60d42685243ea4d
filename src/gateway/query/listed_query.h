#pragma once

#include "base/result.h"
#include "query/query.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace partita {

inline constexpr size_t kListedPageBytesMax = 4 << 20;

// One resource of a list, with the number that orders it.
struct FeedRow {
  uint64_t number;
  std::string stored;
};

// Listing: resources in the order of their numbers, each written only when somebody wants to see it.
struct Listing {
  size_t size = 0;
  std::function<uint64_t(size_t index)> number = {};
  std::function<Status(size_t index, StoredWriter& out)> write = {};
};

Listing listing_of(std::vector<FeedRow> rows);

// Of resources that have a number.
template <typename Resource, typename Write>
Listing listing_of(std::vector<std::shared_ptr<const Resource>> resources, Write write) {
  auto all = std::make_shared<const std::vector<std::shared_ptr<const Resource>>>(std::move(resources));
  return {.size = all->size(),
          .number = [all](size_t index) { return uint64_t{(*all)[index]->number}; },
          .write = [all, write = std::move(write)](size_t index, StoredWriter& out) { return write(*(*all)[index], out); }};
}

// Which part of a list, or of the results of a query over it, is wanted: so many behind a number.
struct ListedRequest {
  uint64_t after = 0;
  size_t items_max = SIZE_MAX;
};

// Ends when it has enough rows or bytes.
struct ListedPage {
  std::vector<FeedRow> rows;
  bool has_more = false;
  uint64_t rows_read = 0;
};

Result<ListedPage> read_listed(const Listing& listing, const ListedRequest& request);

// The results of a query over a list. They have the numbers of their rows where they can, so that a page goes on behind them
// whatever was deleted meanwhile, else those of their own order. `specification` is the body of a query: text and parameters.
// Takes as long as the environment lets it.
Result<ListedPage> query_listed(const Listing& listing, const Value& specification, const query::Environment& environment,
                                const ListedRequest& request);

}  // namespace partita
