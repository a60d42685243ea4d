#pragma once

#include "base/clock.h"
#include "base/fair_scheduler.h"
#include "cluster/catalog/catalog.h"

#include <atomic>
#include <cstdint>

namespace partita::cosmos {

// AccountUsage: how much the account has stored, as of a moment ago. Thread-safe.
//
// Clients read the account to find out whether it is there, so nobody goes through all containers for it: a worker adds them up
// when somebody asks and the last sum is older than a second.
class AccountUsage {
 public:
  // All of it outlives the workers' jobs.
  AccountUsage(const Catalog& catalog, const Clock& clock, FairScheduler& workers)
      : catalog_(catalog), clock_(clock), workers_(workers) {}

  uint64_t stored_bytes();

 private:
  void add_up();

  const Catalog& catalog_;
  const Clock& clock_;
  FairScheduler& workers_;
  std::atomic<uint64_t> bytes_ = 0;
  std::atomic<int64_t> next_us_ = 0;  // when it is worth another look
};

}  // namespace partita::cosmos
