#include "cluster/catalog/kept_heat.h"

#include "engine/rows.h"
#include "partition/heat/heat_history.h"

namespace partita {

Status KeptHeat::restore(Partition& partition) const {
  std::string record;
  TRY_ASSIGN(const bool is_known, changes_.store().get(Family::kCatalog, heat_key(partition.id()), record));
  if (!is_known) return {};
  TRY_ASSIGN(const HeatHistory history, decode_heat(record));
  partition.meter().restore(history);
  return {};
}

Status KeptHeat::keep() {
  TRY_ASSIGN(const auto changes, changes_.begin());
  std::map<PartitionId, HeatTally> kept;
  WriteBatch batch(changes_.store());
  map_.for_each_container([&](const std::shared_ptr<const Container>& container) {
    for (const PartitionPlace& place : container->places) {
      const PartitionId id = place.partition->id();
      const Meter& meter = place.partition->local().meter();
      const HeatTally total = kept[id] = meter.total();
      const auto before = totals_.find(id);
      if (total == (before == totals_.end() ? HeatTally{} : before->second)) continue;
      batch.put(Family::kCatalog, heat_key(id), encode_heat(meter.history()));
    }
  });
  TRY(changes_.store().apply(batch));
  totals_ = std::move(kept);
  return {};
}

}  // namespace partita
