#include "cluster/reshape/reshaper.h"

#include "cluster/reshape/key_change.h"
#include "cluster/reshape/relocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace partita {
namespace {

// So few documents are brought over behind the fence; before it, rounds go on until no more are left than that, or each leaves
// about as many as the one before: then they are what writers change during the least that a round takes.
constexpr size_t kFencedChangesMax = 64;
constexpr double kShrinkingShare = 0.8;
constexpr int kRoundsMax = 20;
// When the index was rebuilt while it was copied, it must be copied again.
constexpr int kAttemptsMax = 5;
constexpr std::chrono::seconds kPause{1};
// Orders of operators that wait for the one that is carried out.
constexpr size_t kTasksWaitingMax = 64;
// A partition that could not be split is looked at again when it has grown by this much.
constexpr double kGrowthBeforeNextTry = 1.1;

Reshape plan_for(const Container& container, Reshape::Kind kind, ContainerMode mode) {
  Reshape plan;
  plan.kind = kind;
  plan.mode = mode;
  plan.database = container.database->number;
  plan.container = container.number;
  return plan;
}

PlaceRecord child_with(EffectiveKeyRange range) {
  PlaceRecord child;
  child.range = std::move(range);
  return child;
}

Status catch_up(Relocation& relocation) {
  auto before = static_cast<double>(SIZE_MAX);
  for (int round = 0; round < kRoundsMax; ++round) {
    TRY_ASSIGN(const size_t changed, relocation.catch_up());
    if (changed <= kFencedChangesMax || static_cast<double>(changed) > kShrinkingShare * before) break;
    before = static_cast<double>(changed);
  }
  return {};
}

// Where clients with an older map may believe that partitions end.
std::vector<EffectivePartitionKey> former_cuts(const Container& container) {
  std::vector<EffectivePartitionKey> cuts;
  for (const FormerRange& former : container.former) cuts.insert(cuts.end(), {former.range.min, former.range.max});
  return cuts;
}

std::unexpected<Error> no_partition(std::string_view range_id) {
  return fail(ErrorCode::kPartitionGone, fmt::format("The container has no partition '{}', or no longer has it.", range_id));
}

}  // namespace

Result<ReshapeReport> Reshaper::split(std::string_view database, std::string_view container, std::string_view range_id,
                                      const std::optional<EffectivePartitionKey>& at, ContainerMode mode) {
  std::lock_guard working(working_);
  TRY_ASSIGN(const std::shared_ptr<const Container> found, catalog_.container(database, container));
  const PartitionPlace* place = found->find_place(range_id);
  if (place == nullptr) return no_partition(range_id);
  return split_place(*found, *place, SplitAim::kHalveBytes, at, mode);
}

Result<ReshapeReport> Reshaper::split_place(const Container& container, const PartitionPlace& place, SplitAim aim,
                                            const std::optional<EffectivePartitionKey>& at, ContainerMode mode) {
  if (!container.has_partition_key()) {
    return fail(ErrorCode::kInvalidInput,
                "A split cannot help: the container has no partition key, so it is one logical partition.");
  }
  EffectivePartitionKey cut = at.value_or("");
  bool helps = true;
  if (!at) {
    TRY_ASSIGN(std::vector<HashWeight> weights,
               weigh_hashes(place.partition->local().slice(), container.definition.partition_key));
    if (aim == SplitAim::kHalveLoad) spread_load(weights, place.partition->heat());
    TRY_ASSIGN(SplitPoint point,
               find_split(place.range(), container.definition.partition_key, weights, aim, former_cuts(container)));
    helps = point.helps;
    cut = std::move(point.hash);
  }
  if (cut <= place.range().min || cut >= place.range().max) {
    return fail(ErrorCode::kInvalidInput, "The hash to cut at lies outside the partition's range.");
  }
  Reshape plan = plan_for(container, Reshape::Kind::kSplit, mode);
  plan.parents = {place.range_id};
  plan.children = {child_with({place.range().min, cut}), child_with({cut, place.range().max})};
  Result<ReshapeReport> report = carry_out(plan);
  if (report && !helps) note_stuck(container, *report);
  return report;
}

