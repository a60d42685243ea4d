#pragma once

#include "client/client.h"
#include "client/feed_page.h"
#include "client/request.h"

#include <map>
#include <string>

namespace partita::tools {

// ChangeWatch: what is written to a container from the first poll() on, partition by partition, as every server of the protocol
// gives it. Where a partition is split, its children go on where it was. Not thread-safe.
class ChangeWatch {
 public:
  ChangeWatch(client::Client client, client::ContainerName name) : client_(std::move(client)), name_(std::move(name)) {}

  // One page of every partition, each given to `visit`. How many documents there were.
  template <typename Visit>
  client::Answer<size_t> poll(Visit visit) {
    if (needs_ranges_) TRY(refresh());
    size_t documents = 0;
    for (auto& [range_id, since] : since_) {
      TRY_ASSIGN(const client::FeedPage page, next(range_id, since));
      if (page.size() > 0) visit(page);
      documents += page.size();
    }
    return documents;
  }

 private:
  client::Answer<void> refresh();
  // Nothing when there is no change, or when the partition is no more.
  client::Answer<client::FeedPage> next(const std::string& range_id, std::string& since);

  client::Client client_;
  client::ContainerName name_;
  std::map<std::string, std::string> since_;  // by range: the etag of the answer before
  bool needs_ranges_ = true;
};

}  // namespace partita::tools
