#include "gateway/query/rows/document_rows.h"

#include <algorithm>
#include <utility>

namespace partita {
namespace {

// How often the clock is looked at, in rows.
constexpr uint64_t kStepsPerLook = 16;
// A query that has given fewer results than that per document reads many in vain.
constexpr uint64_t kRowsPerResult = 4;

}  // namespace

DocumentRows::DocumentRows(const Container& container, const query::Plan* plan, const QueryRequest& request,
                           const query::Environment& environment, Use use, std::vector<PendingDurability>& pending)
    : container_(container), request_(request), pending_(pending), purpose_{plan, &environment, std::nullopt} {
  const bool starts_at_position = plan == nullptr || query::scan_start(*plan, is_sorted()) == query::ScanStart::kPosition;
  if (plan != nullptr && starts_at_position)
    purpose_.rows_wanted = std::min<uint64_t>(request.items_max, plan->limit.value_or(UINT64_MAX));
  // In an order, the position names a document that stood for its value; by now another one may, on the other side of it.
  const bool is_resumed_order = request.from && plan != nullptr && !plan->order.empty();
  purpose_.takes_representatives = use == Use::kPlan && !is_resumed_order;
  purpose_.takes_passing = use == Use::kPassing;
  DocumentScope scope{request.range, request.key, std::nullopt};
  if (request.from && starts_at_position) scope.range.min = std::max(scope.range.min, request.from->range.min);
  if (request.from && request.from->progress.of_scan().origin.number != 0) {
    const query::Position& scan = request.from->progress.of_scan();
    const uint64_t open = scan.is_open || scan.is_repeated ? 1 : 0;
    const FeedPosition position{request.from->range, DocumentNumber{scan.origin.number - open}};
    if (starts_at_position) {
      scope.from = position;
      begins_after_ = position.after;
    } else {
      seen_ = position;
      scope.range.max = std::min(scope.range.max, position.range.min);
    }
  }
  open(scope);
  if (use != Use::kPlan || environment.is_trial) return;
  helpers_ = request.helpers;
  if (helpers_ != nullptr) ask_helpers_at_us_ = environment.clock.steady_us() + helpers_->ask_after_us;
}

// Asked for every few rows, because looking at the clock costs something.
void DocumentRows::consider_reading_ahead() {
  const int64_t now_us = purpose_.environment->clock.steady_us();
  if (now_us < ask_helpers_at_us_) return;
  ask_helpers_at_us_ = now_us + helpers_->ask_after_us;
  const query::Plan& plan = *purpose_.plan;
  if (!query::RowPreparation::is_possible(plan)) {
    helpers_ = nullptr;
    return;
  }
  // A plan that groups or sorts reads everything. Of another one nobody knows how far its page goes; if most documents that it
  // reads are among its results, not far.
  const bool reads_all = plan.grouping || !plan.order.empty();
  if (!reads_all && rows() < kRowsPerResult * request_.items_max) return;
  reader_->read_ahead(*helpers_, reads_all ? std::nullopt : std::optional(kQueryPageChargeMax));
}

void DocumentRows::open(const DocumentScope& scope) {
  if (reader_) entries_read_ += reader_->entries_read();
  reader_.emplace(container_, scope, purpose_, pending_);
}

Result<Value> DocumentRows::next() {
  const bool is_elsewhere = std::exchange(last_place_, reader_->place()) != reader_->place();
  if (helpers_ != nullptr && (++steps_ % kStepsPerLook == 0 || is_elsewhere)) consider_reading_ahead();
  while (true) {
    TRY_ASSIGN(const bool has_document, reader_->next());
    if (!has_document) {
      if (start_behind_seen()) continue;
      note_end();
      return Value();
    }
    if (!reader_->is_wanted()) continue;
    note_row(reader_->number(), reader_->record_bytes());
    return reader_->document();
  }
}

// Ranges may have changed, so what was seen is read in the order of then: the lower ranges, then that of the position.
bool DocumentRows::start_behind_seen() {
  if (!seen_ || is_behind_lower_ranges_) return false;
  is_behind_lower_ranges_ = true;
  open({request_.range, request_.key, FeedPosition{seen_->range, {}}});
  return true;
}

// Documents below the position's range were seen, and within it those up to its number.
bool DocumentRows::is_seen() const {
  if (!seen_) return false;
  return !is_behind_lower_ranges_ || (range().max <= seen_->range.max && number() <= seen_->after.value);
}

// What is counted or grouped tells nothing about who has passed.
void DocumentRows::note_page(uint64_t results) {
  const bool is_row_by_row = purpose_.plan != nullptr && !purpose_.plan->grouping && !purpose_.plan->is_distinct;
  if (is_row_by_row && rows() > results) reader_->note_vain_loads(rows() - results);
}

Result<std::optional<uint64_t>> DocumentRows::count_passing() {
  const ReadScope scope = read_scope_of(container_, request_);
  uint64_t count = 0;
  std::string text;
  for (const PartitionPlace& place : container_.places) {
    if (!concerns(request_, place)) continue;
    TRY_ASSIGN(const std::optional<CountedDocuments> counted,
               PartitionReader::open(place.partition, scope, purpose_, pending_).count());
    if (!counted) return std::nullopt;
    count += counted->count;
    entries_read_ += counted->entries_read;
    if (!text.ends_with(counted->text)) text += (text.empty() ? "" : "\n") + counted->text;
  }
  counted_text_ = std::move(text);
  return count;
}

Result<std::optional<std::vector<double>>> DocumentRows::aggregates() {
  const ReadScope scope = read_scope_of(container_, request_);
  std::vector<double> sums;
  std::string text;
  for (const PartitionPlace& place : container_.places) {
    if (!concerns(request_, place)) continue;
    TRY_ASSIGN(std::optional<SummedTexts> summed, PartitionReader::open(place.partition, scope, purpose_, pending_).sum_texts());
    if (!summed) return std::nullopt;
    entries_read_ += summed->entries_read;
    sums.resize(summed->sums.size());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += summed->sums[i];
    text = std::move(summed->text);
  }
  counted_text_ = std::move(text);
  return sums;
}

}  // namespace partita
