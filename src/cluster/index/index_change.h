#pragma once

#include "cluster/records/dropped_rows.h"
#include "partition/partition.h"

#include <memory>
#include <optional>
#include <vector>

namespace partita {

// IndexChange: which indexes partitions read and build, changed while their writers are paused, until the end of its life. Undone
// unless it was kept: until its batch was applied, no writer may rely on it, for after a crash it would not have been.
// Not thread-safe.
class IndexChange {
 public:
  IndexChange() = default;
  IndexChange(const IndexChange&) = delete;
  IndexChange& operator=(const IndexChange&) = delete;
  ~IndexChange() { undo_unless_kept(); }

  // Drops what was being built, and builds `next` instead, unless the index that is read is one of the same policy.
  void grow(Partition& partition, const Partition::Index& next, DroppedRows& dropped);
  // What was built is read. REQUIRES: something was.
  void finish(Partition& partition, DroppedRows& dropped);
  void keep() { is_kept_ = true; }
  // When it was decided whether it is kept. Writers still wait: they go on where no lock is held that they might want.
  void undo_unless_kept();
  bool is_kept() const { return is_kept_; }

 private:
  struct Line {
    std::shared_ptr<Partition> partition;
    Partition::Pause pause;
    Partition::Index index;  // as it was before
    std::optional<Partition::Growth> growth;
  };

  const Line& begin(Partition& partition);

  std::vector<Line> lines_;
  bool is_kept_ = false;
  bool is_undone_ = false;
};

}  // namespace partita
