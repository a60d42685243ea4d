#include "gateway/feeds/stretch_reader.h"

#include <utility>

namespace partita {

Status StretchReader::open(const StretchTerms& terms) {
  for (const PartitionPlace& place : terms.container.places) {
    const bool is_concerned = place.range().max > stretch_.range.min && place.range().min < stretch_.range.max;
    if (is_concerned) TRY(open_place(place, terms));
  }
  return {};
}

Status StretchReader::open_place(const PartitionPlace& place, const StretchTerms& terms) {
  const ReadScope scope{terms.container.definition.partition_key, stretch_.range, terms.key};
  TRY_ASSIGN(DocumentCursor cursor,
             PartitionReader::open(place.partition, scope, terms.purpose, pending_).documents(stretch_.after));
  place_ = &place;
  cursors_.push_back(std::move(cursor));
  return {};
}

Result<bool> StretchReader::next(ReadingTime* time) {
  prepared_ = rows_ != nullptr ? rows_->take() : nullptr;
  if (prepared_ == nullptr) return read_next(time);
  if (time != nullptr && time->is_over()) return ReadingTime::failure();
  document_ = prepared_->document;
  return true;
}

Result<bool> StretchReader::read_next(ReadingTime* time) {
  if (std::exchange(is_current_given_, false)) current_->next();
  while (true) {
    if (time != nullptr && time->is_over()) return ReadingTime::failure();
    find_least();
    if (current_ == nullptr) break;
    TRY_ASSIGN(record_, current_->record());
    if (!record_.empty()) {
      TRY_ASSIGN(document_, document_of_record(current_->number(), record_));
      return is_current_given_ = true;
    }
    current_->next();
  }
  for (const DocumentCursor& cursor : cursors_) TRY(cursor.status());
  return false;
}

Result<bool> StretchReader::prepare_next(query::RowPreparation& preparation, ReadingTime& time) {
  do {
    TRY_ASSIGN(const bool has_document, read_next(&time));
    if (!has_document) return false;
  } while (!current_->is_wanted(document_));
  const query::PreparedRow* row = preparation.prepare(document_);
  if (row != nullptr && rows_->append({.number = current_->number(),
                                       .stands_for = current_->stands_for(),
                                       .record_bytes = record_.size(),
                                       .entries_read = entries_of_cursors(),
                                       .document = document_,
                                       .row = {}},
                                      *row)) {
    return true;
  }
  is_current_given_ = false;
  return false;
}

// No two places have documents with one number.
void StretchReader::find_least() {
  current_ = nullptr;
  for (DocumentCursor& cursor : cursors_) {
    if (!cursor.is_at_end() && (current_ == nullptr || cursor.number() < current_->number())) current_ = &cursor;
  }
}

uint64_t StretchReader::entries_of_cursors() const {
  uint64_t entries = 0;
  for (const DocumentCursor& cursor : cursors_) entries += cursor.entries_read();
  return entries;
}

}  // namespace partita
