#include "access/cursors/document_cursor.h"

#include <algorithm>
#include <utility>

namespace partita {
namespace {

// A document at most this far ahead is reached faster by reading those before it than by looking for it.
constexpr uint64_t kNearNumbers = 4;

}  // namespace

DocumentCursor::DocumentCursor(PartitionView view, IndexUse use, const ScopeTest& scope, DocumentNumber after)
    : view_(std::move(view)), use_(std::move(use)), scope_(scope) {
  const DocumentNumber first{after.value + 1};
  if (use_.choice.numbers) {
    next_number_ = static_cast<size_t>(std::ranges::lower_bound(*use_.choice.numbers, first) - use_.choice.numbers->begin());
  } else if (use_.choice.entry) {
    const KeyFormRange only = key_forms_beginning_with(use_.choice.entry->key_form);
    entries_.emplace(IndexReader(view_.slice, view_.at).entries(use_.choice.entry->path, only));
    entries_->seek(use_.choice.entry->key_form, first);
  } else {
    items_.emplace(view_.slice.items_after(after, view_.at.get()));
    items_->seek_first();
  }
  stand();
}

void DocumentCursor::stand() {
  if (use_.choice.numbers) {
    is_at_end_ = next_number_ == use_.choice.numbers->size();
    if (!is_at_end_) number_ = (*use_.choice.numbers)[next_number_];
  } else if (entries_) {
    is_at_end_ = !entries_->valid();
    if (!is_at_end_) number_ = entries_->number();
    entries_read_ += is_at_end_ ? 0 : 1;
  } else {
    is_at_end_ = !items_->valid();
    if (!is_at_end_) number_ = items_number_ = trailing_number(items_->key());
  }
}

void DocumentCursor::next() {
  if (use_.choice.numbers) {
    ++next_number_;
  } else if (entries_) {
    entries_->next();
  } else {
    items_->next();
  }
  stand();
}

Result<std::string_view> DocumentCursor::record() {
  TRY_ASSIGN(const std::string_view stored, stored_record());
  return view_.visible(stored);
}

Result<std::string_view> DocumentCursor::stored_record() {
  const bool is_scan = !use_.choice.numbers && !entries_;
  if (is_scan) return items_->value();
  const bool is_near = number_.value - std::exchange(loaded_, number_).value <= kNearNumbers;
  return is_near ? record_by_cursor() : loader_.load_stored(view_, number_);
}

Result<std::string_view> DocumentCursor::record_by_cursor() {
  const bool is_close = items_ && items_->valid() && number_.value - items_number_.value <= kNearNumbers;
  if (!items_) items_.emplace(view_.slice.cursor(Family::kItems, view_.at.get()));
  if (!is_close) items_->seek(item_row_key(view_.slice.partition(), number_));
  while (items_->valid() && (items_number_ = trailing_number(items_->key())) < number_) items_->next();
  TRY(items_->status());
  return items_->valid() && items_number_ == number_ ? items_->value() : std::string_view();
}

Status DocumentCursor::status() const {
  if (entries_) TRY(entries_->status());
  if (items_) TRY(items_->status());
  return {};
}

}  // namespace partita
