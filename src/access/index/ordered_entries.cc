#include "access/index/ordered_entries.h"

#include "base/bytes.h"

namespace partita {
namespace {

std::string entry_bound(std::string_view key_form, uint64_t number) {
  std::string bound(key_form);
  append_big_endian(bound, number);
  return bound;
}

}  // namespace

OrderedEntries::OrderedEntries(PartitionView view, const query::IndexOrder& order, const std::optional<KeyFormRange>& range,
                               const std::optional<OrderedStart>& start, const query::Environment& environment)
    : view_(std::move(view)), order_(order), range_(range), start_(start), environment_(&environment) {
  append_key_form_undefined(without_);
}

Status OrderedEntries::begin() {
  const bool starts_without = start_ && start_->key_form == without_;
  // What lies before the start needs not be entered.
  if (!order_.is_descending) return enter(range_ || (start_ && !starts_without) ? Phase::kWith : Phase::kWithout);
  return enter(starts_without && !range_ ? Phase::kWithout : Phase::kWith);
}

OrderedEntries::Phase OrderedEntries::phase_behind(Phase phase) const {
  if (phase == Phase::kWith) return order_.is_descending && !range_ ? Phase::kWithout : Phase::kEnd;
  return order_.is_descending ? Phase::kEnd : Phase::kWith;
}

Status OrderedEntries::enter(Phase phase) {
  phase_ = phase;
  if (phase == Phase::kWithout) TRY(open_without());
  if (phase == Phase::kWith) open_with();
  return settle();
}

Status OrderedEntries::open_without() {
  std::optional<DocumentNumber> start;
  if (start_ && start_->key_form == without_) start = start_->number;
  return documents_without_.emplace(view_, order_.path, order_.is_descending, start, *environment_).begin();
}

void OrderedEntries::open_with() {
  KeyFormRange range = range_.value_or(key_forms_of_defined());
  if (start_ && start_->key_form != without_) {
    if (order_.is_descending) {
      range.to = std::min(range.to, entry_bound(start_->key_form, start_->number.value + 1));
    } else {
      range.from = std::max(range.from, entry_bound(start_->key_form, start_->number.value));
    }
  }
  if (range.from >= range.to) range.to = range.from;
  range.from.insert(0, order_.prefix);
  range.to.insert(0, order_.prefix);
  entries_.emplace(IndexReader(view_.slice, view_.at).entries(order_.path, range));
  order_.is_descending ? entries_->seek_last() : entries_->seek_first();
}

// On to the next phase when this one is at its end.
Status OrderedEntries::settle() {
  if (phase_ == Phase::kEnd) return {};
  if (phase_ == Phase::kWithout) return documents_without_->is_at_end() ? enter(phase_behind(phase_)) : Status();
  if (entries_->valid()) {
    ++entries_read_;
    return {};
  }
  TRY(entries_->status());
  return enter(phase_behind(phase_));
}

Status OrderedEntries::next() {
  if (phase_ == Phase::kWithout) {
    TRY(documents_without_->next());
  } else {
    order_.is_descending ? entries_->previous() : entries_->next();
  }
  return settle();
}

Result<std::string_view> OrderedEntries::record() {
  if (phase_ == Phase::kWithout) return documents_without_->record();
  return loader_.load(view_, entries_->number());
}

}  // namespace partita