// So that the next partition is not added by moving all documents again.
void Reshaper::note_stuck(const Container& container, const ReshapeReport& report) {
  const std::shared_ptr<const Container> newest = container.lineage->newest();
  for (const std::string& range_id : report.children) {
    const PartitionPlace* child = newest ? newest->find_place(range_id) : nullptr;
    if (child == nullptr || child->partition->counters().documents == 0) continue;
    documents_when_stuck_[child->partition->id()] = child->partition->counters().documents;
  }
}

Result<ReshapeReport> Reshaper::merge(std::string_view database, std::string_view container, std::string_view left_range_id,
                                      ContainerMode mode) {
  std::lock_guard working(working_);
  TRY_ASSIGN(const std::shared_ptr<const Container> found, catalog_.container(database, container));
  const PartitionPlace* left = found->find_place(left_range_id);
  if (left == nullptr) return no_partition(left_range_id);
  if (left == &found->places.back()) {
    return fail(ErrorCode::kInvalidInput, fmt::format("The partition '{}' has no right neighbour to merge with.", left_range_id));
  }
  const size_t needed = partitions_needed(*found);
  if (found->places.size() <= needed) {
    return fail(ErrorCode::kInvalidInput, fmt::format("The container's throughput needs its {} partitions.", needed));
  }
  return merge_places(*found, *left, left[1], mode);
}

Result<ReshapeReport> Reshaper::merge_places(const Container& container, const PartitionPlace& left, const PartitionPlace& right,
                                             ContainerMode mode) {
  Reshape plan = plan_for(container, Reshape::Kind::kMerge, mode);
  plan.parents = {left.range_id, right.range_id};
  plan.children = {child_with({left.range().min, right.range().max})};
  return carry_out(plan);
}

Result<ReshapeReport> Reshaper::rekey(std::string_view database, std::string_view container, const PartitionKeyDefinition& key,
                                      ContainerMode mode, const Value& computed) {
  std::lock_guard working(working_);
  if (key.paths.empty()) return fail(ErrorCode::kInvalidInput, "A partition key needs a path.");
  TRY_ASSIGN(const std::shared_ptr<const Container> found, catalog_.container(database, container));
  Reshape plan = plan_for(*found, Reshape::Kind::kRekey, mode);
  plan.partition_key = key;
  TRY_ASSIGN(plan.computed_properties, computed_properties_of(key, computed, found->definition));
  TRY_ASSIGN(const KeyChange change, key_change_of(plan, found->definition));
  const auto& before = found->definition.synthetic_key;
  const bool computes_same = before ? change.synthetic_key && before->is_same(*change.synthetic_key) : !change.synthetic_key;
  if (found->definition.partition_key == key && computes_same)
    return fail(ErrorCode::kInvalidInput, "That is the container's partition key already.");
  const size_t wanted = std::max(found->places.size(), partitions_needed(*found));
  for (const PartitionPlace& place : found->places) plan.parents.push_back(place.range_id);
  for (EffectiveKeyRange& range : even_ranges(wanted, key)) plan.children.push_back(child_with(std::move(range)));
  return carry_out(plan);
}

size_t Reshaper::partitions_needed(const Container& container) const {
  const std::shared_ptr<const Offer> offer = catalog_.offers().of(container.database->number, container.number);
  return offer ? partitions_for(offer->throughput) : 1;
}

Result<std::shared_ptr<const Container>> Reshaper::find(uint32_t database, uint32_t container) const {
  if (std::shared_ptr<const Container> found = catalog_.container(database, container)) return found;
  return fail(ErrorCode::kNotFound, "The container does not exist, or no longer exists.");
}

