#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "engine/transaction.h"
#include "partition/partition.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace partita {

// Transfer: brings the documents of some partitions, and the versions that are kept of them, into others, which nobody uses yet.
// Not thread-safe.
//
// Every source is in a store of its own, which its slice and its snapshot belong to; the targets are together in another, or in
// the same. Sources go on being written to: copy() brings what a snapshot has, update() what has changed since, as often as
// needed. What it writes is found by nobody until a map names the targets, so a transfer that was given up leaves only rows to
// erase. Others write to the targets' store meanwhile: pieces of work are small, and as long as somebody does, it rests after
// each as long as that took, until hurry().
class Transfer {
 public:
  struct Target {
    PartitionId id;
    EffectiveKeyRange range;
    Partition::Index index;
    Partition::Rules rules;
  };
  enum class Lsns {
    kKept,   // of every document: the targets go on with the sequence of their sources
    kGiven,  // anew, behind the first LSN: when the order of the sources means nothing in the targets
  };
  struct Changes {
    Slice source;
    std::vector<DocumentNumber> numbers;
    const Snapshot* at;  // of the source's store
  };

  // What a document of a source is in its target; the same whenever it is asked about the same document. Empty: the same.
  using Convert = std::function<Result<Item>(Item)>;

  // Targets are sorted by range and cover all hashes that documents of the sources have under `key`, once converted.
  // Once `is_cancelled`, everything fails with kUnavailable.
  Transfer(Store& destination, const Clock& clock, PartitionKeyDefinition key, std::vector<Target> targets, Lsns lsns, Lsn first,
           const std::atomic<bool>& is_cancelled, Convert convert = {});

  // All documents of a source as the snapshot has them. kAlreadyExists when two documents get the same primary key. The policy is
  // that of the source's index: when LSNs are kept and the targets' is the same, rows are copied as they are, by sorted ingest.
  Status copy(const Slice& source, const IndexingPolicy& policy, const Snapshot& at);
  // Makes the changed documents what the snapshots have, deletions included.
  Status update(const std::vector<Changes>& changes);
  // From now on it does not rest: somebody waits for it.
  void hurry() { rests_ = false; }
  // Completes the targets' counters: none is behind the sources', in LSN or document number. Everything that was brought is
  // durable with the returned batch: whoever names the targets in another store waits for that first.
  Result<CommitTicket> finish(const PartitionCounters& sources);

  uint64_t documents() const { return documents_; }
  uint64_t bytes() const { return bytes_; }

 private:
  struct Receiver {
    Target target;
    Slice slice;
    PartitionCounters counters;
    std::map<std::string, Item> items;  // waiting to be written, by primary key
    size_t item_bytes = 0;
  };

  Status copy_rows(const Slice& source, const Snapshot& at);
  Status copy_documents(const Slice& source, const Snapshot& at);
  Result<Receiver*> receiver_of(const Value& document);
  std::string key_in(const Receiver& receiver, const Item& item) const;
  Status receive(Item item);
  // A document of a source, as it is to be in its target.
  Result<std::optional<Item>> load(const Slice& source, DocumentNumber number, const Snapshot& at) const;
  Result<Item> converted(Item item) const;
  Status flush();
  Status write(Receiver& receiver);
  std::unique_ptr<Transaction> begin(const Receiver& receiver) const;
  Status apply(Receiver& receiver, Transaction& transaction);
  // Between two pieces of work; own batches: applied by itself since the last time, of those up to the newest.
  Status pace(CommitTicket newest, uint64_t own_batches);
  Status erase_changed(const Changes& changes);
  // Makes the attachments of a source's document in its target what the snapshot has.
  Status bring_attachments(const Slice& source, const Item& item, const Snapshot& at);
  Status bring_all_attachments(const Slice& source, const Snapshot& at);
  // Those that the snapshot has and the targets have not.
  Status bring_versions(const Slice& source, const Snapshot& at);

  Store& destination_;
  const Clock& clock_;
  const PartitionKeyDefinition key_;
  const Lsns lsns_;
  const Convert convert_;
  const std::atomic<bool>& is_cancelled_;
  std::vector<Receiver> receivers_;
  std::map<PartitionId, Lsn> versions_until_;  // of the sources: those up to here were brought
  uint64_t documents_ = 0;
  uint64_t bytes_ = 0;
  bool rests_ = true;
  int64_t worked_since_us_;
  CommitTicket last_ticket_ = 0;
};

}  // namespace partita
