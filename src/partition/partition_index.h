#pragma once

#include "base/result.h"
#include "engine/index/indexing_policy.h"
#include "engine/item/document_rules.h"
#include "engine/slice.h"
#include "partition/sequencer.h"
#include "storage/store.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace partita {

// PartitionIndex: which generation of its index a partition reads, which one grows beside it, and the rules of its documents: all
// that a transaction is run with.
//
// Thread-safe. Lock order: a writer's turn or a pause (WriterQueue), then mutex_; nobody is called under it but the store.
// Invariants:
// 1. Index and growth change only while writers are paused, so every write has the entries of those that it found; changes() has
//    then another value.
// 2. Documents up to Growth::filled_to have their entries in the growing index, and those behind Growth::until got them from
//    their writers.
class PartitionIndex {
 public:
  // A generation of the index and what it contains.
  struct Index {
    IndexId id;
    std::shared_ptr<const IndexingPolicy> policy;
  };
  // A generation that is built while writers go on: they keep it up to date, and nobody reads it.
  struct Growth {
    Index index;
    DocumentNumber filled_to = {};  // documents up to this one have their entries
    DocumentNumber until = {};      // those behind it got them from their writers
  };
  using Rules = std::shared_ptr<const DocumentRules>;
  // What a transaction is run with.
  struct State {
    Index index;
    std::optional<Index> growing;
    Rules rules;
    uint64_t changes = 0;
  };

  PartitionIndex(Store& store, Index index, Rules rules) : store_(store), index_(std::move(index)), rules_(std::move(rules)) {}

  // What a reader needs.
  struct Reading {
    IndexId index;
    TimeToLive time_to_live;
  };

  State state() const;
  Reading reading() const;
  Index index() const;
  // The same, if everything in it is in what the store has as durable.
  std::optional<Index> durable_index() const;
  std::optional<Growth> growth() const;
  // How often index and growth were set.
  uint64_t changes() const;
  // How much of the growth is done; 1 when no index is being built, and only then.
  double progress() const;

  void set_rules(Rules rules);
  // REQUIRES, here and below: writers are paused.
  void set(Index index, std::optional<Growth> growth);
  // Writes the entries of some further documents of the growing index, and how far it has come. True when no document is left, or
  // when that index does not grow (any more).
  Result<bool> fill(IndexId growing, const Slice& slice, Sequencer& sequencer);

 private:
  Store& store_;
  mutable std::mutex mutex_;
  Index index_;                   // guarded by mutex_
  CommitTicket index_since_ = 0;  // guarded by mutex_: its entries were complete with this batch
  std::optional<Growth> growth_;  // guarded by mutex_
  uint64_t changes_ = 0;          // guarded by mutex_
  Rules rules_;                   // guarded by mutex_
};

}  // namespace partita
