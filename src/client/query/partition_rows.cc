#include "client/query/partition_rows.h"

#include "base/check.h"
#include "base/encodings.h"
#include "client/header_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>

namespace partita::client {
namespace {

// How often in a row a partition may move before a page of it comes.
constexpr int kMovesMax = 10;

// About how many rows a page has; servers may not say it.
size_t item_count(const Response& response) {
  constexpr size_t kUsualRowBytes = 200;
  const std::string_view text = response.header(header::kItemCount);
  size_t count = 0;
  const bool is_said = std::from_chars(text.data(), text.data() + text.size(), count).ec == std::errc();
  return std::max<size_t>(is_said ? count : response.body().size() / kUsualRowBytes, 1);
}

EffectiveKeyRange intersection(const EffectiveKeyRange& left, const EffectiveKeyRange& right) {
  return {std::max(left.min, right.min), std::min(left.max, right.max)};
}

}  // namespace

// What the client's threads share with the reader; guarded by the mutex, like the members of feeds that say so.
struct PartitionRows::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  size_t buffered = 0;
  size_t under_way = 0;
  QueryCost cost;
};

class PartitionRows::Feed {
 public:
  EffectiveKeyRange hashes;
  std::string range_id;
  bool is_whole_range = true;  // of its partition
  int moves = 0;

  // Guarded by the mutex.
  std::string continuation;  // where the next page begins
  bool is_asked = false;
  bool is_ended = false;  // no page will come any more
  std::deque<Answer<Response>> answers;

  // The reader's own.
  FeedPage page;
  size_t position = 0;
  std::optional<Row> row;
};

PartitionRows::PartitionRows(Container container, std::string body, const ParallelOptions& options)
    : container_(std::move(container)), body_(std::move(body)), options_(options), shared_(std::make_shared<Shared>()) {
  options_.parallelism = std::max<size_t>(options_.parallelism, 1);
}

// Answers that are still to come find feeds and what is shared, but no reader.
PartitionRows::~PartitionRows() = default;

Answer<PartitionRows> PartitionRows::open(const Container& container, std::string body,
                                          const std::vector<EffectiveKeyRange>& hashes, const ParallelOptions& options) {
  PartitionRows rows(container, std::move(body), options);
  TRY_ASSIGN(rows.ranges_, container.ranges());
  for (const PartitionRange& range : *rows.ranges_) {
    const bool is_concerned = std::ranges::any_of(hashes, [&](const EffectiveKeyRange& each) {
      return std::max(each.min, range.hashes.min) < std::min(each.max, range.hashes.max);
    });
    if (is_concerned) TRY(rows.add_feeds(range.hashes, "", rows.feeds_.end(), *rows.ranges_));
  }
  return rows;
}

// Feeds for these hashes, wherever they are now.
Status PartitionRows::add_feeds(const EffectiveKeyRange& hashes, const std::string& continuation, Feeds::iterator before,
                                const std::vector<PartitionRange>& ranges) {
  for (const PartitionRange& range : ranges) {
    EffectiveKeyRange own = intersection(hashes, range.hashes);
    if (own.min >= own.max) continue;
    auto feed = std::make_shared<Feed>();
    feed->is_whole_range = own == range.hashes;
    feed->hashes = std::move(own);
    feed->range_id = range.id;
    feed->continuation = continuation;
    feeds_.insert(before, std::move(feed));
  }
  return {};
}

Answer<void> PartitionRows::replace(Feeds::iterator stale) {
  const Feed& gone = **stale;
  if (gone.moves >= kMovesMax) {
    return std::unexpected(Failure(Error{ErrorCode::kPartitionGone, "the partition moves again and again; try later"}));
  }
  // Feeds that were stale before this one may have brought the new ranges already.
  const bool is_known = std::ranges::any_of(*ranges_, [&](const PartitionRange& range) { return range.id == gone.range_id; });
  if (is_known) {
    TRY_ASSIGN(ranges_, container_.ranges_after(ranges_));
  }
  const auto next = std::next(stale);
  const auto last_before = stale;
  TRY(add_feeds(gone.hashes, gone.continuation, next, *ranges_));
  for (auto added = std::next(last_before); added != next; ++added) (*added)->moves = gone.moves + 1;
  return {};
}

