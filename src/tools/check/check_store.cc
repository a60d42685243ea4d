#include "tools/check/check_store.h"

#include "engine/check/consistency.h"

#include <fmt/format.h>

namespace partita::tools {

Result<CheckTotals> check_container(const Container& container, const std::function<void(std::string_view)>& print) {
  CheckTotals totals{.containers = 1};
  for (const PartitionPlace& place : container.places) {
    const Partition& partition = place.partition->local();
    TRY_ASSIGN(ConsistencyReport report,
               check_consistency(partition.slice(), container.definition.partition_key, partition.range(),
                                 *partition.index().policy, container.definition.rules->unique_keys));
    if (const std::optional<Partition::Growth> growth = partition.growth()) {
      TRY_ASSIGN(const ConsistencyReport growing,
                 check_growing_index(partition.slice(), growth->index.id, *growth->index.policy, growth->filled_to));
      report.faults += growing.faults;
      report.messages.insert(report.messages.end(), growing.messages.begin(), growing.messages.end());
    }
    ++totals.partitions;
    totals.documents += report.counted.documents;
    totals.index_entries += report.index_entries;
    totals.faults += report.faults;
    const std::string growing =
        partition.growth() ? fmt::format(" (a new index is being built: {:.0f} %)", partition.index_progress() * 100) : "";
    print(fmt::format("{}/{} partition {}: {} documents, {} index entries{}, {}", container.database->id, container.definition.id,
                      place.range_id, report.counted.documents, report.index_entries, growing,
                      report.faults == 0 ? "consistent" : fmt::format("{} FAULTS", report.faults)));
    for (const std::string& message : report.messages) print(fmt::format("  {}", message));
    if (report.faults > report.messages.size()) print(fmt::format("  ... and {} more", report.faults - report.messages.size()));
  }
  return totals;
}

Result<CheckTotals> check_store(const Store& store, const Catalog& catalog, const std::function<void(std::string_view)>& print) {
  CheckTotals totals;
  TRY(store.verify_checksums());
  for (const std::shared_ptr<const Container>& container : catalog.containers()) {
    TRY_ASSIGN(const CheckTotals found, check_container(*container, print));
    totals.containers += found.containers;
    totals.partitions += found.partitions;
    totals.documents += found.documents;
    totals.index_entries += found.index_entries;
    totals.faults += found.faults;
  }
  return totals;
}

}  // namespace partita::tools
