#include "cluster/background_failures.h"

#include <algorithm>
#include <bit>

namespace partita {
namespace {

constexpr int64_t kMinuteMs = 60'000;

int64_t pause_ms(uint64_t tries) {
  constexpr uint64_t kDoublingsMax = 30;  // no shift overflows
  return std::min(kLastRetryMs, kFirstRetryMs << std::min(tries - 1, kDoublingsMax));
}

}  // namespace

void BackgroundFailures::set_listener(Listener listener) {
  std::lock_guard telling(telling_);
  listener_ = std::move(listener);
}

Status BackgroundFailures::attempt(std::string_view kind, std::string_view subject, const std::function<Status()>& work) {
  {
    std::lock_guard lock(mutex_);
    const auto failed = failures_.find(Key(kind, subject));
    if (failed != failures_.end() && clock_.unix_ms() < failed->second.next_ms) {
      return fail(ErrorCode::kUnavailable, failed->second.message);
    }
  }
  Status outcome = work();
  note(kind, subject, outcome);
  return outcome;
}

bool BackgroundFailures::is_due(std::string_view kind, std::string_view subject) const {
  std::lock_guard lock(mutex_);
  const auto failed = failures_.find(Key(kind, subject));
  return failed == failures_.end() || clock_.unix_ms() >= failed->second.next_ms;
}

void BackgroundFailures::note(std::string_view kind, std::string_view subject, const Status& outcome) {
  std::optional<BackgroundFailure> news;
  {
    std::lock_guard lock(mutex_);
    news = outcome ? note_success(kind, subject) : note_failure(kind, subject, outcome.error());
  }
  if (!news) return;
  std::lock_guard telling(telling_);
  if (listener_) listener_(*news);
}

std::optional<BackgroundFailure> BackgroundFailures::note_failure(std::string_view kind, std::string_view subject,
                                                                  const Error& error) {
  const int64_t now_ms = clock_.unix_ms();
  Key key(kind, subject);
  if (!failures_.contains(key)) make_room(now_ms);
  BackgroundFailure& failure = failures_[std::move(key)];
  if (failure.tries == 0) {
    failure.kind = kind;
    failure.subject = subject;
    failure.since_ms = now_ms;
  }
  ++failure.tries;
  failure.message = error.message;
  failure.last_ms = now_ms;
  failure.next_ms = now_ms + pause_ms(failure.tries);
  if (!std::has_single_bit(failure.tries) || !may_tell(now_ms)) return std::nullopt;
  return failure;
}

std::optional<BackgroundFailure> BackgroundFailures::note_success(std::string_view kind, std::string_view subject) {
  if (failures_.empty()) return std::nullopt;
  const auto failed = failures_.find(Key(kind, subject));
  if (failed == failures_.end()) return std::nullopt;
  BackgroundFailure over = std::move(failed->second);
  failures_.erase(failed);
  over.is_over = true;
  if (!may_tell(clock_.unix_ms())) return std::nullopt;
  return over;
}

void BackgroundFailures::make_room(int64_t now_ms) {
  std::erase_if(failures_, [&](const auto& failed) { return now_ms - failed.second.last_ms > kFailureForgottenMs; });
  if (failures_.size() < kBackgroundFailuresMax) return;
  failures_.erase(std::ranges::min_element(failures_, {}, [](const auto& failed) { return failed.second.last_ms; }));
}

bool BackgroundFailures::may_tell(int64_t now_ms) {
  if (now_ms / kMinuteMs != minute_) {
    minute_ = now_ms / kMinuteMs;
    told_ = 0;
  }
  return told_++ < kFailuresToldPerMinute;
}

std::vector<BackgroundFailure> BackgroundFailures::all() const {
  std::lock_guard lock(mutex_);
  const int64_t now_ms = clock_.unix_ms();
  std::vector<BackgroundFailure> known;
  for (const auto& [key, failure] : failures_) {
    if (now_ms - failure.last_ms <= kFailureForgottenMs) known.push_back(failure);
  }
  return known;
}

size_t BackgroundFailures::size() const {
  std::lock_guard lock(mutex_);
  return failures_.size();
}

}  // namespace partita
