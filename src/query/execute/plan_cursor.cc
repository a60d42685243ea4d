#include "query/execute/plan_cursor.h"

#include "query/execute/evaluator.h"
#include "query/execute/group_table.h"
#include "query/execute/rank_buffer.h"
#include "query/execute/sort_buffer.h"

#include <algorithm>

namespace partita::query {
namespace {

// Rows of one row of a sub-query are numbered within it, and that one among those of its document.
constexpr uint64_t kRowsPerRowMax = 1 << 24;

// Whether the plan only asks how many documents pass its filter, or how many of them have a value.
bool counts_documents(const Plan& plan) {
  bool is_scan = plan.sources.size() == 1 && plan.sources.front().kind == Source::Kind::kScan;
  if (!is_scan || !plan.grouping || !plan.grouping->keys.empty()) return false;
  const std::vector<Aggregate>& aggregates = plan.grouping->aggregates;
  if (aggregates.size() == 1) return aggregates.front().kind == AggregateKind::kCount;
  return std::ranges::all_of(aggregates, [](const Aggregate& aggregate) {
    return aggregate.kind == AggregateKind::kCount && aggregate.argument.is_constant() &&
           !aggregate.argument.constant_value().is_undefined();
  });
}

}  // namespace

PlanCursor::PlanCursor(const Plan& plan, Execution& execution, RowSource* rows)
    : plan_(plan), execution_(execution), rows_(rows), sources_(plan.sources, execution, rows) {
  if (plan.grouping) groups_ = std::make_unique<GroupTable>(*plan.grouping, execution);
}

PlanCursor::~PlanCursor() { execution_.release(distinct_bytes_); }

void PlanCursor::continue_from(const Position& position, Resume resume) {
  base_ = position;
  resume_ = resume;
  if (resume == Resume::kMark) return;
  skipped_ = position.skipped;
  taken_ = position.taken - (position.is_repeated && position.taken > 0 ? 1 : 0);
}

bool PlanCursor::has_sorted_source() const {
  return rows_ != nullptr && rows_->is_sorted() && !plan_.sources.empty() && plan_.sources.front().kind == Source::Kind::kScan;
}

// What offset and limit let through, unless DISTINCT drops some in between.
std::optional<uint64_t> PlanCursor::ordered_rows_max() const {
  return plan_.limit && !plan_.is_distinct ? std::optional(plan_.offset + *plan_.limit) : std::nullopt;
}

// A sort needs no more rows than are left of these.
std::optional<uint64_t> PlanCursor::sorted_rows_max() const {
  const std::optional<uint64_t> all = ordered_rows_max();
  const uint64_t done = skipped_ + taken_;
  return all ? std::optional(*all - std::min(*all, done)) : std::nullopt;
}

// What a sort or a group swallows must be read from the start; what DISTINCT has seen it must see again.
void PlanCursor::begin() {
  bool needs_seen = plan_.is_distinct || resume_ == Resume::kMark;
  if (plan_.ranking) {
    ranked_ = std::make_unique<RankBuffer>(
        *plan_.ranking, rows_ != nullptr ? rows_->text_statistics() : std::span<const TextStatistics>(), execution_);
  }
  if (ranked_ || (!plan_.order.empty() && !has_sorted_source())) {
    const Position* after = base_.has_begun && !needs_seen ? &base_ : nullptr;
    sorted_ = std::make_unique<SortBuffer>(plan_, sorted_rows_max(), after, execution_);
  }
  if (!sorted_ && !groups_ && base_.has_begun) sources_.continue_from(base_, needs_seen ? Resume::kMark : Resume::kSkip);
}

Origin PlanCursor::origin_of_slots() const {
  if (groups_) return {.number = 0, .group = groups_->position(), .ordinal = 1};
  Origin origin = sources_.origin();
  origin.ordinal = origin.ordinal * kRowsPerRowMax + ordinal_;
  return origin;
}

Origin PlanCursor::origin() const { return sorted_ ? sorted_->origin() : origin_of_slots(); }

Position PlanCursor::counts() const {
  Position position;
  position.skipped = skipped_;
  position.taken = taken_;
  position.has_begun = true;
  return position;
}

Position PlanCursor::position() const {
  if (sorted_ || groups_) {
    if (sorted_ ? !sorted_->has_row() : !groups_->has_group()) return base_;
    Position position = counts();
    if (sorted_) position.order = sorted_->order();
    position.origin = origin();
    return position;
  }
  bool has_read = sources_.unit() > 0 || ordinal_ > 0 || sources_.rows() != nullptr;
  return has_read ? streaming_position() : base_;
}

Position PlanCursor::streaming_position() const {
  Position position = counts();
  if (!plan_.order.empty()) position.order = sort_key_of_row(plan_, execution_).value_or("");
  bool has_rows = counted_unit_ == sources_.unit() && ordinal_ > 0;
  position.origin = origin_of_slots();
  if (!has_rows) position.origin.ordinal = 0;
  position.is_open = has_rows && sources_.is_open();
  if (sources_.rows() == nullptr) return position;
  Position inner = sources_.rows()->position();
  inner.is_repeated = position.is_open;
  position.inner = std::make_shared<const Position>(std::move(inner));
  return position;
}

// Of the row that the slots hold, or that came out of the sort.
Place PlanCursor::place_of_row() const {
  if (!base_.has_begun || is_past_position_) return Place::kBehind;
  if (sorted_) return place_in_order(plan_, sorted_->order(), sorted_->origin(), base_);
  if (groups_) {
    if (groups_->position() != base_.origin.group) {
      return groups_->position() < base_.origin.group ? Place::kSeen : Place::kBehind;
    }
    return base_.is_repeated ? Place::kAtPosition : Place::kSeen;
  }
  if (plan_.order.empty()) {
    Place place = sources_.place();
    return place == Place::kAtPosition ? place_in_unit() : place;
  }
  std::string order = sort_key_of_row(plan_, execution_).value_or("");
  if (order == base_.order && sources_.origin().number == base_.origin.number) return place_in_unit();
  return place_in_order(plan_, order, sources_.origin(), base_);
}

// Of a row of the document, or row of the sub-query, that the position is in.
Place PlanCursor::place_in_unit() const {
  uint64_t ordinal = origin_of_slots().ordinal;
  if (ordinal == base_.origin.ordinal) return base_.is_repeated ? Place::kAtPosition : Place::kSeen;
  return ordinal < base_.origin.ordinal ? Place::kSeen : Place::kBehind;
}

PlanCursor::Step PlanCursor::next(Datum& row) {
  if (std::exchange(has_row_, false)) execution_.arena().rewind(row_mark_);
  if (!std::exchange(is_begun_, true)) begin();
  while (!plan_.limit || taken_ < *plan_.limit) {
    row_mark_ = execution_.arena().mark();
    Step step = next_projected(row);
    if (!execution_.keep_going()) return Step::kEnd;
    if (step != Step::kRow) return step;
    place_ = place_of_row();
    is_past_position_ = place_ == Place::kBehind && !plan_.order.empty();
    if (!is_dropped(row)) {
      ++taken_;
      has_row_ = true;
      return Step::kRow;
    }
    execution_.arena().rewind(row_mark_);
  }
  return Step::kEnd;
}

// Repeated rows, those that were given before, and those that the offset skips.
bool PlanCursor::is_dropped(const Datum& row) {
  if (is_repeated(row)) return true;
  if (place_ == Place::kSeen && resume_ == Resume::kSkip) return true;
  if (skipped_ == plan_.offset) return false;
  ++skipped_;
  return true;
}

PlanCursor::Step PlanCursor::next_source_row() {
  while (true) {
    Step step = sources_.next();
    if (step == Step::kRow && ranked_ && ranked_->counts_all()) ranked_->observe();
    if (step != Step::kRow) return step;
    if (const PreparedRow* row = prepared()) {
      execution_.add_steps(row->steps);
      if (row->passes) return step;
      continue;
    }
    if (!plan_.filter) return step;
    ArenaScope scope(execution_.arena());
    if (evaluate(*plan_.filter, execution_).is_true()) return step;
  }
}

// Documents that are not needed are not read, if the source knows what they would add up to.
bool PlanCursor::count_documents() {
  if (is_counted_ || rows_ == nullptr || plan_.sources.empty()) return is_counted_;
  return is_counted_ = counts_documents(plan_) ? add_count() : plan_.grouping->keys.empty() && add_aggregates();
}

bool PlanCursor::add_aggregates() {
  auto values = rows_->aggregates();
  if (!values) execution_.fail(values.error().code, values.error().message);
  if (!values || !*values) return false;
  groups_->add_values(**values);
  return true;
}

// A plan that only counts documents needs none of them, if its source knows how many there are.
bool PlanCursor::add_count() {
  auto count = rows_->count_passing();
  if (!count) execution_.fail(count.error());
  if (!count || !*count) return false;
  groups_->add_count(**count);
  return true;
}

PlanCursor::Step PlanCursor::fill_groups() {
  if (count_documents()) return Step::kEnd;
  Step step = next_source_row();
  for (; step == Step::kRow; step = next_source_row()) {
    ArenaScope scope(execution_.arena());
    const bool is_of_documents = rows_ != nullptr && !plan_.sources.empty();
    const uint64_t times = is_of_documents ? rows_->stands_for() : 1;
    const PreparedRow* row = prepared();
    row != nullptr ? groups_->add_row(row->values, times) : groups_->add_row(times);
  }
  return step;
}

PlanCursor::Step PlanCursor::next_grouped_row() {
  if (!groups_) return next_source_row();
  if (fill_groups() == Step::kPause) return Step::kPause;
  return execution_.keep_going() && groups_->next_group() ? Step::kRow : Step::kEnd;
}

// False when the row is dropped because it is undefined.
bool PlanCursor::project(Datum& row) {
  const PreparedRow* known = groups_ ? nullptr : prepared();
  row = known != nullptr && known->has_values ? known->values.front() : evaluate(plan_.projection, execution_);
  if (row.is_undefined()) return false;
  if (std::exchange(counted_unit_, sources_.unit()) != sources_.unit()) ordinal_ = 0;
  ++ordinal_;
  return true;
}

PlanCursor::Step PlanCursor::fill_sort(Datum& row) {
  const std::optional<uint64_t> rows_max = sorted_rows_max();
  while (!rows_max || !is_past_hits() || rows_with_hits_ < *rows_max) {
    const Step step = next_grouped_row();
    if (step != Step::kRow) return step;
    ArenaScope scope(execution_.arena());
    if (project(row)) sorted_->add(row, origin_of_slots());
    if (rows_ != nullptr && rows_->is_hit()) rows_with_hits_ = sorted_->wanted();
  }
  return Step::kEnd;
}

PlanCursor::Step PlanCursor::fill_rank(Datum& row) {
  const std::optional<uint64_t> rows_max = ordered_rows_max();
  Step step = Step::kRow;
  while (step == Step::kRow && !(rows_max && is_past_hits() && ranked_->rows_with_hits() >= *rows_max)) {
    step = next_source_row();
    if (step != Step::kRow) break;
    ArenaScope scope(execution_.arena());
    if (!ranked_->counts_all()) ranked_->observe();
    if (project(row)) ranked_->add(row, origin_of_slots());
  }
  if (step == Step::kPause) return step;
  ranked_->move_into(*sorted_);
  return Step::kEnd;
}

PlanCursor::Step PlanCursor::next_projected(Datum& row) {
  if (sorted_) {
    Step filled = ranked_ ? fill_rank(row) : fill_sort(row);
    if (filled == Step::kPause) return Step::kPause;
    return execution_.keep_going() && sorted_->next(row) ? Step::kRow : Step::kEnd;
  }
  while (true) {
    Step step = next_grouped_row();
    if (step != Step::kRow) return step;
    row_mark_ = execution_.arena().mark();
    if (project(row)) return step;
    execution_.arena().rewind(row_mark_);
  }
}

bool PlanCursor::is_repeated(const Datum& row) {
  if (!plan_.is_distinct) return false;
  std::string identity;
  append_identity(identity, row);
  size_t bytes = sizeof(std::string) + identity.size();
  if (!distinct_.insert(std::move(identity)).second) return true;
  distinct_bytes_ += bytes;
  execution_.buffer(bytes);
  return false;
}

}  // namespace partita::query