void PartitionRows::send(const std::shared_ptr<Feed>& feed) {
  Request request = query_page(container_.name(), {.range_id = feed->range_id}, body_,
                               {.items_max = options_.page_items, .continuation = feed->continuation});
  if (!feed->is_whole_range) {
    request.with(header::kReadKeyType, "EffectivePartitionKeyRange");
    request.with(header::kStartEffectiveKey, hex_upper(feed->hashes.min));
    request.with(header::kEndEffectiveKey, hex_upper(feed->hashes.max));
  }
  container_.client().send(std::move(request), [feed, shared = shared_](Answer<Response> answer) {
    std::lock_guard lock(shared->mutex);
    answer = expect_success(std::move(answer));
    --shared->under_way;
    ++shared->cost.requests;
    if (answer) {
      shared->cost.charge += answer->charge();
      shared->buffered += item_count(*answer);
      feed->continuation = answer->continuation();
      feed->is_ended = feed->continuation.empty();
    } else {
      shared->cost.charge += answer.error().charge;
      feed->is_ended = true;
    }
    feed->is_asked = false;
    feed->answers.push_back(std::move(answer));
    shared->changed.notify_all();
  });
}

void PartitionRows::ask(Feeds::iterator wanted) {
  std::vector<std::shared_ptr<Feed>> asked;
  {
    std::unique_lock lock(shared_->mutex);
    const auto take = [&](const std::shared_ptr<Feed>& feed) {
      feed->is_asked = true;
      ++shared_->under_way;
      asked.push_back(feed);
    };
    // What the reader waits for is asked for before all others, however much was read ahead; the rest in order as far as there is
    // room.
    if (!(*wanted)->is_asked && !(*wanted)->is_ended && (*wanted)->answers.empty()) {
      shared_->changed.wait(lock, [&] { return shared_->under_way < options_.parallelism; });
      take(*wanted);
    }
    for (auto feed = feeds_.begin(); feed != feeds_.end(); ++feed) {
      if (shared_->under_way >= options_.parallelism || shared_->buffered >= options_.buffered_items_max) break;
      if (!(*feed)->is_asked && !(*feed)->is_ended) take(*feed);
    }
  }
  for (const std::shared_ptr<Feed>& feed : asked) send(feed);
}

Answer<bool> PartitionRows::receive(Feeds::iterator place) {
  Feed& feed = **place;
  std::optional<Answer<Response>> answer;
  {
    std::unique_lock lock(shared_->mutex);
    if (feed.answers.empty() && feed.is_ended) return false;
    shared_->changed.wait(lock, [&] { return !feed.answers.empty(); });
    answer = std::move(feed.answers.front());
    feed.answers.pop_front();
    if (*answer) shared_->buffered -= item_count(**answer);
  }
  if (!*answer) {
    if (answer->error().code != ErrorCode::kPartitionGone) return std::unexpected(std::move(*answer).error());
    TRY(replace(place));
    return false;
  }
  feed.moves = 0;
  TRY_ASSIGN(feed.page, FeedPage::parse(**answer, "Documents"));
  feed.position = 0;
  return true;
}

Answer<const Row*> PartitionRows::front(Feeds::iterator place) {
  Feed& feed = **place;
  while (!feed.row) {
    if (feed.position < feed.page.size()) {
      feed.row = feed.page.row(feed.position++);
      break;
    }
    ask(place);
    TRY_ASSIGN(const bool has_page, receive(place));
    if (!has_page) return nullptr;
  }
  return &*feed.row;
}

void PartitionRows::pop(Feeds::iterator feed) {
  CHECK((*feed)->row.has_value());
  (*feed)->row.reset();
}

const EffectiveKeyRange& PartitionRows::hashes_of(const Feed& feed) { return feed.hashes; }

QueryCost PartitionRows::cost() const {
  std::lock_guard lock(shared_->mutex);
  return shared_->cost;
}

}  // namespace partita::client
