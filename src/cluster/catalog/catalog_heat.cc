#include "cluster/catalog/catalog.h"

#include "engine/rows.h"
#include "partition/heat/heat_history.h"

// How the catalog keeps what is known of the use of partitions.
namespace partita {

Status Catalog::load_heat(Partition& partition) const {
  std::string record;
  TRY_ASSIGN(const bool is_known, store_.get(Family::kCatalog, heat_key(partition.id()), record));
  if (!is_known) return {};
  TRY_ASSIGN(const HeatHistory history, decode_heat(record));
  partition.meter().restore(history);
  return {};
}

Status Catalog::keep_heat() {
  TRY_ASSIGN(const auto changes, begin_change());
  std::map<PartitionId, HeatTally> kept;
  WriteBatch batch(store_);
  for (const auto& [number, entry] : databases_) {
    for (const auto& [container_number, container] : entry.containers) {
      for (const PartitionPlace& place : container->places) {
        const PartitionId id = place.partition->id();
        const Meter& meter = place.partition->local().meter();
        const HeatTally total = kept[id] = meter.total();
        if (const auto before = heat_kept_.find(id); total == (before == heat_kept_.end() ? HeatTally{} : before->second))
          continue;
        batch.put(Family::kCatalog, heat_key(id), encode_heat(meter.history()));
      }
    }
  }
  TRY(store_.apply(batch));
  heat_kept_ = std::move(kept);
  return {};
}

}  // namespace partita
