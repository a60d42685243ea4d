#pragma once

#include "access/index/documents_without.h"
#include "access/partition_view.h"
#include "engine/index/index_reader.h"
#include "query/optimise/index_order.h"

#include <optional>
#include <string>
#include <string_view>

namespace partita {

// Where a reader of ordered documents starts: at this value and number, or behind it in the direction of reading.
struct OrderedStart {
  std::string key_form;
  DocumentNumber number;
};

// OrderedEntries: documents of a partition in the order of their values at a path, then of their numbers; or all of that
// reversed.
//
// Documents without a value there have no entries at the path. They come first (reversed: last), unless they are not wanted.
// Not thread-safe; stays where it was begun.
class OrderedEntries {
 public:
  // `range`: only documents with a value in it; nothing: all documents. The environment outlives it.
  OrderedEntries(PartitionView view, const query::IndexOrder& order, const std::optional<KeyFormRange>& range,
                 const std::optional<OrderedStart>& start, const query::Environment& environment);

  bool is_at_end() const { return phase_ == Phase::kEnd; }
  // REQUIRES of all: not at the end.
  std::string_view key_form() const {
    return phase_ == Phase::kWithout ? std::string_view(without_) : entries_->key_form().substr(order_.prefix.size());
  }
  DocumentNumber number() const { return phase_ == Phase::kWithout ? documents_without_->number() : entries_->number(); }
  // Empty when there is no document.
  Result<std::string_view> record();
  Status next();
  // Goes to the first document.
  Status begin();

  uint64_t entries_read() const { return entries_read_ + (documents_without_ ? documents_without_->entries_read() : 0); }

 private:
  enum class Phase : uint8_t { kWithout, kWith, kEnd };

  Status enter(Phase phase);
  Phase phase_behind(Phase phase) const;
  Status open_without();
  void open_with();
  Status settle();

  PartitionView view_;
  query::IndexOrder order_;
  std::optional<KeyFormRange> range_;
  std::optional<OrderedStart> start_;
  const query::Environment* environment_;
  std::string without_;  // the key form of no value
  Phase phase_ = Phase::kEnd;
  std::optional<IndexCursor> entries_;
  std::optional<DocumentsWithout> documents_without_;
  uint64_t entries_read_ = 0;
  RecordLoader loader_;
};

}  // namespace partita
