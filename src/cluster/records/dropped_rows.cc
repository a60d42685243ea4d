#include "cluster/records/dropped_rows.h"

namespace partita {

void DroppedRows::add(const DroppedRows& others) {
  slices_.insert(slices_.end(), others.slices_.begin(), others.slices_.end());
  indexes_.insert(indexes_.end(), others.indexes_.begin(), others.indexes_.end());
  progress_.insert(progress_.end(), others.progress_.begin(), others.progress_.end());
}

Status DroppedRows::drop() {
  while (!slices_.empty()) {
    WriteBatch batch(slices_.back().store());
    slices_.back().erase_all(batch);
    TRY(slices_.back().store().apply(batch));
    slices_.pop_back();
  }
  while (!indexes_.empty()) {
    const auto [store, index] = indexes_.back();
    WriteBatch batch(*store);
    Slice::erase_index(batch, index);
    TRY(store->apply(batch));
    indexes_.pop_back();
  }
  while (!progress_.empty()) {
    const auto [store, index] = progress_.back();
    WriteBatch batch(*store);
    batch.erase(Family::kCatalog, index_progress_key(index));
    TRY(store->apply(batch));
    progress_.pop_back();
  }
  return {};
}

}  // namespace partita
