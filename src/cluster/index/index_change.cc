#include "cluster/index/index_change.h"

#include "document/order.h"

namespace partita {

void IndexChange::undo_unless_kept() {
  if (is_kept_ || is_undone_) return;
  is_undone_ = true;
  for (Line& line : lines_) line.partition->set_index(line.index, line.growth);
}

void IndexChange::grow(Partition& partition, const Partition::Index& next, DroppedRows& dropped) {
  const Line& line = begin(partition);
  if (line.growth) dropped.add_index(partition.slice().store(), line.growth->index.id);
  const bool is_there = line.index.policy->is_same(*next.policy);
  partition.set_index(line.index, is_there ? std::nullopt : std::optional(partition.growth_of(next)));
}

void IndexChange::finish(Partition& partition, DroppedRows& dropped) {
  const Line& line = begin(partition);
  dropped.add_index(partition.slice().store(), line.index.id);
  dropped.add_progress(partition.slice().store(), line.growth->index.id);
  partition.set_index(line.growth->index);
}

const IndexChange::Line& IndexChange::begin(Partition& partition) {
  Partition::Pause pause = partition.pause_writers();
  lines_.push_back({partition.shared_from_this(), std::move(pause), partition.index(), partition.growth()});
  return lines_.back();
}

}  // namespace partita
