#include "tools/shell/session/change_watch.h"

#include "client/failure.h"
#include "client/items/item_requests.h"
#include "client/resources/containers.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace partita::tools {
namespace {

constexpr int kNothingNew = 304;
constexpr int kGone = 410;
constexpr int64_t kPageDocuments = 100;
constexpr std::string_view kNow = "*";

}  // namespace

client::Answer<void> ChangeWatch::refresh() {
  TRY_ASSIGN(const std::vector<client::PartitionRange> ranges, client::read_partition_ranges(client_, name_));
  const std::map<std::string, std::string> before = std::exchange(since_, {});
  for (const client::PartitionRange& range : ranges) {
    auto known = before.find(range.id);
    // The nearest one that was watched.
    for (auto parent = range.parents.rbegin(); known == before.end() && parent != range.parents.rend(); ++parent)
      known = before.find(*parent);
    since_[range.id] = known == before.end() ? kNow : known->second;
  }
  needs_ranges_ = false;
  return {};
}

client::Answer<client::FeedPage> ChangeWatch::next(const std::string& range_id, std::string& since) {
  TRY_ASSIGN(
      const client::Response response,
      client_.send(client::read_changes(name_, {.range_id = range_id}, {.items_max = kPageDocuments, .continuation = since})));
  if (response.status() == kGone) {
    needs_ranges_ = true;
    return client::FeedPage();
  }
  if (!response.is_success() && response.status() != kNothingNew) return std::unexpected(client::failure_of(response));
  TRY_ASSIGN(client::FeedPage page, client::FeedPage::parse(response, "Documents"));
  if (!response.etag().empty()) since = response.etag();
  return page;
}

}  // namespace partita::tools
