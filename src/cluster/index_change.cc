#include "cluster/index_change.h"

#include "document/order.h"

namespace partita {

void IndexChange::undo_unless_kept() {
  if (is_kept_ || is_undone_) return;
  is_undone_ = true;
  for (Line& line : lines_) line.partition->set_index(line.index, line.growth);
}

void IndexChange::grow(const std::shared_ptr<Partition>& partition, const Partition::Index& next, WriteBatch& batch) {
  const Line& line = begin(partition);
  if (line.growth) Slice::erase_index(batch, line.growth->index.id);
  const bool is_there = line.index.policy->is_same(*next.policy);
  partition->set_index(line.index, is_there ? std::nullopt : std::optional(partition->growth_of(next)));
}

void IndexChange::finish(const std::shared_ptr<Partition>& partition, WriteBatch& batch) {
  const Line& line = begin(partition);
  Slice::erase_index(batch, line.index.id);
  batch.erase(Family::kCatalog, index_progress_key(line.growth->index.id));
  partition->set_index(line.growth->index);
}

const IndexChange::Line& IndexChange::begin(const std::shared_ptr<Partition>& partition) {
  Partition::Pause pause = partition->pause_writers();
  lines_.push_back({partition, std::move(pause), partition->index(), partition->growth()});
  return lines_.back();
}

}  // namespace partita
