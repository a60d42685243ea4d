#include "script/host_pool.h"

#include <algorithm>

namespace partita::script {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Of the container with this self link.
std::string database_of(std::string_view tenant) { return std::string(tenant.substr(0, tenant.find("/colls/"))); }

std::unexpected<Error> stopping() { return fail(ErrorCode::kUnavailable, "The server is stopping."); }

}  // namespace

HostLease::~HostLease() {
  if (host_) pool_->give_back(std::move(host_), std::move(tenant_));
}

HostPool::HostPool(std::string program, size_t hosts_max, size_t idle_max, std::chrono::milliseconds idle_time)
    : program_(std::move(program)), hosts_max_(std::max<size_t>(hosts_max, 1)), idle_max_(idle_max), idle_time_(idle_time) {}

HostPool::~HostPool() {
  {
    std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_one();
  if (ends_idle_.joinable()) ends_idle_.join();
}

std::unique_ptr<HostProcess> HostPool::pick(std::string_view tenant, bool takes_others, std::vector<Idle>& dead) {
  while (!idle_.empty()) {
    const auto own = std::ranges::find(idle_.rbegin(), idle_.rend(), tenant, &Idle::tenant);
    if (own == idle_.rend() && !takes_others) return nullptr;
    const auto chosen = own == idle_.rend() ? idle_.begin() : std::prev(own.base());
    Idle taken = std::move(*chosen);
    idle_.erase(chosen);
    if (taken.host->is_ready()) {
      leased_.insert(taken.host.get());
      return std::move(taken.host);
    }
    dead.push_back(std::move(taken));
    --hosts_;
  }
  return nullptr;
}

bool HostPool::may_take(std::string_view tenant) const {
  const auto own = taken_.find(database_of(tenant));
  return (own == taken_.end() ? 0 : own->second) < hosts_max_ - all_taken_;
}

void HostPool::note_taken(std::string_view tenant) {
  ++taken_[database_of(tenant)];
  ++all_taken_;
}

void HostPool::note_given_back(std::string_view tenant) {
  const auto own = taken_.find(database_of(tenant));
  if (--own->second == 0) taken_.erase(own);
  --all_taken_;
}

Result<HostLease> HostPool::take(std::string_view tenant, const HostWatch& watch) {
  std::vector<Idle> dead;  // buried when nobody waits for the lock
  const TimePoint deadline = SteadyClock::now() + kWaitMax;
  std::unique_lock lock(mutex_);
  while (true) {
    if (has_stopped_) return stopping();
    if (may_take(tenant)) {
      const bool takes_others = hosts_ >= std::min(idle_max_, hosts_max_);
      std::unique_ptr<HostProcess> host = pick(tenant, takes_others, dead);
      if (host) {
        note_taken(tenant);
        return HostLease(*this, std::move(host), std::string(tenant));
      }
      if (hosts_ < hosts_max_) break;
    }
    if (SteadyClock::now() >= deadline) {
      return fail(ErrorCode::kUnavailable, "All script hosts are taken; try again in a moment.");
    }
    freed_.wait_for(lock, HostProcess::kWatchInterval);
    if (watch) TRY(watch());
  }
  ++hosts_;
  note_taken(tenant);
  lock.unlock();
  return start(tenant);
}

Result<HostLease> HostPool::start(std::string_view tenant) {
  Result<std::unique_ptr<HostProcess>> host = HostProcess::start(program_);
  std::lock_guard lock(mutex_);
  if (!host || has_stopped_) {
    --hosts_;
    note_given_back(tenant);
    freed_.notify_all();
    if (!host) return std::unexpected(std::move(host).error());
    return stopping();
  }
  leased_.insert(host->get());
  if (!ends_idle_.joinable()) ends_idle_ = std::thread([this] { end_idle_hosts_in_time(); });
  return HostLease(*this, *std::move(host), std::string(tenant));
}

void HostPool::give_back(std::unique_ptr<HostProcess> host, std::string tenant) {
  std::unique_ptr<HostProcess> unneeded;  // ended when nobody waits for the lock
  {
    std::lock_guard lock(mutex_);
    leased_.erase(host.get());
    note_given_back(tenant);
    if (host->is_alive() && !has_stopped_) {
      idle_.push_back({std::move(host), std::move(tenant), SteadyClock::now()});
      if (idle_.size() > idle_max_) {
        unneeded = std::move(idle_.front().host);
        idle_.erase(idle_.begin());
        --hosts_;
      }
    } else {
      unneeded = std::move(host);
      --hosts_;
    }
  }
  freed_.notify_all();
}

void HostPool::stop() {
  std::vector<Idle> ended;
  {
    std::lock_guard lock(mutex_);
    has_stopped_ = true;
    for (HostProcess* host : leased_) host->cancel();
    ended.swap(idle_);
    hosts_ -= ended.size();
  }
  freed_.notify_all();
}

bool HostPool::has_stopped() const {
  std::lock_guard lock(mutex_);
  return has_stopped_;
}

void HostPool::end_idle(TimePoint since) {
  std::vector<Idle> ended;
  {
    std::lock_guard lock(mutex_);
    const auto kept = std::ranges::find_if(idle_, [&](const Idle& idle) { return idle.since > since; });
    ended.assign(std::make_move_iterator(idle_.begin()), std::make_move_iterator(kept));
    idle_.erase(idle_.begin(), kept);
  }
  const size_t count = ended.size();
  ended.clear();
  std::lock_guard lock(mutex_);
  hosts_ -= count;
  if (count > 0) freed_.notify_all();
}

size_t HostPool::hosts() const {
  std::lock_guard lock(mutex_);
  return hosts_;
}

std::vector<pid_t> HostPool::processes() const {
  std::lock_guard lock(mutex_);
  std::vector<pid_t> all;
  for (const Idle& idle : idle_) all.push_back(idle.host->process());
  for (const HostProcess* host : leased_) all.push_back(host->process());
  return all;
}

// Not woken by every script: hosts live up to twice as long as they must.
void HostPool::end_idle_hosts_in_time() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    ending_.wait_for(lock, idle_time_);
    lock.unlock();
    end_idle(SteadyClock::now() - idle_time_);
    lock.lock();
  }
}

}  // namespace partita::script
