#include "cluster/reshape/reshapes.h"

#include "cluster/reshape/key_change.h"
#include "document/order.h"
#include "engine/rows.h"
#include "partition/heat/heat_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <span>

namespace partita {
namespace {

uint64_t number_of(std::string_view range_id) {
  uint64_t number = 0;
  std::from_chars(range_id.data(), range_id.data() + range_id.size(), number);
  return number;
}

// How many ranges that are gone a container and each of its partitions remember, the latest ones. Clients need those that they
// may still have in their maps.
constexpr size_t kGoneRangesMax = 256;
// How long a change of a container's definition waits for another map: longer than writers are kept out, unless partitions are
// compared before they are published.
constexpr std::chrono::seconds kFenceWaitMax{2};

template <typename T>
void keep_latest(std::vector<T>& oldest_first) {
  if (oldest_first.size() <= kGoneRangesMax) return;
  oldest_first.erase(oldest_first.begin(), oldest_first.end() - static_cast<ptrdiff_t>(kGoneRangesMax));
}

// Range ids are never used twice: those that replace others get the highest.
uint64_t first_free_range_id(const Container& container) {
  uint64_t newest = 0;
  for (const PartitionPlace& place : container.places) newest = std::max(newest, number_of(place.range_id));
  return newest + 1;
}

std::unexpected<Error> being_changed() {
  return fail(ErrorCode::kUnavailable, "The container's partitions are being changed; please retry later.");
}

std::unexpected<Error> no_such_parents() {
  return fail(ErrorCode::kPartitionGone, "The container does not have these neighbouring partitions, or no longer has them.");
}

// Where the parents begin in the map. kPartitionGone when they are not neighbours there.
Result<size_t> position_of(const std::vector<std::string>& parents, const Container& container) {
  const auto first = std::ranges::find(container.places, parents.front(), &PartitionPlace::range_id);
  const auto position = static_cast<size_t>(first - container.places.begin());
  if (parents.size() > container.places.size() - position) return no_such_parents();
  for (size_t i = 0; i < parents.size(); ++i) {
    if (container.places[position + i].range_id != parents[i]) return no_such_parents();
  }
  return position;
}

std::vector<std::string> ancestors(const Container& container, size_t position, size_t count) {
  std::vector<std::string> all;
  for (size_t i = position; i < position + count; ++i) {
    const PartitionPlace& place = container.places[i];
    all.insert(all.end(), place.parents.begin(), place.parents.end());
    all.push_back(place.range_id);
  }
  std::ranges::sort(all, {}, number_of);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  keep_latest(all);
  return all;
}

// What each child takes over of its parents' past.
std::vector<HeatHistory> inherited(std::span<const PartitionPlace> parents, std::span<const std::shared_ptr<Partition>> children,
                                   bool is_rekeyed) {
  HeatHistory past;
  for (const PartitionPlace& parent : parents) past += parent.partition->local().meter().history();
  if (is_rekeyed) past.hot_keys.clear();  // they are hashes of another key
  uint64_t documents = 0;
  for (const std::shared_ptr<Partition>& child : children) documents += child->counters().documents;
  std::vector<HeatHistory> parts;
  for (const std::shared_ptr<Partition>& child : children) {
    const double documents_share = documents == 0
                                       ? 1.0 / static_cast<double>(children.size())
                                       : static_cast<double>(child->counters().documents) / static_cast<double>(documents);
    parts.push_back(past.part(child->range(), past.share_of(child->range(), documents_share)));
  }
  return parts;
}

// The definition may have changed since the children were begun: with another index they are of no use, other rules they take.
Status follow_definition(const Reshapes::Partitions& children, const ContainerDefinition& definition) {
  for (const std::shared_ptr<Partition>& child : children) {
    if (!child->index().policy->is_same(*definition.indexing)) {
      return fail(ErrorCode::kUnavailable, "The indexing policy was changed while partitions were copied.");
    }
    child->set_rules(definition.rules);
  }
  return {};
}

}  // namespace

Status Reshapes::load() {
  WriteBatch batch(changes_.store());
  TRY(changes_.for_each_record('r', [&](std::string_view json) -> Status {
    TRY_ASSIGN(Reshape reshape, decode_reshape(json));
    // Published, nothing is left to do but to drop rows that nobody names, as every start does.
    if (reshape.state == Reshape::State::kPublished) {
      batch.erase(Family::kCatalog, reshape_key(reshape.database, reshape.container));
    } else {
      set_mode(reshape, reshape.mode);
      journals_[{reshape.database, reshape.container}] = std::move(reshape);
    }
    return {};
  }));
  if (changes_.store().is_read_only()) return {};
  TRY(changes_.store().apply(batch));
  return {};
}

void Reshapes::set_mode(const Reshape& reshape, ContainerMode mode) const {
  if (const auto container = map_.find(reshape.database, reshape.container)) container->lineage->set_mode(mode);
}

std::vector<Reshape> Reshapes::list() const {
  const auto lock = changes_.reading();
  std::vector<Reshape> all;
  for (const auto& [owner, reshape] : journals_) all.push_back(reshape);
  return all;
}

Result<Reshape> Reshapes::begin(Reshape plan) {
  TRY_ASSIGN(const auto changes, changes_.begin());
  const std::shared_ptr<const Container> found = map_.find(plan.database, plan.container);
  if (!found) return fail(ErrorCode::kNotFound, "The container does not exist.");
  const Container& container = *found;
  TRY_ASSIGN(const size_t position, position_of(plan.parents, container));
  const std::vector<std::string> parents = ancestors(container, position, plan.parents.size());
  uint64_t range_id = first_free_range_id(container);
  // The parents stay for a while.
  TRY(container.lineage->loan().grow_to(container.memory_bytes() + plan.children.size() * kPartitionMemoryBytes));
  WriteBatch batch(changes_.store());
  for (PlaceRecord& child : plan.children) {
    TRY_ASSIGN(child.partition.value, changes_.next_number(kPartitionCounter, batch));
    TRY_ASSIGN(child.index.value, changes_.next_number(kIndexCounter, batch));
    child.range_id = std::to_string(range_id++);
    child.parents = parents;
  }
  plan.state = Reshape::State::kPrepared;
  batch.put(Family::kCatalog, reshape_key(plan.database, plan.container), encode_reshape(plan));
  TRY(changes_.commit(batch, [this, plan, lineage = container.lineage] {
    journals_[{plan.database, plan.container}] = plan;
    lineage->set_mode(plan.mode);
  }));
  return plan;
}

Status Reshapes::note(const Reshape& reshape) {
  TRY_ASSIGN(const auto changes, changes_.begin());
  if (!journals_.contains({reshape.database, reshape.container})) return no_such_parents();
  WriteBatch batch(changes_.store());
  batch.put(Family::kCatalog, reshape_key(reshape.database, reshape.container), encode_reshape(reshape));
  return changes_.commit(batch, [this, reshape] { journals_[{reshape.database, reshape.container}] = reshape; });
}

Result<Reshapes::Reshaped> Reshapes::find(const Reshape& reshape) const {
  std::shared_ptr<const Container> container = map_.find(reshape.database, reshape.container);
  if (!container) return no_such_parents();
  TRY_ASSIGN(const size_t position, position_of(reshape.parents, *container));
  return Reshaped{std::move(container), position};
}

Status Reshapes::wait_for_fence(CatalogChanges::Lock& changes, std::string_view database, std::string_view id_or_rid) {
  const bool is_over = fence_ended_.wait_for(changes, kFenceWaitMax, [&] {
    const CatalogMap::Entry* entry = map_.find(database);
    const std::shared_ptr<const Container> container = entry == nullptr ? nullptr : CatalogMap::find(*entry, id_or_rid);
    return !container || !is_fenced(*container);
  });
  if (is_over) return changes_.settle();  // others have changed something meanwhile
  return being_changed();
}

Result<std::shared_ptr<const Container>> Reshapes::publish(const Reshape& reshape, const Fence& fence) {
  const std::pair owner(reshape.database, reshape.container);
  {
    TRY_ASSIGN(const auto changes, changes_.begin());
    TRY(find(reshape));
    fenced_.insert(owner);
  }
  const Result<Partitions> children = fence();
  const auto changes = changes_.hold();
  fenced_.erase(owner);
  fence_ended_.notify_all();
  if (!children) return std::unexpected(children.error());
  TRY(changes_.settle());
  return publish_children(reshape, *children);
}

std::shared_ptr<Container> Reshapes::with_children(const Reshaped& before, const Reshape& reshape,
                                                   const Partitions& children) const {
  auto after = std::make_shared<Container>(*before.container);
  const auto first = after->places.begin() + static_cast<ptrdiff_t>(before.position);
  after->places.erase(first, first + static_cast<ptrdiff_t>(reshape.parents.size()));
  for (size_t i = 0; i < children.size(); ++i) {
    const PlaceRecord& child = reshape.children[i];
    after->places.insert(after->places.begin() + static_cast<ptrdiff_t>(before.position + i),
                         {child.range_id, child.parents, std::make_shared<const PartitionClient>(children[i])});
  }
  for (size_t i = 0; i < reshape.parents.size(); ++i) {
    const PartitionPlace& parent = before.container->places[before.position + i];
    after->former.push_back({parent.range_id, parent.range()});
  }
  keep_latest(after->former);
  if (reshape.partition_key) {
    after->definition.partition_key = *reshape.partition_key;
    after->definition.indexing = children.front()->index().policy;
    after->revision = changes_.new_revision();
  }
  return after;
}

void Reshapes::put_heat(const Reshaped& before, const Reshape& reshape, const Partitions& children, WriteBatch& batch) {
  const std::span parents = std::span(before.container->places).subspan(before.position, reshape.parents.size());
  const std::vector<HeatHistory> heat = inherited(parents, children, reshape.partition_key.has_value());
  for (size_t i = 0; i < children.size(); ++i) {
    children[i]->meter().restore(heat[i]);
    batch.put(Family::kCatalog, heat_key(children[i]->id()), encode_heat(heat[i]));
  }
}

Result<std::shared_ptr<const Container>> Reshapes::publish_children(const Reshape& reshape, const Partitions& children) {
  TRY_ASSIGN(const Reshaped before, find(reshape));
  TRY(follow_definition(children, before.container->definition));
  std::shared_ptr<Container> after = with_children(before, reshape, children);
  if (reshape.partition_key) {
    TRY_ASSIGN(KeyChange change, key_change_of(reshape, before.container->definition));
    after->definition.properties = std::move(change.properties);
    after->definition.synthetic_key = std::move(change.synthetic_key);
  }
  const std::span parents = std::span(before.container->places).subspan(before.position, reshape.parents.size());
  Reshape published = reshape;
  published.state = Reshape::State::kPublished;
  WriteBatch batch(changes_.store());
  DroppedRows unneeded;
  // The children have the newest policy's index already.
  for (const PartitionPlace& parent : parents) {
    const Partition& partition = parent.partition->local();
    if (const auto growth = partition.growth()) unneeded.add_index(partition.slice().store(), growth->index.id);
  }
  put_heat(before, reshape, children, batch);
  batch.put(Family::kCatalog, container_key(reshape.database, reshape.container), encode_container(*after));
  batch.put(Family::kCatalog, reshape_key(reshape.database, reshape.container), encode_reshape(published));
  const std::shared_ptr<const Offer> offer = offers_.own(reshape.database, reshape.container);
  const auto make_visible = [this, before, parents, published, after, offer] {
    offers_.provision(*after, offer.get());
    map_.put(after);
    // Room was made for it when it began, which a change of the definition may have given back.
    (void)after->lineage->loan().grow_to(after->memory_bytes(), FairMemory::Claim::kAlways);
    journals_[{published.database, published.container}] = published;
    for (const PartitionPlace& parent : parents) {
      Partition& partition = parent.partition->local();
      partition.hand_over();
      partition.set_index(partition.index());
    }
    after->lineage->set_mode(ContainerMode::kOnline);
  };
  bool is_taken = false;
  Status outcome = changes_.commit(batch, make_visible, [&] { is_taken = true; }, std::move(unneeded));
  if (!outcome && !is_taken) return std::unexpected(std::move(outcome).error());
  // Readers go on with the parents until the children are durable. Nobody may write there any more: the children have no part
  // in it.
  if (!outcome) {
    for (const PartitionPlace& parent : parents) parent.partition->local().retire(being_changed().error());
  }
  return after;
}

Status Reshapes::end(const Reshape& reshape, const std::vector<Slice>& dropped) {
  TRY_ASSIGN(const auto changes, changes_.begin());
  WriteBatch batch(changes_.store());
  DroppedRows rows;
  for (const Slice& slice : dropped) rows.add(slice);
  const auto journal = journals_.find({reshape.database, reshape.container});
  // The container may be reshaped again before the last one's parents could be dropped.
  const bool is_newest =
      journal != journals_.end() && journal->second.children.front().partition == reshape.children.front().partition;
  if (is_newest) batch.erase(Family::kCatalog, reshape_key(reshape.database, reshape.container));
  const auto forget = [this, reshape, is_newest] {
    if (!is_newest) return;
    // Neither the parents nor children that came to nothing are there any more.
    if (const auto container = map_.find(reshape.database, reshape.container)) {
      container->lineage->loan().shrink_to(container->memory_bytes());
    }
    set_mode(reshape, ContainerMode::kOnline);
    journals_.erase({reshape.database, reshape.container});
  };
  return changes_.commit(batch, forget, {}, std::move(rows));
}

}  // namespace partita
