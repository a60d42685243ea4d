#pragma once

#include "base/result.h"
#include "cluster/resources.h"
#include "gateway/index_access.h"
#include "gateway/place_reader.h"
#include "gateway/reading_time.h"

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

// Whether a document belongs to these logical partitions, and its hash to the range unless that is null.
bool is_in_scope(const Value& document, const PartitionKeyDefinition& definition, const std::optional<PartitionKey>& key,
                 const EffectiveKeyRange* range);

// DocumentReader: documents of a container, partitions in the order of their ranges, within each the order of insertion.
//
// Not thread-safe. Partitions are opened, as they are then, when it gets to them. `unsettled` is told what was not durable yet.
class DocumentReader {
 public:
  DocumentReader(const Container& container, const DocumentScope& scope, const ReadPurpose& purpose,
                 std::vector<Unsettled>& unsettled);

  // Moves to the next document that has to be looked at; false at the end.
  Result<bool> next();
  // Of that document. The record and the document are valid until the reader moves.
  DocumentNumber number() const { return current_->reader.number(); }
  uint64_t stands_for() const { return current_->reader.stands_for(); }
  std::string_view record() const { return record_; }
  Value document() const { return document_; }
  // Whether it belongs to the scope. The index knows that only roughly.
  bool is_wanted() const;
  // Where to go on to get what follows it.
  FeedPosition position() const { return {stretches_[stretch_].range, number()}; }

  // The place opened last, and how far it was; null before the first.
  const PartitionPlace* place() const { return place_; }
  Lsn lsn() const { return lsn_; }
  uint64_t entries_read() const;
  // That so many of the documents that it has led to did not pass the filter of the plan it reads for.
  void note_vain_loads(uint64_t loads) const;
  // What was read in each place, one after the other without repetition.
  const std::string& use_text() const { return use_text_; }

 private:
  // What is to be read, in the order of hashes: documents in `range` behind `after`. That of a position covers several places
  // when a partition was split since; they are read together in the order of document numbers, so that one number still says how
  // far it is.
  struct Stretch {
    EffectiveKeyRange range;
    DocumentNumber after;
  };

  struct Part {
    PlaceReader reader;
    bool has_all;  // that may be wanted lies in the stretch, whatever the hash
  };

  Result<bool> open_stretch();
  Status open(const PartitionPlace& place, const Stretch& stretch);
  Status close_stretch();
  void find_least();
  bool has_all_of_key(const EffectiveKeyRange& range) const;

  const Container& container_;
  const DocumentScope scope_;
  const ReadPurpose purpose_;
  std::optional<ReadingTime> time_;  // nothing: without limit
  std::vector<Unsettled>& unsettled_;
  std::vector<Stretch> stretches_;
  size_t stretch_ = 0;
  bool is_open_ = false;
  std::vector<Part> parts_;  // of the current stretch
  Part* current_ = nullptr;
  std::string_view record_;
  Value document_;
  const PartitionPlace* place_ = nullptr;
  Lsn lsn_;
  uint64_t entries_read_ = 0;
  std::vector<DemandFilter> filters_;  // of the places that were opened
  std::string use_text_;
};

}  // namespace partita
