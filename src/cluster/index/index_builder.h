#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace partita {

// IndexBuilder: builds the indexes that new indexing policies asked for, partition by partition, while writers and queries go on.
//
// How far it has come is in the store, so it goes on there after a crash. Queries read the former index until the new one has all
// documents. Thread-safe.
class IndexBuilder {
 public:
  explicit IndexBuilder(Catalog& catalog) : catalog_(catalog) {}
  ~IndexBuilder() { stop(); }
  IndexBuilder(const IndexBuilder&) = delete;
  IndexBuilder& operator=(const IndexBuilder&) = delete;

  // Adds some documents to every index that grows, and lets those that have all of them be read. How many there were. One that
  // fails does not keep the others from growing; it is left alone for a while.
  Result<size_t> run_round();
  // Until no index grows.
  Status finish();

  // Works in the background.
  void start();
  void stop();

 private:
  struct Round {
    size_t growing = 0;  // indexes
    size_t filled = 0;   // of them, those that went on
    Status outcome;      // the first failure
  };
  Round look_at_all();
  Status build(const Container& container, const PartitionPlace& place, IndexId growing);
  void run(const std::stop_token& stop);

  Catalog& catalog_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool has_work_ = true;  // guarded by mutex_: since the last round began, indexes may have begun to grow
  std::jthread thread_;
};

}  // namespace partita