// The journal stays between attempts, so that clients are kept out all the time if they are, and a crash forgets nothing.
Result<ReshapeReport> Reshaper::carry_out(const Reshape& plan) {
  Result<Reshape> begun = catalog_.reshapes().begin(plan);
  if (!begun) return std::unexpected(begun.error());
  for (int i = 1; true; ++i) {
    Result<ReshapeReport> report = attempt(*begun);
    if (report) return report;
    // The map still has the parents: what was copied is nobody's.
    std::vector<Slice> children;
    for (const PlaceRecord& child : begun->children) children.emplace_back(store_, child.partition, child.index);
    const Reshape last = *begun;
    const bool is_worth_another = report.error().code == ErrorCode::kUnavailable && i < kAttemptsMax && !is_cancelled_;
    if (is_worth_another) begun = catalog_.reshapes().begin(plan);
    if (is_worth_another && begun) {
      TRY(drop(children));
      continue;
    }
    if (Status ended = catalog_.reshapes().end(last, children); !ended) {
      report.error().message += fmt::format(" (and what was copied could not be dropped: {})", ended.error().message);
    }
    return report;
  }
}

Result<ReshapeReport> Reshaper::attempt(const Reshape& reshape) {
  TRY_ASSIGN(const std::shared_ptr<const Container> container, find(reshape.database, reshape.container));
  return bring_over(reshape, *container);
}

Status Reshaper::drop(const std::vector<Slice>& slices) {
  WriteBatch batch(store_);
  for (const Slice& slice : slices) slice.erase_all(batch);
  TRY(store_.apply(batch));
  return {};
}

Result<ReshapeReport> Reshaper::bring_over(const Reshape& reshape, const Container& container) {
  Reshape journal = reshape;
  journal.state = Reshape::State::kCopying;
  TRY(catalog_.reshapes().note(journal));
  TRY_ASSIGN(const std::unique_ptr<Relocation> relocation, Relocation::begin(store_, clock_, reshape, container, is_cancelled_));
  TRY(relocation->copy());
  TRY(catch_up(*relocation));
  journal.state = Reshape::State::kFenced;
  TRY(catalog_.reshapes().note(journal));
  TRY(relocation->catch_up());
  const Result<std::shared_ptr<const Container>> published =
      catalog_.reshapes().publish(journal, [&] { return relocation->fence(); });
  relocation->release();
  if (!published) return std::unexpected(published.error());
  retired_.push_back({journal, relocation->parents(), clock_.steady_us()});
  return relocation->report();
}

std::string Reshaper::name_of_container(const Reshape& reshape) const {
  const Result<std::shared_ptr<const Container>> container = find(reshape.database, reshape.container);
  return container ? (*container)->name_link : fmt::format("container {} (deleted)", reshape.container);
}

Status Reshaper::drop_rows(const Retired& retired) {
  return catalog_.failures()->attempt(background::kDropRows, name_of_container(retired.reshape), [&] {
    std::vector<Slice> slices;
    for (const std::shared_ptr<Partition>& partition : retired.partitions) slices.push_back(partition->slice());
    return catalog_.reshapes().end(retired.reshape, slices);
  });
}

// Whoever holds an earlier version of the container has a lease on its partitions and may still read them; when nobody has,
// nobody can begin to. Who keeps one for too long is told to look elsewhere.
bool Reshaper::is_unused(const Retired& retired) const {
  const bool is_expired = clock_.steady_us() - retired.since_us >= kReaderLeaseUs;
  return std::ranges::all_of(retired.partitions, [&](const std::shared_ptr<Partition>& partition) {
    return partition->leases() == 0 || (is_expired && partition->is_handed_over());
  });
}

Status Reshaper::drop_unused() {
  Worked worked;
  std::erase_if(retired_, [&](const Retired& retired) {
    if (!is_unused(retired)) return false;
    for (const std::shared_ptr<Partition>& partition : retired.partitions) partition->close_to_readers();
    const Status dropped = drop_rows(retired);
    worked.add(dropped);
    return dropped.has_value();
  });
  return worked.outcome;
}

Status Reshaper::drop_retired() {
  std::lock_guard working(working_);
  return drop_unused();
}

void Reshaper::Worked::add(const Status& next) {
  if (!next && outcome) outcome = next;
}

Status Reshaper::resume(const Reshape& reshape) {
  const Result<ReshapeReport> report = carry_out(reshape);
  if (report) return {};
  // What cannot even begin again is forgotten; the decider may propose it anew.
  TRY(catalog_.reshapes().end(reshape, {}));
  // That the container was deleted is no failure.
  if (!find(reshape.database, reshape.container)) return {};
  return std::unexpected(report.error());
}

