#include "gateway/ordered_place.h"

#include "base/bytes.h"
#include "base/prefix_end.h"

namespace partita {
namespace {

std::string entry_bound(std::string_view key_form, uint64_t number) {
  std::string bound(key_form);
  append_big_endian(bound, number);
  return bound;
}

Value value_at(Value value, const ValuePath& path) {
  for (const ValuePath::Step& step : path.steps) value = value.find(step.property);
  return value;
}

}  // namespace

OrderedPlace::OrderedPlace(PlaceView view, const query::IndexOrder& order, const std::optional<KeyFormRange>& range,
                           const std::optional<OrderedStart>& start)
    : view_(std::move(view)), order_(order), range_(range), start_(start) {
  append_key_form_undefined(without_);
}

Status OrderedPlace::begin() {
  const bool starts_without = start_ && start_->key_form == without_;
  // What lies before the start needs not be entered.
  if (!order_.is_descending) return enter(range_ || (start_ && !starts_without) ? Phase::kWith : Phase::kWithout);
  return enter(starts_without && !range_ ? Phase::kWithout : Phase::kWith);
}

OrderedPlace::Phase OrderedPlace::phase_behind(Phase phase) const {
  if (phase == Phase::kWith) return order_.is_descending && !range_ ? Phase::kWithout : Phase::kEnd;
  return order_.is_descending ? Phase::kEnd : Phase::kWith;
}

Status OrderedPlace::enter(Phase phase) {
  phase_ = phase;
  if (phase == Phase::kWithout) open_without();
  if (phase == Phase::kWith) open_with();
  return settle();
}

void OrderedPlace::open_without() {
  const std::string prefix = partition_prefix(view_.slice.partition());
  std::string from = prefix;
  std::string to = prefix_end(prefix);
  if (start_ && start_->key_form == without_) {
    if (order_.is_descending) {
      to = item_row_key(view_.slice.partition(), DocumentNumber{start_->number.value + 1});
    } else {
      from = item_row_key(view_.slice.partition(), start_->number);
    }
  }
  items_.emplace(view_.slice.store().cursor(Family::kItems, from, to, view_.at.get()));
  order_.is_descending ? items_->seek_last() : items_->seek_first();
}

void OrderedPlace::open_with() {
  KeyFormRange range = range_.value_or(key_forms_of_defined());
  if (start_ && start_->key_form != without_) {
    if (order_.is_descending) {
      range.to = std::min(range.to, entry_bound(start_->key_form, start_->number.value + 1));
    } else {
      range.from = std::max(range.from, entry_bound(start_->key_form, start_->number.value));
    }
  }
  if (range.from >= range.to) range.to = range.from;
  entries_.emplace(IndexReader(view_.slice, view_.at).entries(order_.path, range));
  order_.is_descending ? entries_->seek_last() : entries_->seek_first();
}

Result<bool> OrderedPlace::is_without_value() const {
  TRY_ASSIGN(const Value document, document_of_record(number(), items_->value()));
  return value_at(document, order_.path).is_undefined();
}

// From wherever the cursor is to a document of the phase, or on to the next phase.
Status OrderedPlace::settle() {
  if (phase_ == Phase::kEnd) return {};
  if (phase_ == Phase::kWith) {
    if (entries_->valid()) {
      ++entries_read_;
      return {};
    }
    TRY(entries_->status());
    return enter(phase_behind(phase_));
  }
  for (; items_->valid(); order_.is_descending ? items_->previous() : items_->next()) {
    TRY_ASSIGN(const bool is_without, is_without_value());
    if (is_without) return {};
  }
  TRY(items_->status());
  return enter(phase_behind(phase_));
}

Status OrderedPlace::next() {
  if (phase_ == Phase::kWith) {
    order_.is_descending ? entries_->previous() : entries_->next();
  } else {
    order_.is_descending ? items_->previous() : items_->next();
  }
  return settle();
}

Result<std::string_view> OrderedPlace::record() {
  if (phase_ == Phase::kWithout) return view_.visible(items_->value());
  TRY_ASSIGN(const bool is_known, view_.slice.load_record(entries_->number(), record_, view_.at.get()));
  return is_known ? view_.visible(record_) : std::string_view();
}

}  // namespace partita
