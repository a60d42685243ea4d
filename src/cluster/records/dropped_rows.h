#pragma once

#include "base/result.h"
#include "engine/slice.h"

#include <utility>
#include <vector>

namespace partita {

// DroppedRows: rows of partitions that no record of the catalog names any more. Not thread-safe.
//
// They are dropped behind the change of the catalog that made them nobody's, in batches of their partitions' stores: a crash
// between the two leaves orphans, which the next start sweeps away, and never a record without its rows.
class DroppedRows {
 public:
  // Everything of a partition, and the index that is read.
  void add(const Slice& slice) { slices_.push_back(slice); }
  // A generation of an index, and how far it was built.
  void add_index(Store& store, IndexId index) { indexes_.emplace_back(&store, index); }
  // Only how far it was built: it is whole.
  void add_progress(Store& store, IndexId index) { progress_.emplace_back(&store, index); }
  void add(const DroppedRows& others);
  bool is_empty() const { return slices_.empty() && indexes_.empty() && progress_.empty(); }

  // What fails is kept for the next time.
  Status drop();

 private:
  std::vector<Slice> slices_;
  std::vector<std::pair<Store*, IndexId>> indexes_;
  std::vector<std::pair<Store*, IndexId>> progress_;
};

}  // namespace partita