void Reshaper::resume_interrupted(Worked& worked) {
  for (const Reshape& reshape : catalog_.reshapes().list()) {
    if (reshape.state == Reshape::State::kPublished) continue;
    const Status resumed =
        catalog_.failures()->attempt(background::kReshape, name_of_container(reshape), [&] { return resume(reshape); });
    worked.has_done_something = worked.has_done_something || resumed.has_value();
    worked.add(resumed);
  }
}

void Reshaper::take_steps(Worked& worked) {
  for (const std::shared_ptr<const Container>& container : catalog_.containers()) {
    const std::optional<ReshapeStep> step = step_for(*container);
    if (!step) continue;
    const Status taken =
        catalog_.failures()->attempt(background::kReshape, container->name_link, [&] { return take_step(*container, *step); });
    worked.has_done_something = worked.has_done_something || taken.has_value();
    worked.add(taken);
  }
}

std::optional<ReshapeStep> Reshaper::step_for(const Container& container) const {
  if (!container.has_partition_key()) return std::nullopt;
  const std::shared_ptr<const Offer> offer = catalog_.offers().of(container.database->number, container.number);
  std::vector<PartitionLoad> loads;
  for (const PartitionPlace& place : container.places) {
    const PartitionCounters counters = place.partition->counters();
    PartitionLoad& load = loads.emplace_back();
    load.bytes = counters.stored_bytes();
    const HeatTally heat = place.partition->local().meter().last_minute();
    load.units_per_second = static_cast<double>(heat.milli_units) / 1000 / Heat::kSeconds;
    load.throttled_share =
        static_cast<double>(heat.throttled) / static_cast<double>(std::max<uint64_t>(heat.requests + heat.throttled, 1));
    const auto stuck = documents_when_stuck_.find(place.partition->id());
    load.can_split = stuck == documents_when_stuck_.end() ||
                     static_cast<double>(counters.documents) > kGrowthBeforeNextTry * static_cast<double>(stuck->second);
  }
  return next_step(loads, offer ? offer->throughput.planned() : 0, limits_);
}

Status Reshaper::take_step(const Container& container, const ReshapeStep& step) {
  const PartitionPlace& place = container.places[step.first];
  if (step.kind == ReshapeStep::Kind::kMerge) {
    TRY(merge_places(container, place, container.places[step.first + 1], ContainerMode::kOnline));
    return {};
  }
  const Result<ReshapeReport> report = split_place(container, place, aim_of(step.reason), std::nullopt, ContainerMode::kOnline);
  if (report) return {};
  if (report.error().code != ErrorCode::kInvalidInput) return std::unexpected(report.error());
  documents_when_stuck_[place.partition->id()] = place.partition->counters().documents;
  return {};
}

Result<bool> Reshaper::work() {
  std::lock_guard working(working_);
  Worked worked;
  worked.add(drop_unused());
  resume_interrupted(worked);
  take_steps(worked);
  worked.add(drop_unused());
  if (worked.has_done_something || worked.outcome) return worked.has_done_something;
  return std::unexpected(worked.outcome.error());
}

void Reshaper::start() {
  thread_ = std::thread([this] { run(); });
}

bool Reshaper::post(std::move_only_function<void()>& task) {
  std::unique_lock lock(mutex_);
  if (stopping_) {
    lock.unlock();
    task();
    return true;
  }
  if (tasks_.size() >= kTasksWaitingMax) return false;
  tasks_.push_back(std::move(task));
  wake_.notify_all();
  return true;
}

void Reshaper::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    is_cancelled_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Reshaper::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_ || !tasks_.empty()) {
    const bool is_ordered = !tasks_.empty();
    if (is_ordered) {
      std::move_only_function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
    if (stopping_) continue;
    // Also when more is ordered: whoever orders without end keeps nothing else from being done.
    lock.unlock();
    const Result<bool> worked = work();
    lock.lock();
    // What has failed is noted: the next time decides.
    if (is_ordered || (worked && *worked)) continue;
    wake_.wait_for(lock, kPause, [this] { return stopping_ || !tasks_.empty(); });
  }
}

}  // namespace partita
