#pragma once

#include "base/clock.h"
#include "cluster/reshape/reshaper.h"
#include "partition/transfer.h"

#include <memory>
#include <vector>

namespace partita {

// Relocation: one reshape on its way: watches its parents, copies them, catches up, fences. Parents may be in other stores than
// the children. Not thread-safe.
class Relocation {
 public:
  // The container must have the parents. Parents are watched until this is destroyed.
  static Result<std::unique_ptr<Relocation>> begin(Store& destination, const Clock& clock, const Reshape& reshape,
                                                   const Container& container, const std::atomic<bool>& is_cancelled);
  ~Relocation();

  Status copy();
  // Brings over what has changed since the last time. How many documents of the parents have changed meanwhile again.
  Result<size_t> catch_up();
  // Keeps writers out, brings over the rest, and opens the children. Writers wait until release().
  Result<std::vector<std::shared_ptr<Partition>>> fence();
  void release();

  const ReshapeReport& report() const { return report_; }
  std::vector<std::shared_ptr<Partition>> parents() const;

 private:
  struct Source {
    std::shared_ptr<Partition> partition;
    Partition::Index index;
    std::shared_ptr<ChangeWatch> watch;
    Lsn watched_from;
  };

  using Snapshots = std::vector<std::shared_ptr<const Snapshot>>;  // one of each source's store

  Relocation(Store& destination, const Clock& clock, bool verifies)
      : destination_(destination), clock_(clock), verifies_(verifies) {}
  Snapshots snapshots_now() const;
  // Snapshots that have everything the sources were given up to these LSNs.
  Result<Snapshots> snapshots_with(const std::vector<Lsn>& lsns) const;
  Status bring_changes(const Snapshots& at);
  // Compares what the sources have with what the targets have.
  Status verify(const Snapshots& at);

  Store& destination_;
  const Clock& clock_;
  const bool verifies_;
  Transfer::Convert convert_;  // of documents whose new key is computed
  std::vector<Source> sources_;
  std::vector<Transfer::Target> targets_;
  std::unique_ptr<Transfer> transfer_;
  std::vector<Partition::Pause> pauses_;
  int64_t started_us_ = 0;
  int64_t paused_us_ = 0;
  ReshapeReport report_;
};

}  // namespace partita
