#include "gateway/place_reader.h"

#include <algorithm>
#include <utility>

namespace partita {
namespace {

// A document at most this far ahead is reached faster by reading those before it than by looking for it.
constexpr uint64_t kNearNumbers = 4;
// So many rows a query may leave behind in the store's memory of rows.
constexpr uint64_t kRememberedLoads = 4096;

// Nothing while writes work, or when the store did not become durable with the index that is read.
std::optional<PlaceView> durable_view(const PartitionPlace& place) {
  const Partition& partition = *place.partition;
  const Slice now = partition.slice();
  std::optional<Partition::Index> index = partition.durable_index();
  std::shared_ptr<const Snapshot> at = now.store().durable_snapshot();
  if (!at || !index || index->id != partition.index().id) return std::nullopt;
  const Result<PartitionCounters> counters = now.counters(at.get());
  if (!counters) return std::nullopt;
  const Slice slice(now.store(), partition.id(), index->id, now.visibility());
  return PlaceView{.place = &place,
                   .slice = slice,
                   .index = *std::move(index),
                   .at = std::move(at),
                   .documents = counters->documents,
                   .newest = counters->newest,
                   .lsn = counters->lsn,
                   .shown = counters->lsn};
}

}  // namespace

PlaceView PlaceView::of(const PartitionPlace& place, std::vector<Unsettled>& unsettled) {
  Partition& partition = *place.partition;
  Store& store = partition.slice().store();
  if (store.failure()) {
    if (std::optional<PlaceView> durable = durable_view(place)) return *std::move(durable);
  }
  Partition::Index index = partition.index();
  const Lsn shown = partition.applied_lsn();
  std::shared_ptr<const Snapshot> at = store.snapshot();
  // A new indexing policy erases the old generation of the index; the snapshot must have the one that is read.
  while (index.id != partition.index().id) {
    index = partition.index();
    at = store.snapshot();
  }
  // Everything in the snapshot, deletions included, has at most this LSN. Not applied_lsn(): a write is visible a moment earlier.
  const PartitionCounters counters = partition.counters();
  if (!partition.is_durable(counters.lsn)) unsettled.push_back({place.partition, counters.lsn});
  const Slice slice(store, partition.id(), index.id, partition.slice().visibility());
  return {&place, slice, std::move(index), std::move(at), counters.documents, counters.newest, counters.lsn, shown};
}

std::string_view PlaceView::visible(std::string_view record) const {
  if (!slice.visibility().time_to_live.is_on() || record.size() <= kItemHeaderBytes) return record;
  return slice.is_visible(Value::view(record.substr(kItemHeaderBytes))) ? record : std::string_view();
}

Result<std::string_view> RecordLoader::load_stored(const PlaceView& view, DocumentNumber number) {
  bool is_known = false;
  if (loads_++ < kRememberedLoads) {
    TRY_ASSIGN(is_known, view.slice.load_record(number, record_, *view.at, view.shown));
  } else {
    TRY_ASSIGN(is_known, view.slice.load_record(number, record_, view.at.get()));
  }
  return is_known ? std::string_view(record_) : std::string_view();
}

Result<std::string_view> RecordLoader::load(const PlaceView& view, DocumentNumber number) {
  TRY_ASSIGN(const std::string_view stored, load_stored(view, number));
  return view.visible(stored);
}

PlaceReader::PlaceReader(PlaceView view, DocumentChoice choice, DocumentNumber after)
    : view_(std::move(view)), choice_(std::move(choice)) {
  const DocumentNumber first{after.value + 1};
  if (choice_.numbers) {
    next_number_ = static_cast<size_t>(std::ranges::lower_bound(*choice_.numbers, first) - choice_.numbers->begin());
  } else if (choice_.entry) {
    const KeyFormRange only = key_forms_beginning_with(choice_.entry->key_form);
    entries_.emplace(IndexReader(view_.slice, view_.at).entries(choice_.entry->path, only));
    entries_->seek(choice_.entry->key_form, first);
  } else {
    items_.emplace(view_.slice.items_after(after, view_.at.get()));
    items_->seek_first();
  }
  stand();
}

void PlaceReader::stand() {
  if (choice_.numbers) {
    is_at_end_ = next_number_ == choice_.numbers->size();
    if (!is_at_end_) number_ = (*choice_.numbers)[next_number_];
  } else if (entries_) {
    is_at_end_ = !entries_->valid();
    if (!is_at_end_) number_ = entries_->number();
    entries_read_ += is_at_end_ ? 0 : 1;
  } else {
    is_at_end_ = !items_->valid();
    if (!is_at_end_) number_ = items_number_ = trailing_number(items_->key());
  }
}

void PlaceReader::next() {
  if (choice_.numbers) {
    ++next_number_;
  } else if (entries_) {
    entries_->next();
  } else {
    items_->next();
  }
  stand();
}

Result<std::string_view> PlaceReader::record() {
  TRY_ASSIGN(const std::string_view stored, stored_record());
  return view_.visible(stored);
}

Result<std::string_view> PlaceReader::stored_record() {
  const bool is_scan = !choice_.numbers && !entries_;
  if (is_scan) return items_->value();
  const bool is_near = number_.value - std::exchange(loaded_, number_).value <= kNearNumbers;
  return is_near ? record_by_cursor() : loader_.load_stored(view_, number_);
}

Result<std::string_view> PlaceReader::record_by_cursor() {
  const bool is_close = items_ && items_->valid() && number_.value - items_number_.value <= kNearNumbers;
  if (!items_) items_.emplace(view_.slice.cursor(Family::kItems, view_.at.get()));
  if (!is_close) items_->seek(item_row_key(view_.slice.partition(), number_));
  while (items_->valid() && (items_number_ = trailing_number(items_->key())) < number_) items_->next();
  TRY(items_->status());
  return items_->valid() && items_number_ == number_ ? items_->value() : std::string_view();
}

Status PlaceReader::status() const {
  if (entries_) TRY(entries_->status());
  if (items_) TRY(items_->status());
  return {};
}

}  // namespace partita
