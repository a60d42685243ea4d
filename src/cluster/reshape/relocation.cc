#include "cluster/reshape/relocation.h"

#include "cluster/reshape/key_change.h"
#include "partition/heat/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

namespace partita {
namespace {

// When documents get new LSNs, these are behind all that their partitions could give until the copy is complete.
constexpr uint64_t kGivenLsnGap = uint64_t{1} << 32;

Status wait_durable(Partition& partition, Lsn lsn) {
  std::promise<Status> outcome;
  partition.when_durable(lsn, [&](Status status) { outcome.set_value(std::move(status)); });
  return outcome.get_future().get();
}

Result<std::shared_ptr<const IndexingPolicy>> policy_of_children(const Reshape& reshape, const Container& container) {
  if (!reshape.partition_key) return container.definition.indexing;
  const IndexingPolicy& indexing = *container.definition.indexing;
  TRY_ASSIGN(IndexingPolicy policy, IndexingPolicy::parse(indexing.definition(), *reshape.partition_key,
                                                          Value::view(indexing.full_text_policy()), indexing.form()));
  return std::make_shared<const IndexingPolicy>(std::move(policy));
}

}  // namespace

Result<std::unique_ptr<Relocation>> Relocation::begin(Store& destination, const Clock& clock, const Reshape& reshape,
                                                      const Container& container, const std::atomic<bool>& is_cancelled) {
  std::unique_ptr<Relocation> relocation(new Relocation(destination, clock, reshape.mode != ContainerMode::kOnline));
  Lsn newest;
  for (const std::string& parent : reshape.parents) {
    const PartitionPlace* place = container.find_place(parent);
    if (place == nullptr)
      return fail(ErrorCode::kPartitionGone, fmt::format("There is no partition '{}', or no longer.", parent));
    auto watch = std::make_shared<ChangeWatch>();
    const std::shared_ptr<Partition> parent_partition = place->partition->local().shared_from_this();
    const Lsn from = parent_partition->set_watch(watch);
    relocation->sources_.push_back({parent_partition, parent_partition->index(), watch, from});
    newest = std::max(newest, from);
  }
  TRY_ASSIGN(const auto policy, policy_of_children(reshape, container));
  for (const PlaceRecord& child : reshape.children) {
    relocation->targets_.push_back({child.partition, child.range, {child.index, policy}, container.definition.rules});
    relocation->report_.children.push_back(child.range_id);
  }
  relocation->report_.kind = reshape.kind;
  relocation->report_.parents = reshape.parents;
  const bool is_rekeyed = reshape.partition_key.has_value();
  if (is_rekeyed) {
    TRY_ASSIGN(const KeyChange change, key_change_of(reshape, container.definition));
    relocation->convert_ = conversion_of(change, reshape, container.definition);
  }
  relocation->transfer_ =
      std::make_unique<Transfer>(destination, clock, is_rekeyed ? *reshape.partition_key : container.definition.partition_key,
                                 relocation->targets_, is_rekeyed ? Transfer::Lsns::kGiven : Transfer::Lsns::kKept,
                                 is_rekeyed ? Lsn{newest.value + kGivenLsnGap} : kFirstLsn, is_cancelled, relocation->convert_);
  relocation->started_us_ = clock.steady_us();
  return relocation;
}

Relocation::~Relocation() {
  for (const Source& source : sources_) source.partition->set_watch(nullptr);
}

std::vector<std::shared_ptr<Partition>> Relocation::parents() const {
  std::vector<std::shared_ptr<Partition>> all;
  for (const Source& source : sources_) all.push_back(source.partition);
  return all;
}

// Sources in one store are seen at one moment, so that an id which moves from one to another is not seen twice.
Relocation::Snapshots Relocation::snapshots_now() const {
  Snapshots all;
  for (const Source& source : sources_) {
    Store& store = source.partition->slice().store();
    const auto same = std::ranges::find(sources_, &store, [](const Source& each) { return &each.partition->slice().store(); });
    const auto earlier = static_cast<size_t>(same - sources_.begin());
    all.push_back(earlier < all.size() ? all[earlier] : store.snapshot());
  }
  return all;
}

Result<Relocation::Snapshots> Relocation::snapshots_with(const std::vector<Lsn>& lsns) const {
  while (true) {
    Snapshots at = snapshots_now();
    bool has_all = true;
    for (size_t i = 0; i < sources_.size(); ++i) {
      TRY_ASSIGN(const PartitionCounters seen, sources_[i].partition->slice().counters(at[i].get()));
      if (seen.lsn >= lsns[i]) continue;
      has_all = false;
      TRY(wait_durable(*sources_[i].partition, lsns[i]));
    }
    if (has_all) return at;
  }
}

Status Relocation::copy() {
  std::vector<Lsn> lsns;
  for (const Source& source : sources_) lsns.push_back(source.watched_from);
  TRY_ASSIGN(const Snapshots at, snapshots_with(lsns));
  for (size_t i = 0; i < sources_.size(); ++i) {
    TRY(transfer_->copy(sources_[i].partition->slice(), *sources_[i].index.policy, *at[i]));
  }
  return {};
}

Result<size_t> Relocation::catch_up() {
  TRY(bring_changes(snapshots_now()));
  size_t changed = 0;
  for (const Source& source : sources_) changed += source.watch->size();
  return changed;
}

Status Relocation::bring_changes(const Snapshots& at) {
  std::vector<Transfer::Changes> changes;
  for (size_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    if (source.watch->has_overflowed()) {
      return fail(ErrorCode::kThrottled, "More documents were changed while partitions were copied than can be remembered.");
    }
    TRY_ASSIGN(const PartitionCounters seen, source.partition->slice().counters(at[i].get()));
    changes.push_back({source.partition->slice(), source.watch->take(seen.lsn), at[i].get()});
  }
  ++report_.rounds;
  return transfer_->update(changes);
}

Result<std::vector<std::shared_ptr<Partition>>> Relocation::fence() {
  transfer_->hurry();
  paused_us_ = clock_.steady_us();
  report_.copy_us = paused_us_ - started_us_;
  for (const Source& source : sources_) pauses_.push_back(source.partition->pause_writers());
  std::vector<Lsn> lsns;
  PartitionCounters last;
  for (const Source& source : sources_) {
    if (source.partition->index().id != source.index.id) {
      return fail(ErrorCode::kUnavailable, "The index of a partition was rebuilt while it was copied.");
    }
    const PartitionCounters counters = source.partition->counters();
    lsns.push_back(counters.lsn);
    last.lsn = std::max(last.lsn, counters.lsn);
    last.newest = std::max(last.newest, counters.newest);
    last.versions_after = std::max(last.versions_after, counters.versions_after);
  }
  TRY_ASSIGN(const Snapshots at, snapshots_with(lsns));
  TRY(bring_changes(at));
  // Where the catalog is in the same store, what it publishes is behind this in one log, and one sync is enough.
  TRY(transfer_->finish(last));
  if (verifies_) TRY(verify(at));
  std::vector<std::shared_ptr<Partition>> children;
  for (const Transfer::Target& target : targets_) {
    TRY_ASSIGN(std::shared_ptr<Partition> child,
               Partition::open(destination_, clock_, target.id, target.range, target.index, target.rules));
    children.push_back(std::move(child));
  }
  report_.documents = transfer_->documents();
  report_.bytes = transfer_->bytes();
  return children;
}

Status Relocation::verify(const Snapshots& at) {
  Tally before;
  for (size_t i = 0; i < sources_.size(); ++i) {
    TRY_ASSIGN(const Tally tally, tally_of(sources_[i].partition->slice(), *at[i], convert_));
    before += tally;
  }
  Tally after;
  const std::shared_ptr<const Snapshot> now = destination_.snapshot();
  for (const Transfer::Target& target : targets_) {
    TRY_ASSIGN(const Tally tally, tally_of(Slice(destination_, target.id, target.index.id), *now));
    after += tally;
  }
  report_.verified = after.documents;
  if (before == after) return {};
  return fail(ErrorCode::kCorruption,
              fmt::format("What was copied differs: {} documents with checksum {:016x} became {} with {:016x}.", before.documents,
                          before.checksum, after.documents, after.checksum));
}

void Relocation::release() {
  pauses_.clear();
  report_.pause_us = clock_.steady_us() - paused_us_;
}

}  // namespace partita
