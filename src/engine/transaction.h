#pragma once

#include "base/result.h"
#include "engine/attachments.h"
#include "engine/index/index_terms.h"
#include "engine/index/indexing_policy.h"
#include "engine/slice.h"
#include "engine/unique_keys.h"
#include "engine/work_done.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita {

// What one transaction may keep in memory, and how often it may write: a client can make it long, by a script or a batch, but not
// as long as it likes.
inline constexpr size_t kTransactionBytesMax = 16 << 20;
inline constexpr uint64_t kTransactionWritesMax = 50'000;

// Transaction: changes to documents of one partition that take effect together. Not thread-safe; sees its own changes.
//
// Item rows, primary keys, unique values, index entries, change records and counters of all its documents end in one batch, so
// that after a crash they are all there or all missing. Several changes of one document become one. Whoever runs it keeps other
// writers of the same documents away until it is applied.
class Transaction {
 public:
  Transaction(const Slice& slice, const IndexingPolicy& policy, const UniqueKeys& unique_keys);

  // The document with this primary key as this transaction sees it; null when there is none. Valid until it is changed.
  Result<const Item*> find(const std::string& item_key);
  // Inserts or replaces. kAlreadyExists when a unique value is taken; then nothing has changed. REQUIRES: find() was called for
  // the key; a replaced document keeps its number.
  Status put(const std::string& item_key, Item item);
  // REQUIRES: find() returned a document for the key.
  void erase(const std::string& item_key);
  // Erases the document if it has expired.
  Status erase_expired(const std::string& item_key);

  // Of its documents, those that find() has returned. They go with their document.
  AttachmentChanges& attachments() { return attachments_; }
  const AttachmentChanges& attachments() const { return attachments_; }

  // Keeps another generation of the index up to date too: one that is being built. The policy outlives this.
  void also_index(IndexId index, const IndexingPolicy& policy) { growing_ = Generation{index, &policy}; }

  // Keeps versions of the documents that it changes, as of this time (Unix seconds).
  void keep_versions(int64_t now) { versions_at_ = now; }

  const Slice& slice() const { return slice_; }
  // Documents that this transaction has written, or (null) deleted, by the number that each has. Valid until it changes again.
  void visit_changes(const std::function<void(DocumentNumber, const Item*)>& visit) const;

  bool is_empty() const { return changes_ == 0 && attachments_.is_empty(); }
  // For a copy, before anything is put: documents keep the LSN that their record has, instead of the one of seal(), and their
  // unique values are not checked again, so that they may come in any order.
  void keep_lsns() { keeps_lsns_ = true; }
  // All documents that were written or deleted, or whose attachments were.
  std::vector<DocumentNumber> changed_numbers() const;
  // Does everything that needs no LSN; after it no more changes. Fails only when reading does.
  Status prepare();
  // Completes the batch and brings the counters up to date. REQUIRES: prepare().
  void seal(Lsn lsn, PartitionCounters& counters);

  // Bytes of documents and attachments that it keeps in memory: as they were, and as they will be.
  size_t held_bytes() const { return held_bytes_ + attachments_.held_bytes(); }
  // kTooLarge when it keeps more than one may, or has written more often.
  Status check_room() const;
  // Of these, what belongs to documents that it has only read, or looked for in vain.
  size_t read_bytes() const { return read_bytes_; }
  // Forgets documents that it has only read. What find() has returned is not valid any more, and put() and erase() need it again.
  void forget_unchanged();

  // Request units that were charged while it ran: what it costs in the end is charged without them.
  double charged() const { return charged_; }
  void note_charged(double units) { charged_ += units; }

  // Whether it was told of anything, beside its slice, that is not durable yet.
  bool has_seen_pending() const { return has_seen_pending_; }
  void note_pending() { has_seen_pending_ = true; }

  WriteBatch& batch() { return batch_; }
  // What it did. Every put and erasure counts; prepare() adds the index entries, without those of a generation that is being
  // built. Whoever runs it adds what else the request made it do.
  WorkDone& work() { return work_; }

 private:
  struct Entry {
    std::optional<Item> stored;   // before this transaction
    std::optional<Item> current;  // as this transaction leaves it
    bool is_changed = false;

    // That it takes in memory, roughly.
    size_t bytes() const {
      return 2 * sizeof(Entry) + (stored ? stored->record.size() : 0) + (current ? current->record.size() : 0);
    }
    // Whose unique values are taken.
    const Item* holder() const { return is_changed ? (current ? &*current : nullptr) : (stored ? &*stored : nullptr); }
  };

  Entry& known(const std::string& item_key);
  void change(Entry& entry, std::optional<Item> next);
  std::vector<std::string> unique_rows(const std::string& item_key, const Item* item) const;
  Result<std::optional<DocumentNumber>> holder_of(const std::string& unique_row) const;
  Status claim_unique_values(const std::string& item_key, const Entry& entry, const Item& item);
  Status make_way(const std::string& item_key, std::string_view id, DocumentNumber holder);
  void release_unique_values(const std::string& item_key, const Entry& entry);
  void write_unique_rows();
  void write_expiry(const Entry& entry);
  void collect_versions();
  Status write_attachments();
  // A generation of the index and what it contains.
  struct Generation {
    IndexId index;
    const IndexingPolicy* policy;
  };

  // Returns how many entries were written and removed.
  size_t write_index_difference(const Entry& entry, const Generation& generation);
  void write_rows(const std::string& item_key, Entry& entry, Lsn lsn, PartitionCounters& counters);

  Slice slice_;
  Generation generation_;
  std::optional<Generation> growing_;
  const UniqueKeys& unique_keys_;
  std::map<std::string, Entry> entries_;
  AttachmentChanges attachments_;
  std::vector<DocumentNumber> left_;  // numbers of documents that were erased, perhaps to be put under another key
  std::map<std::string, std::optional<DocumentNumber>> unique_changes_;  // rows this transaction takes, or frees
  size_t changes_ = 0;
  size_t held_bytes_ = 0;  // of entries_
  size_t read_bytes_ = 0;  // of those that are not changed
  double charged_ = 0;
  bool keeps_lsns_ = false;
  bool has_seen_pending_ = false;
  std::optional<int64_t> versions_at_;
  std::vector<std::pair<DocumentNumber, std::string>> versions_;  // records, known after prepare()
  WorkDone work_;
  WriteBatch batch_;
};

}  // namespace partita
