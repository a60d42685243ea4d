#include "net/memory_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace partita::net {

MemoryQueue::Outcome MemoryQueue::take(Waiter& waiter) {
  std::lock_guard lock(mutex_);
  const uint64_t tenant = waiter.loan.tenant();
  const auto line = lines_.find(tenant);
  const bool is_first = line == lines_.end();
  if (is_first && waiter.loan.grow_to(waiter.bytes)) return Outcome::kGranted;
  const bool is_line_full = !is_first && line->second.size() >= limits_.waiters_per_tenant_max;
  if (is_line_full || waiters_ >= limits_.waiters_max || waiter.bytes > memory_->largest_share()) return Outcome::kRefused;
  lines_[tenant].push_back(&waiter);
  ++waiters_;
  return Outcome::kWaiting;
}

bool MemoryQueue::give_up(const Waiter& waiter) {
  {
    std::lock_guard lock(mutex_);
    const auto line = lines_.find(waiter.loan.tenant());
    if (line == lines_.end() || std::erase(line->second, &waiter) == 0) return false;
    if (line->second.empty()) lines_.erase(line);
    --waiters_;
  }
  serve();  // who is next may want less
  return true;
}

void MemoryQueue::serve() {
  std::lock_guard lock(mutex_);
  if (waiters_ == 0) return;
  std::vector<std::pair<size_t, uint64_t>> tenants;
  for (const auto& [tenant, line] : lines_) tenants.emplace_back(memory_->held(tenant), tenant);
  std::ranges::sort(tenants);
  for (const auto& [held, tenant] : tenants) {
    Line& line = lines_.at(tenant);
    while (!line.empty() && line.front()->loan.grow_to(line.front()->bytes)) {
      // Once told, it may be gone.
      const std::function<void()> on_granted = std::move(line.front()->on_granted);
      line.pop_front();
      --waiters_;
      on_granted();
    }
    if (line.empty()) lines_.erase(tenant);
  }
}

}  // namespace partita::net
