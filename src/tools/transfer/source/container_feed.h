#pragma once

#include "client/client.h"
#include "client/feed_page.h"
#include "client/request.h"
#include "client/resources/containers.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools::transfer {

// ContainerFeed: all documents of a container, page after page. Pages of several partitions are asked for at once, so they come
// in no order; each partition's come in its own. Used by one thread.
//
// What is written meanwhile may be in it or not. A partition that is split or merged meanwhile is read on wherever its hashes are
// then: nothing is lost and nothing comes twice.
class ContainerFeed {
 public:
  struct Options {
    size_t partitions_at_once = 4;
    std::chrono::seconds patience{120};  // without any page
  };

  // `position` is where an earlier feed stopped, or empty.
  static Result<std::unique_ptr<ContainerFeed>> open(client::Client client, client::ContainerName name, const Options& options,
                                                     std::string_view position);

  // The next page, which may be empty; nothing at the end. Waits for `longest` at most, then it is an empty one.
  Result<std::optional<client::FeedPage>> next(std::chrono::milliseconds longest);
  // Behind the pages that next() gave.
  std::string position() const;

  double request_units() const { return units_; }
  uint64_t throttles() const { return throttles_; }

 private:
  using Clock = std::chrono::steady_clock;

  // Documents of neighbouring hashes, which one partition has.
  struct Part {
    EffectiveKeyRange hashes = {};
    std::string range_id = {};   // of the partition; empty: not known yet
    bool is_whole_range = true;  // of the partition
    std::string continuation = {};
    bool is_done = false;
    bool is_asked = false;
    Clock::time_point ready = {};
  };
  using PartNumber = uint64_t;
  struct Answered {
    PartNumber part;
    client::Answer<client::Response> answer;
  };
  // Answers come on the client's threads, and may come when the feed is gone.
  struct Inbox {
    std::mutex mutex;  // guards answers
    std::condition_variable changed;
    std::vector<Answered> answers;

    void push(Answered answered);
    std::optional<Answered> take(std::chrono::milliseconds longest);
  };

  ContainerFeed(client::Client client, client::ContainerName name, const Options& options)
      : client_(std::move(client)), name_(std::move(name)), options_(options) {}

  Status read_position(std::string_view position);
  // Reads which partitions there are, and divides the parts between them.
  Status refresh();
  void divide(const std::vector<client::PartitionRange>& ranges);
  void ask();
  Result<std::optional<client::FeedPage>> take(Answered answered);
  Status wait_with(PartNumber part, std::chrono::milliseconds wait, const std::string& reason);
  bool is_at_end() const;

  client::Client client_;
  client::ContainerName name_;
  Options options_;
  std::map<PartNumber, Part> parts_;
  PartNumber next_part_ = 1;
  bool needs_refresh_ = true;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  size_t asked_ = 0;
  double units_ = 0;
  uint64_t throttles_ = 0;
  Clock::time_point helped_ = Clock::now();
};

}  // namespace partita::tools::transfer
