#include "cluster/catalog/catalog.h"

#include "cluster/catalog/catalog_parts.h"
#include "cluster/index/index_change.h"

#include <algorithm>

// How the catalog lets the indexes of new policies grow.
namespace partita {

// With the index that was being built, if any, as far as it had come.
Result<std::shared_ptr<Partition>> Catalog::open_partition(PlaceRecord& place, const ContainerDefinition& definition) {
  const Partition::Index index{place.index, place.growing ? place.former_policy : definition.indexing};
  TRY_ASSIGN(auto partition, Partition::open(store_, clock_, place.partition, std::move(place.range), index, definition.rules));
  TRY(load_heat(*partition));
  if (!place.growing) return partition;
  std::string filled_to;
  TRY_ASSIGN(const bool has_begun, store_.get(Family::kCatalog, index_progress_key(*place.growing), filled_to));
  if (has_begun && filled_to.size() != sizeof(uint64_t)) {
    return fail(ErrorCode::kCorruption, "how far an index was built cannot be decoded");
  }
  const Partition::Pause pause = partition->pause_writers();
  partition->set_index(index, partition->growth_of({*place.growing, definition.indexing},
                                                   has_begun ? trailing_number(filled_to) : DocumentNumber{}));
  return partition;
}

void Catalog::when_indexes_grow(std::function<void()> listener) {
  std::lock_guard changes(changes_);
  indexes_grow_ = std::move(listener);
}

// Numbers of a new generation of every partition's index. In the log before any entry of the generations, so that they are never
// given out again: a crash before the definition that names them is stored leaves orphans, which the next start sweeps away.
Result<std::vector<Partition::Index>> Catalog::name_new_indexes(const Container& container) {
  std::vector<Partition::Index> news;
  WriteBatch counter(store_);
  for (size_t i = 0; i < container.places.size(); ++i) {
    TRY_ASSIGN(const uint32_t index, next_number(kIndexCounter, counter));
    news.push_back({IndexId{index}, container.definition.indexing});
  }
  TRY(store_.apply(counter));
  return news;
}

Status Catalog::finish_index(const Container& container, PartitionId partition, IndexId growing) {
  IndexChange change;
  TRY_ASSIGN(const auto changes, begin_change());
  // Whoever publishes another map now needs no other index; if that fails, this is asked for again.
  if (fenced_.contains({container.database->number, container.number})) return {};
  const auto entry = databases_.find(container.database->number);
  if (entry == databases_.end()) return {};
  const auto found = entry->second.containers.find(container.number);
  if (found == entry->second.containers.end()) return {};
  const Container& now = *found->second;
  const auto place =
      std::ranges::find_if(now.places, [&](const PartitionPlace& each) { return each.partition->id() == partition; });
  if (place == now.places.end()) return {};
  const std::optional<Partition::Growth> growth = place->partition->local().growth();
  if (!growth || growth->index.id != growing) return {};
  WriteBatch batch(store_);
  DroppedRows dropped;
  change.finish(place->partition->local(), dropped);
  batch.put(Family::kCatalog, container_key(now.database->number, now.number), encode_container(now));
  Status outcome = commit(batch, [] {}, [&] { change.keep(); }, std::move(dropped));
  change.undo_unless_kept();
  return outcome;
}

}  // namespace partita
