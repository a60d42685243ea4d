#pragma once

#include "access/partition_reader.h"
#include "access/reading_time.h"
#include "base/result.h"
#include "cluster/resources.h"
#include "gateway/feeds/prepared_rows.h"
#include "query/execute/row_preparation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace partita {

// What is to be read in one go: documents in `range` behind `after`, in the order of their numbers. That of a position covers
// several places when a partition was split since; they are read together, so that one number still says how far it is.
struct Stretch {
  EffectiveKeyRange range;
  DocumentNumber after;
};

// What a stretch is read from and for. All of it outlives the reader, except for the environment of the purpose, which is used
// by open() only.
struct StretchTerms {
  const Container& container;
  const std::optional<PartitionKey>& key;
  const ReadPurpose& purpose;
};

// StretchReader: the documents of one stretch.
//
// Not thread-safe, but may be handed from one thread to another. After an error the same can be tried again. First come rows that
// were prepared, if there are any, then those that are still to be read.
class StretchReader {
 public:
  explicit StretchReader(const Stretch& stretch) : stretch_(stretch) {}
  // One that can prepare rows, and where it keeps them.
  StretchReader(const Stretch& stretch, std::unique_ptr<PreparedRows> rows) : stretch_(stretch), rows_(std::move(rows)) {}
  StretchReader(const StretchReader&) = delete;
  StretchReader& operator=(const StretchReader&) = delete;

  // Opens the partitions, as they are now. Once, and before everything else.
  Status open(const StretchTerms& terms);

  // Moves to the next document that has to be looked at; false at the end. Without `time` it may take any.
  Result<bool> next(ReadingTime* time);
  // Of that document. The record and the document are valid until the reader moves.
  DocumentNumber number() const { return prepared_ != nullptr ? prepared_->number : current_->number(); }
  uint64_t stands_for() const { return prepared_ != nullptr ? prepared_->stands_for : current_->stands_for(); }
  size_t record_bytes() const { return prepared_ != nullptr ? prepared_->record_bytes : record_.size(); }
  std::string_view record() const { return record_; }
  Value document() const { return document_; }
  // Whether it belongs to the scope. The index knows that only roughly.
  bool is_wanted() const { return prepared_ != nullptr || current_->is_wanted(document_); }
  // What was computed of it; null: nothing.
  const query::PreparedRow* prepared() const { return prepared_ != nullptr ? &prepared_->row : nullptr; }

  // Reads on, and keeps what was computed for later calls of next(). REQUIRES: next() was not called yet, and there is where to
  // keep it. False at the end, or when the row could be neither computed nor kept: then it is read again by whoever calls next().
  Result<bool> prepare_next(query::RowPreparation& preparation, ReadingTime& time);

  const Stretch& stretch() const { return stretch_; }
  uint64_t entries_read() const { return prepared_ != nullptr ? prepared_->entries_read : entries_of_cursors(); }
  // Of the places that were opened, in their order, and the last of these; null when there is none.
  std::span<DocumentCursor> cursors() { return cursors_; }
  const PartitionPlace* place() const { return place_; }
  // What of them is not durable yet.
  std::vector<PendingDurability>& pending() { return pending_; }

 private:
  Status open_place(const PartitionPlace& place, const StretchTerms& terms);
  Result<bool> read_next(ReadingTime* time);
  void find_least();
  uint64_t entries_of_cursors() const;

  const Stretch stretch_;
  std::vector<DocumentCursor> cursors_;  // one for each partition
  DocumentCursor* current_ = nullptr;
  bool is_current_given_ = false;  // so that the next one is to be looked for
  std::string_view record_;
  Value document_;
  std::unique_ptr<PreparedRows> rows_;          // null: nothing is ever prepared
  const PreparedDocument* prepared_ = nullptr;  // the current one, if it is one of these
  std::vector<PendingDurability> pending_;
  const PartitionPlace* place_ = nullptr;
};

}  // namespace partita
