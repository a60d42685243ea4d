#include "tools/bench/run/turns.h"

#include <algorithm>

namespace partita::tools::bench {

Turns::Turns(const Terms& terms, int64_t start_ns) : terms_(terms) {
  if (terms.rate > 0) arrivals_.emplace(terms.rate, terms.spacing, start_ns, terms.seed);
}

bool Turns::is_over(int64_t now_ns) const {
  if (is_stopped_ || begun_ >= terms_.operations_max) return true;
  return arrivals_ ? arrivals_->next_ns() >= terms_.end_ns : now_ns >= terms_.end_ns;
}

std::optional<int64_t> Turns::take(int64_t now_ns) {
  if (is_over(now_ns) || now_ns >= terms_.end_ns) return std::nullopt;
  int64_t due_ns = now_ns;
  if (arrivals_) {
    due_ns = arrivals_->next_ns();
    if (due_ns > now_ns) return std::nullopt;
    arrivals_->advance();
  }
  ++begun_;
  return due_ns;
}

std::optional<int64_t> Turns::next(size_t connection, int64_t now_ns) {
  const std::optional<int64_t> due_ns = take(now_ns);
  if (!due_ns) idle_.push_back(connection);
  return due_ns;
}

void Turns::rest(size_t connection, int64_t until_ns) { resting_.emplace(until_ns, connection); }

std::optional<Turns::Turn> Turns::due(int64_t now_ns) {
  while (!resting_.empty() && resting_.begin()->first <= now_ns) {
    idle_.push_back(resting_.begin()->second);
    resting_.erase(resting_.begin());
  }
  if (idle_.empty()) return std::nullopt;
  const std::optional<int64_t> due_ns = take(now_ns);
  if (!due_ns) return std::nullopt;
  const size_t connection = idle_.back();
  idle_.pop_back();
  return Turn{connection, *due_ns};
}

std::optional<int64_t> Turns::wake_at() const {
  if (is_stopped_ || begun_ >= terms_.operations_max) return std::nullopt;
  std::optional<int64_t> wake;
  if (!resting_.empty()) wake = resting_.begin()->first;
  if (arrivals_ && !idle_.empty()) wake = std::min(wake.value_or(arrivals_->next_ns()), arrivals_->next_ns());
  return wake && *wake < terms_.end_ns ? wake : std::nullopt;
}

uint64_t Turns::missed(int64_t now_ns) {
  constexpr uint64_t kCountedMax = 100'000'000;
  if (!arrivals_) return 0;
  uint64_t count = 0;
  for (; arrivals_->next_ns() < std::min(now_ns, terms_.end_ns) && begun_ + count < terms_.operations_max && count < kCountedMax;
       ++count) {
    arrivals_->advance();
  }
  return count;
}

}  // namespace partita::tools::bench
