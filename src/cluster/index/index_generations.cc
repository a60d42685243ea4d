#include "cluster/index/index_generations.h"

#include <algorithm>

namespace partita {

void IndexGenerations::when_growing(std::function<void()> listener) {
  const auto changes = changes_.hold();
  listener_ = std::move(listener);
}

void IndexGenerations::tell_listener() const {
  if (listener_) listener_();
}

Status IndexGenerations::begin(const Container& container, IndexChange& change, DroppedRows& dropped) {
  TRY_ASSIGN(const std::vector<Partition::Index> news, name_new(container));
  for (size_t i = 0; i < news.size(); ++i) change.grow(container.places[i].partition->local(), news[i], dropped);
  return {};
}

// Numbers of a new generation of every partition's index. In the log before any entry of the generations, so that they are never
// given out again: a crash before the definition that names them is stored leaves orphans, which the next start sweeps away.
Result<std::vector<Partition::Index>> IndexGenerations::name_new(const Container& container) {
  std::vector<Partition::Index> news;
  WriteBatch counter(changes_.store());
  for (size_t i = 0; i < container.places.size(); ++i) {
    TRY_ASSIGN(const uint32_t index, changes_.next_number(kIndexCounter, counter));
    news.push_back({IndexId{index}, container.definition.indexing});
  }
  TRY(changes_.store().apply(counter));
  return news;
}

Status IndexGenerations::finish(const Container& container, PartitionId partition, IndexId growing) {
  IndexChange change;
  TRY_ASSIGN(const auto changes, changes_.begin());
  const std::shared_ptr<const Container> found = map_.find(container.database->number, container.number);
  // Whoever publishes another map now needs no other index; if that fails, this is asked for again.
  if (!found || reshapes_.is_fenced(*found)) return {};
  const Container& now = *found;
  const auto place =
      std::ranges::find_if(now.places, [&](const PartitionPlace& each) { return each.partition->id() == partition; });
  if (place == now.places.end()) return {};
  const std::optional<Partition::Growth> growth = place->partition->local().growth();
  if (!growth || growth->index.id != growing) return {};
  WriteBatch batch(changes_.store());
  DroppedRows dropped;
  change.finish(place->partition->local(), dropped);
  batch.put(Family::kCatalog, container_key(now.database->number, now.number), encode_container(now));
  Status outcome = changes_.commit(batch, [] {}, [&] { change.keep(); }, std::move(dropped));
  change.undo_unless_kept();
  return outcome;
}

}  // namespace partita
