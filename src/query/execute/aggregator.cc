#include "query/execute/aggregator.h"

#include <utility>

namespace partita::query {

void Aggregator::add(const Datum& value, uint64_t times, Execution& execution) {
  if (value.is_undefined()) return;
  switch (kind_) {
    case AggregateKind::kNone: return;
    case AggregateKind::kCount: count_ += times; return;
    case AggregateKind::kCountIf: count_ += value.is_true() ? times : 0; return;
    case AggregateKind::kAverage:
    case AggregateKind::kSum: return add_number(value);
    case AggregateKind::kMax:
    case AggregateKind::kMin: return add_extreme(value);
    case AggregateKind::kMakeList:
    case AggregateKind::kMakeSet: return collect(value, execution);
  }
}

void Aggregator::add_number(const Datum& value) {
  is_valid_ = is_valid_ && value.is_number();
  if (!is_valid_) return;
  sum_ += value.number();
  ++count_;
}

void Aggregator::add_extreme(const Datum& value) {
  is_valid_ = is_valid_ && value.is_primitive();
  if (!is_valid_) return;
  auto order = compare(value, extreme_.value());
  if (count_++ == 0 || (kind_ == AggregateKind::kMax ? order > 0 : order < 0)) extreme_ = KeptDatum(value);
}

void Aggregator::collect(const Datum& value, Execution& execution) {
  if (kind_ == AggregateKind::kMakeSet) {
    std::string identity;
    append_identity(identity, value);
    size_t bytes = identity.size();
    if (!collection().identities.insert(std::move(identity)).second || !execution.buffer(bytes)) return;
  }
  if (execution.buffer(sizeof(double) + value.payload_bytes())) value.write_to(collection().array);
}

Aggregator::Collection& Aggregator::collection() {
  if (!collection_) {
    collection_ = std::make_unique<Collection>();
    collection_->array.begin_array();
  }
  return *collection_;
}

Datum Aggregator::collected() {
  if (!std::exchange(collection().is_ended, true)) collection_->array.end_array();
  return Datum::of(collection_->array.view());
}

Datum Aggregator::result() {
  switch (kind_) {
    case AggregateKind::kNone: return {};
    case AggregateKind::kCount:
    case AggregateKind::kCountIf: return Datum::number(static_cast<double>(count_));
    case AggregateKind::kSum: return is_valid_ ? Datum::number(sum_) : Datum();
    case AggregateKind::kAverage: return is_valid_ && count_ > 0 ? Datum::number(sum_ / static_cast<double>(count_)) : Datum();
    case AggregateKind::kMax:
    case AggregateKind::kMin: return is_valid_ ? extreme_.value() : Datum();
    case AggregateKind::kMakeList:
    case AggregateKind::kMakeSet: return collected();
  }
  return {};
}

}  // namespace partita::query
