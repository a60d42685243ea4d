#pragma once

#include "base/fair_scheduler.h"
#include "cluster/catalog/catalog.h"
#include "document/stored/stored_writer.h"
#include "observe/metrics.h"

#include <string>
#include <vector>

namespace partita::server {

struct StatisticsWanted {
  bool history = false;  // the tallies of the last seconds, minutes and hours, too
  bool sizes = false;    // documents and bytes of the hottest key values, too
};

// What every container and its physical partitions hold and are asked for, as an object for the admin API. Of key values only
// the hottest are named.
void write_statistics(StoredWriter& out, const Catalog& catalog, StatisticsWanted wanted);

// The same for Prometheus: one sample per partition. `catalog` must outlive the metrics.
void add_partition_gauges(observe::Metrics& metrics, const Catalog& catalog);

// What waits for workers and what runs there, also for the tenants that have the most. All of it must outlive the metrics.
struct NamedScheduler {
  std::string name;
  const FairScheduler* scheduler;
};
void add_scheduler_gauges(observe::Metrics& metrics, const std::vector<NamedScheduler>& schedulers, const Catalog& catalog);

}  // namespace partita::server
