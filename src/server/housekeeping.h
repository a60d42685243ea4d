#pragma once

#include "base/event.h"
#include "cluster/catalog/catalog.h"
#include "cluster/logical_limits.h"
#include "gateway/items/reclaimer.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace partita::server {

// Housekeeping: a thread that removes expired documents and old versions, in small rounds, finishes deletions of logical
// partitions that were broken off, watches the sizes of logical partitions, raises the maximum of autoscale where more is stored
// than it allows for, and writes down every minute and at its end how much partitions were used, for as long as it lives. It also
// reports what of the catalog's background work fails, whoever does that.
class Housekeeping {
 public:
  Housekeeping(Catalog& catalog, const Clock& clock, EventSink& events, uint64_t logical_partition_bytes_max);
  ~Housekeeping();

 private:
  void run(const std::stop_token& stop);
  void raise_autoscale();
  void keep_heat();

  Catalog& catalog_;
  const Clock& clock_;
  int64_t minute_us_;  // when what is done every minute was done last
  Reclaimer reclaimer_;
  LogicalLimits logical_limits_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last, so that it ends first
};

}  // namespace partita::server
