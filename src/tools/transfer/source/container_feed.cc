#include "tools/transfer/source/container_feed.h"

#include "client/items/item_requests.h"
#include "client/resources/containers.h"
#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace partita::tools::transfer {
namespace {

constexpr std::chrono::milliseconds kPauseAfterTrouble{500};
constexpr std::chrono::milliseconds kPauseMin{20};

}  // namespace

void ContainerFeed::Inbox::push(Answered answered) {
  const std::lock_guard lock(mutex);
  answers.push_back(std::move(answered));
  changed.notify_one();
}

std::optional<ContainerFeed::Answered> ContainerFeed::Inbox::take(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex);
  if (!changed.wait_for(lock, longest, [&] { return !answers.empty(); })) return std::nullopt;
  Answered first = std::move(answers.front());
  answers.erase(answers.begin());
  return first;
}

Result<std::unique_ptr<ContainerFeed>> ContainerFeed::open(client::Client client, client::ContainerName name,
                                                           const Options& options, std::string_view position) {
  std::unique_ptr<ContainerFeed> feed(new ContainerFeed(std::move(client), std::move(name), options));
  if (!position.empty()) TRY(feed->read_position(position));
  return feed;
}

// [{"id":"0","continuation":"…"},{"id":"1","done":true}]
Status ContainerFeed::read_position(std::string_view position) {
  const auto unreadable = fail(ErrorCode::kInvalidInput, "the position in the feed cannot be read");
  const Result<std::string> stored = stored_from_json(position);
  if (!stored || !Value::view(*stored).is_array()) return unreadable;
  const Value array = Value::view(*stored);
  for (size_t index = 0; index < array.size(); ++index) {
    const Value entry = array.element(index);
    const Value id = entry.is_object() ? entry.find("id") : Value();
    const Value continuation = entry.is_object() ? entry.find("continuation") : Value();
    if (!id.is_string()) return unreadable;
    Partition& partition = partitions_[std::string(id.string())];
    if (continuation.is_string()) partition.continuation = continuation.string();
    partition.is_done = entry.find("done").is_bool();
  }
  return {};
}

std::string ContainerFeed::position() const {
  std::string json = "[";
  for (const auto& [id, partition] : partitions_) {
    json += json.size() > 1 ? ",{\"id\":" : "{\"id\":";
    append_json_string(json, id);
    if (!partition.continuation.empty()) {
      json += ",\"continuation\":";
      append_json_string(json, partition.continuation);
    }
    json += partition.is_done ? ",\"done\":true}" : "}";
  }
  return json + "]";
}

Status ContainerFeed::refresh() {
  const client::Answer<std::vector<client::PartitionRange>> ranges = client::read_partition_ranges(client_, name_);
  if (!ranges) {
    const bool may_come_back = ranges.error().status == 0 || ranges.error().status == 429 || ranges.error().status >= 500;
    if (!may_come_back) return std::unexpected<Error>(ranges.error());
    std::this_thread::sleep_for(kPauseAfterTrouble);
    return wait_with({}, {}, ranges.error().message);
  }
  std::map<std::string, Partition> known = std::exchange(partitions_, {});
  const bool is_first = known.empty();
  for (const client::PartitionRange& range : *ranges) {
    auto before = known.find(range.id);
    // The nearest ancestor that was read.
    for (auto parent = range.parents.rbegin(); before == known.end() && parent != range.parents.rend(); ++parent)
      before = known.find(*parent);
    if (before == known.end() && !is_first)
      return fail(ErrorCode::kUnavailable, "partitions were merged meanwhile; begin anew (delete the state file)");
    partitions_[range.id] = before == known.end() ? Partition() : before->second;
    if (before != known.end() && before->first != range.id) partitions_[range.id].is_asked = false;
  }
  needs_refresh_ = false;
  return {};
}

void ContainerFeed::ask() {
  const Clock::time_point now = Clock::now();
  for (auto& [id, partition] : partitions_) {
    if (asked_ >= options_.partitions_at_once) return;
    if (partition.is_done || partition.is_asked || partition.ready > now) continue;
    partition.is_asked = true;
    ++asked_;
    client_.send(client::read_items(name_, {.range_id = id}, {.continuation = partition.continuation}),
                 [inbox = inbox_, range_id = id](client::Answer<client::Response> answer) {
                   inbox->push({.range_id = range_id, .answer = std::move(answer)});
                 });
  }
}

bool ContainerFeed::is_at_end() const {
  return std::ranges::all_of(partitions_, [](const auto& entry) { return entry.second.is_done; });
}

Result<std::optional<client::FeedPage>> ContainerFeed::next(std::chrono::milliseconds longest) {
  if (needs_refresh_) TRY(refresh());
  if (needs_refresh_) return client::FeedPage();
  if (is_at_end()) return std::optional<client::FeedPage>();
  ask();
  std::optional<Answered> answered = inbox_->take(longest);
  if (!answered) return client::FeedPage();
  --asked_;
  TRY_ASSIGN(std::optional<client::FeedPage> page, take(std::move(*answered)));
  if (!needs_refresh_) ask();
  return page;
}

// What belongs to a partition that was split meanwhile is dropped: its children give it again.
Result<std::optional<client::FeedPage>> ContainerFeed::take(Answered answered) {
  const auto found = partitions_.find(answered.range_id);
  if (found == partitions_.end()) return client::FeedPage();
  Partition& partition = found->second;
  partition.is_asked = false;
  client::Answer<client::Response>& answer = answered.answer;
  const int status = answer ? answer->status() : 0;
  if (status == 429 || status == 449) {
    ++throttles_;
    const std::chrono::milliseconds wait(answer->retry_after_ms());
    TRY(wait_with(answered.range_id, std::clamp<std::chrono::milliseconds>(wait, kPauseMin, options_.patience),
                  "the server throttles"));
    return client::FeedPage();
  }
  if (status == 410) {
    needs_refresh_ = true;
    TRY(wait_with(answered.range_id, kPauseMin, "partitions are being moved"));
    return client::FeedPage();
  }
  if (status == 0 || status == 408 || status >= 500) {
    TRY(wait_with(answered.range_id, kPauseAfterTrouble,
                  answer ? client::failure_of(*answer).message : std::string(answer.error().message)));
    return client::FeedPage();
  }
  if (!answer->is_success()) return std::unexpected<Error>(client::failure_of(*answer));
  TRY_ASSIGN(client::FeedPage page, client::FeedPage::parse_documents(*answer));
  units_ += answer->charge();
  helped_ = Clock::now();
  partition.continuation = answer->continuation();
  partition.is_done = partition.continuation.empty();
  return page;
}

Status ContainerFeed::wait_with(const std::string& range_id, std::chrono::milliseconds wait, const std::string& reason) {
  const Clock::time_point now = Clock::now();
  if (const auto partition = partitions_.find(range_id); partition != partitions_.end()) partition->second.ready = now + wait;
  if (now - helped_ < options_.patience) return {};
  return fail(ErrorCode::kUnavailable,
              fmt::format("no page could be read for {} seconds (--patience): {}", options_.patience.count(), reason));
}

}  // namespace partita::tools::transfer
