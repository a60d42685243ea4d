#include "tools/transfer/source/container_feed.h"

#include "base/encodings.h"
#include "client/header_names.h"
#include "client/items/item_requests.h"
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

// [{"min":"","max":"3F","continuation":"…"},{"min":"3F","max":"FF","done":true}]: hashes in hexadecimal digits.
Status ContainerFeed::read_position(std::string_view position) {
  const auto unreadable = fail(ErrorCode::kInvalidInput,
                               "the position in the feed cannot be read; maybe another version of this program wrote it (delete "
                               "the state file to begin anew)");
  const Result<std::string> stored = stored_from_json(position);
  if (!stored || !Value::view(*stored).is_array()) return unreadable;
  const Value array = Value::view(*stored);
  for (size_t index = 0; index < array.size(); ++index) {
    const Value entry = array.element(index);
    if (!entry.is_object()) return unreadable;
    const Value min = entry.find("min");
    const Value max = entry.find("max");
    const Value continuation = entry.find("continuation");
    if (!min.is_string() || !max.is_string()) return unreadable;
    std::optional<std::string> from = from_hex(min.string());
    std::optional<std::string> to = from_hex(max.string());
    if (!from || !to || *from >= *to) return unreadable;
    Part& part = parts_[next_part_++];
    part.hashes = {*std::move(from), *std::move(to)};
    if (continuation.is_string()) part.continuation = continuation.string();
    part.is_done = entry.find("done").is_bool();
  }
  return {};
}

std::string ContainerFeed::position() const {
  std::string json = "[";
  for (const auto& [number, part] : parts_) {
    json += fmt::format(R"({}{{"min":"{}","max":"{}")", json.size() > 1 ? "," : "", hex_upper(part.hashes.min),
                        hex_upper(part.hashes.max));
    if (!part.continuation.empty()) {
      json += ",\"continuation\":";
      append_json_string(json, part.continuation);
    }
    json += part.is_done ? ",\"done\":true}" : "}";
  }
  return json + "]";
}

Status ContainerFeed::refresh() {
  const client::Answer<std::vector<client::PartitionRange>> ranges = client::read_partition_ranges(client_, name_);
  if (!ranges) {
    const bool is_unreadable = ranges.error().code == ErrorCode::kInternal;
    const bool may_come_back =
        (ranges.error().status == 0 && !is_unreadable) || ranges.error().status == 429 || ranges.error().status >= 500;
    if (!may_come_back) return std::unexpected<Error>(ranges.error());
    std::this_thread::sleep_for(kPauseAfterTrouble);
    return wait_with(0, {}, ranges.error().message);
  }
  divide(*ranges);
  needs_refresh_ = false;
  return {};
}

// A part whose partition is another one now becomes new parts, which go on where it was: what is still answered to it is dropped.
void ContainerFeed::divide(const std::vector<client::PartitionRange>& ranges) {
  if (parts_.empty()) parts_[next_part_++] = {};
  for (auto& [number, part] : std::exchange(parts_, {})) {
    const bool is_known = std::ranges::any_of(ranges, [&](const auto& range) { return range.id == part.range_id; });
    if (part.is_done || is_known) {
      parts_[number] = std::move(part);
      continue;
    }
    for (const client::PartitionRange& range : ranges) {
      const EffectiveKeyRange own{std::max(part.hashes.min, range.hashes.min), std::min(part.hashes.max, range.hashes.max)};
      if (own.min >= own.max) continue;
      parts_[next_part_++] = {.hashes = own,
                              .range_id = range.id,
                              .is_whole_range = own == range.hashes,
                              .continuation = part.continuation,
                              .ready = part.ready};
    }
  }
}

void ContainerFeed::ask() {
  const Clock::time_point now = Clock::now();
  for (auto& [number, part] : parts_) {
    if (asked_ >= options_.partitions_at_once) return;
    if (part.is_done || part.is_asked || part.ready > now) continue;
    part.is_asked = true;
    ++asked_;
    client::Request request = client::read_items(name_, {.range_id = part.range_id}, {.continuation = part.continuation});
    if (!part.is_whole_range) {
      request.with(client::header::kReadKeyType, "EffectivePartitionKeyRange");
      request.with(client::header::kStartEffectiveKey, hex_upper(part.hashes.min));
      request.with(client::header::kEndEffectiveKey, hex_upper(part.hashes.max));
    }
    client_.send(std::move(request), [inbox = inbox_, asked = number](client::Answer<client::Response> answer) {
      inbox->push({.part = asked, .answer = std::move(answer)});
    });
  }
}

bool ContainerFeed::is_at_end() const {
  return std::ranges::all_of(parts_, [](const auto& entry) { return entry.second.is_done; });
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

// What belongs to a part that was divided meanwhile is dropped: the new ones give it again.
Result<std::optional<client::FeedPage>> ContainerFeed::take(Answered answered) {
  const auto found = parts_.find(answered.part);
  if (found == parts_.end()) return client::FeedPage();
  Part& part = found->second;
  part.is_asked = false;
  client::Answer<client::Response>& answer = answered.answer;
  const int status = answer ? answer->status() : 0;
  if (status == 429 || status == 449) {
    ++throttles_;
    const std::chrono::milliseconds wait(answer->retry_after_ms());
    TRY(wait_with(answered.part, std::clamp<std::chrono::milliseconds>(wait, kPauseMin, options_.patience),
                  "the server throttles"));
    return client::FeedPage();
  }
  if (status == 410) {
    needs_refresh_ = true;
    TRY(wait_with(answered.part, kPauseMin, "partitions are being moved"));
    return client::FeedPage();
  }
  if (status == 0 || status == 408 || status >= 500) {
    TRY(wait_with(answered.part, kPauseAfterTrouble,
                  answer ? client::failure_of(*answer).message : std::string(answer.error().message)));
    return client::FeedPage();
  }
  if (!answer->is_success()) return std::unexpected<Error>(client::failure_of(*answer));
  TRY_ASSIGN(client::FeedPage page, client::FeedPage::parse_documents(*answer));
  units_ += answer->charge();
  helped_ = Clock::now();
  part.continuation = answer->continuation();
  part.is_done = part.continuation.empty();
  return page;
}

Status ContainerFeed::wait_with(PartNumber number, std::chrono::milliseconds wait, const std::string& reason) {
  const Clock::time_point now = Clock::now();
  if (const auto part = parts_.find(number); part != parts_.end()) part->second.ready = now + wait;
  if (now - helped_ < options_.patience) return {};
  return fail(ErrorCode::kUnavailable,
              fmt::format("no page could be read for {} seconds (--patience): {}", options_.patience.count(), reason));
}

}  // namespace partita::tools::transfer
