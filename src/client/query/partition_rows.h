#pragma once

#include "client/container.h"
#include "client/feed_page.h"
#include "client/query/row.h"

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace partita::client {

// How one query's partitions are read.
struct ParallelOptions {
  size_t parallelism = 8;              // requests under way at once; at least 1
  size_t buffered_items_max = 10'000;  // rows that were read ahead; one page more for each request under way
  int64_t page_items = -1;             // -1: the server decides
};

// What a query has cost so far.
struct QueryCost {
  double charge = 0;
  uint64_t requests = 0;
};

// PartitionRows: the rows of one query from each partition that it concerns, read ahead. Used by one thread; the client's threads
// bring the pages.
//
// A feed is what comes from one range of hashes, in that partition's order. Feeds are in the order of their hashes. A feed whose
// partition was split or merged is followed by new ones, which go on where it ended, each within its own hashes only: nothing is
// lost and nothing comes twice.
class PartitionRows {
 public:
  class Feed;
  using Feeds = std::list<std::shared_ptr<Feed>>;

  // `hashes`: those that may have rows.
  static Answer<PartitionRows> open(const Container& container, std::string body, const std::vector<EffectiveKeyRange>& hashes,
                                    const ParallelOptions& options);
  PartitionRows(PartitionRows&&) = default;
  PartitionRows& operator=(PartitionRows&&) = default;
  ~PartitionRows();

  Feeds& feeds() { return feeds_; }
  // The next row of a feed; null at its end. Waits for it. New feeds may stand behind it afterwards. Valid until pop().
  Answer<const Row*> front(Feeds::iterator feed);
  void pop(Feeds::iterator feed);
  QueryCost cost() const;
  // Feeds are in the order of their hashes, and so stay those that replace one of them.
  static const EffectiveKeyRange& hashes_of(const Feed& feed);

 private:
  struct Shared;
  PartitionRows(Container container, std::string body, const ParallelOptions& options);

  Status add_feeds(const EffectiveKeyRange& hashes, const std::string& continuation, Feeds::iterator before,
                   const std::vector<PartitionRange>& ranges);
  Answer<void> replace(Feeds::iterator stale);
  // Asks for more where there is room.
  void ask(Feeds::iterator wanted);
  void send(const std::shared_ptr<Feed>& feed);
  // Waits for the page that is under way. True: the feed has a row.
  Answer<bool> receive(Feeds::iterator feed);

  Container container_;
  std::string body_;
  ParallelOptions options_;
  Container::Ranges ranges_;
  Feeds feeds_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace partita::client
