#pragma once

#include "base/result.h"
#include "script/host_process.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace partita::script {

class HostPool;

// HostLease: a host that one script, or the functions of one query, have for themselves. Movable.
class HostLease {
 public:
  HostLease(HostLease&&) = default;
  HostLease& operator=(HostLease&&) = delete;
  ~HostLease();

  HostProcess& operator*() const { return *host_; }
  HostProcess* operator->() const { return host_.get(); }

 private:
  friend class HostPool;
  HostLease(HostPool& pool, std::unique_ptr<HostProcess> host, std::string tenant)
      : pool_(&pool), host_(std::move(host)), tenant_(std::move(tenant)) {}

  HostPool* pool_;
  std::unique_ptr<HostProcess> host_;  // null after a move
  std::string tenant_;
};

// HostPool: the script hosts of a server, started when they are needed and kept for a while; one of them ahead of its need, once
// somebody has said that scripts are to be expected. Thread-safe.
//
// Invariants: at most `hosts_max` processes live; a host is either idle or leased; a dead one is never leased. A tenant gets a
// host that it had before, or a new one while there are few; only then somebody else's, which has to forget everything first.
// The tenants of one database have at most as many hosts as they leave to others, but one.
class HostPool {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Unused hosts are ended after this time, and their memory returns to the system.
  static constexpr std::chrono::milliseconds kIdleTime{60'000};
  // Nobody waits longer for somebody else's host.
  static constexpr std::chrono::milliseconds kWaitMax{5'000};

  // Of the hosts that nobody uses, `idle_max` are kept.
  HostPool(std::string program, size_t hosts_max, size_t idle_max, std::chrono::milliseconds idle_time = kIdleTime);
  ~HostPool();

  // Errors: kUnavailable when no host can be started, all are taken for too long, or the pool has stopped; those of the watch.
  // `tenant`: the self link of a container.
  Result<HostLease> take(std::string_view tenant, const HostWatch& watch);

  // From now on there is a host for whoever comes: whenever there would be none, one is started that has not run anything.
  // Returns at once.
  void expect_scripts();

  // Ends all hosts at once, whatever they do; none is leased any more.
  void stop();
  bool has_stopped() const;
  // Ends the hosts that have been idle since that time or longer.
  void end_idle(TimePoint since);
  // Processes that live, idle ones and others.
  size_t hosts() const;
  std::vector<pid_t> processes() const;

 private:
  friend class HostLease;

  struct Idle {
    std::unique_ptr<HostProcess> host;
    std::string tenant;  // that had it last; its host remembers that too. Empty: nobody yet
    TimePoint since;
  };

  void give_back(std::unique_ptr<HostProcess> host, std::string tenant);
  // An idle host that the tenant had last, or nobody, or the longest idle of the others; null when there is none. Dead ones go to
  // `dead`. REQUIRES: mutex_ is held.
  std::unique_ptr<HostProcess> pick(std::string_view tenant, bool takes_others, std::vector<Idle>& dead);
  Result<HostLease> start(std::string_view tenant);
  // Whether others keep enough when the tenant's database gets one more. REQUIRES, here and below: mutex_ is held.
  bool may_take(std::string_view tenant) const;
  void note_taken(std::string_view tenant);
  void note_given_back(std::string_view tenant);
  // For the thread that keeps the hosts.
  void keep_hosts();
  void call_keeper();
  void start_ahead(std::unique_lock<std::mutex>& lock);
  bool needs_one_ahead() const { return expects_scripts_ && hosts_ == 0 && !has_stopped_; }

  const std::string program_;
  const size_t hosts_max_;
  const size_t idle_max_;
  const std::chrono::milliseconds idle_time_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;  // a host, or the room for one
  std::condition_variable keeping_;
  std::vector<Idle> idle_;  // guarded by mutex_, as all below; longest idle first
  std::set<HostProcess*> leased_;
  std::map<std::string, size_t> taken_;  // leased or being started, by database
  size_t all_taken_ = 0;                 // their sum
  size_t hosts_ = 0;                     // idle, leased, and being started
  bool expects_scripts_ = false;
  bool is_called_ = false;     // the keeper
  bool starts_ahead_ = false;  // a host that will be idle in a moment
  bool has_stopped_ = false;
  bool is_ending_ = false;
  std::thread keeper_;  // started with the first host
};

}  // namespace partita::script
