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
  keeping_.notify_one();
  if (keeper_.joinable()) keeper_.join();
}

std::unique_ptr<HostProcess> HostPool::pick(std::string_view tenant, bool takes_others, std::vector<Idle>& dead) {
  while (!idle_.empty()) {
    auto own = std::ranges::find(idle_.rbegin(), idle_.rend(), tenant, &Idle::tenant);
    if (own == idle_.rend()) own = std::ranges::find(idle_.rbegin(), idle_.rend(), std::string_view(), &Idle::tenant);
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
      if (hosts_ < hosts_max_ && !starts_ahead_) break;
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
  if (!keeper_.joinable()) keeper_ = std::thread([this] { keep_hosts(); });
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
    if (needs_one_ahead()) call_keeper();
  }
  freed_.notify_all();
}

void HostPool::expect_scripts() {
  std::lock_guard lock(mutex_);
  if (expects_scripts_ || has_stopped_) return;
  expects_scripts_ = true;
  if (!keeper_.joinable()) keeper_ = std::thread([this] { keep_hosts(); });
  call_keeper();
}

void HostPool::call_keeper() {
  is_called_ = true;
  keeping_.notify_one();
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
    std::vector<Idle> kept;
    for (Idle& idle : idle_) {
      const bool is_ahead = expects_scripts_ && idle.tenant.empty();
      (is_ahead || idle.since > since ? kept : ended).push_back(std::move(idle));
    }
    idle_.swap(kept);
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
void HostPool::keep_hosts() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    is_called_ = false;
    if (needs_one_ahead()) start_ahead(lock);
    keeping_.wait_for(lock, idle_time_, [this] { return is_called_ || is_ending_; });
    lock.unlock();
    end_idle(SteadyClock::now() - idle_time_);
    lock.lock();
  }
}

// Whether it can be started is for the script to tell that finds none.
void HostPool::start_ahead(std::unique_lock<std::mutex>& lock) {
  ++hosts_;
  starts_ahead_ = true;
  lock.unlock();
  Result<std::unique_ptr<HostProcess>> host = HostProcess::start(program_);
  lock.lock();
  starts_ahead_ = false;
  if (host && !has_stopped_) {
    idle_.insert(idle_.begin(), {*std::move(host), std::string(), SteadyClock::now()});
  } else {
    --hosts_;
  }
  freed_.notify_all();
}

}  // namespace partita::script
