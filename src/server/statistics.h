#pragma once

#include "cluster/catalog.h"
#include "document/stored_writer.h"
#include "observe/metrics.h"

namespace partita::server {

// What every container and its physical partitions hold and are asked for, as an object for the admin door. Of key values only
// the hottest are named. With history: the tallies of the last minutes and hours too.
void write_statistics(StoredWriter& out, const Catalog& catalog, bool with_history);

// The same for Prometheus: one sample per partition. `catalog` must outlive the metrics.
void add_partition_gauges(observe::Metrics& metrics, const Catalog& catalog);

}  // namespace partita::server
