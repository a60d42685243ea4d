#pragma once

#include "access/partition_reader.h"
#include "access/reading_time.h"
#include "base/result.h"
#include "cluster/resources.h"
#include "gateway/feeds/read_ahead.h"
#include "gateway/feeds/stretch_reader.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace partita {

// FeedPosition: how far a reader of a container has come. It names hashes and not partitions, so it stays good when partitions
// split or merge: within `range` everything up to document number `after` has been read, below `range` everything.
struct FeedPosition {
  EffectiveKeyRange range;
  DocumentNumber after;
};

// Which documents of a container are to be read.
struct DocumentScope {
  EffectiveKeyRange range;          // only documents whose hash lies in it
  std::optional<PartitionKey> key;  // only one logical partition, or those with this prefix
  std::optional<FeedPosition> from;
};

// DocumentReader: documents of a container, partitions in the order of their ranges, within each the order of insertion.
//
// Not thread-safe. Partitions are opened, as they are then, when it gets to them, or ahead of that by others (read_ahead).
// `pending` is told what was not durable yet.
class DocumentReader {
 public:
  DocumentReader(const Container& container, const DocumentScope& scope, const ReadPurpose& purpose,
                 std::vector<PendingDurability>& pending);

  // Moves to the next document that has to be looked at; false at the end.
  Result<bool> next();
  // Of that document. The record and the document are valid until the reader moves; one that was prepared has no record.
  DocumentNumber number() const { return reader_->number(); }
  uint64_t stands_for() const { return reader_->stands_for(); }
  size_t record_bytes() const { return reader_->record_bytes(); }
  std::string_view record() const { return reader_->record(); }
  Value document() const { return reader_->document(); }
  // Whether it belongs to the scope. The index knows that only roughly.
  bool is_wanted() const { return reader_->is_wanted(); }
  // What was computed of it ahead; null: nothing.
  const query::PreparedRow* prepared() const { return reader_ != nullptr ? reader_->prepared() : nullptr; }
  // Where to go on to get what follows it.
  FeedPosition position() const { return {stretches_[stretch_].range, number()}; }

  // Lets others read ahead, if there is more than what is being read now and somebody is free. To be called now and then. The
  // rows of the plan can be prepared (RowPreparation).
  void read_ahead(const SpareWorkers& helpers, std::optional<double> charge_max);

  // The place opened last, and how far it was; null before the first.
  const PartitionPlace* place() const { return place_; }
  Lsn lsn() const { return lsn_; }
  uint64_t entries_read() const { return entries_read_ + (reader_ != nullptr ? reader_->entries_read() : 0); }
  // That so many of the documents that it has led to did not pass the filter of the plan it reads for.
  void note_vain_loads(uint64_t loads) const;
  // What was read in each place, one after the other without repetition.
  const std::string& use_text() const { return use_text_; }

 private:
  Status open_stretch();
  void note_opened();
  void close_stretch();

  const Container& container_;
  const DocumentScope scope_;
  const ReadPurpose purpose_;
  std::optional<ReadingTime> time_;  // nothing: without limit
  std::vector<PendingDurability>& pending_;
  std::vector<Stretch> stretches_;  // in the order of hashes
  size_t stretch_ = 0;
  std::unique_ptr<StretchReader> reader_;  // of the current one; null: it is not open
  const PartitionPlace* place_ = nullptr;
  Lsn lsn_;
  uint64_t entries_read_ = 0;             // in stretches that were closed
  std::vector<PredicateFilter> filters_;  // of the partitions that were opened
  std::string use_text_;
  std::unique_ptr<ReadAhead> ahead_;  // for the stretches from this one on
  size_t ahead_from_ = 0;
};

}  // namespace partita
