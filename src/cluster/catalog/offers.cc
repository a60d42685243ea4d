#include "cluster/catalog/offers.h"

#include "cluster/catalog/resource_checks.h"
#include "cluster/records/records.h"
#include "partition/charge/request_budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

size_t partitions_for(const Throughput& throughput, int64_t per_partition) {
  const int64_t planned = std::max<int64_t>(throughput.planned(), 1);
  return static_cast<size_t>((planned + per_partition - 1) / per_partition);
}

Status check_can_be_spread(const ContainerDefinition& definition, const Throughput& throughput) {
  if (!definition.partition_key.paths.empty() || throughput.planned() <= kThroughputPerPartition) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("A container without partition key can have at most {} RU/s.", kThroughputPerPartition));
}

Status check_throughput(const Throughput& throughput) {
  if (throughput.level != PerformanceLevel::kNone) return {};
  const bool is_autoscale = throughput.autoscale_max.has_value();
  const int64_t asked = throughput.planned();
  const int64_t least = is_autoscale ? kAutoscaleMin : kThroughputMin;
  const int64_t step = is_autoscale ? kAutoscaleStep : kThroughputStep;
  if (asked >= least && asked <= kThroughputMax && asked % step == 0) return {};
  const std::string what = asked < least
                               ? fmt::format("Requested throughput {} is less than required minimum throughput {}.", asked, least)
                               : fmt::format("{} was asked for.", asked);
  return fail(ErrorCode::kInvalidInput,
              fmt::format("The offer should have valid throughput values between {} and {} inclusive in increments of {}. {}",
                          least, kThroughputMax, step, what));
}

Status check_can_be_shared(const Throughput& throughput) {
  if (throughput.level == PerformanceLevel::kNone) return {};
  return fail(ErrorCode::kInvalidInput, "A performance level is a container's; a database's throughput is a number.");
}

std::vector<Offers::OfferPtr> Offers::list() const {
  const auto lock = changes_.reading();
  std::vector<OfferPtr> all;
  for (const auto& [number, offer] : offers_) all.push_back(offer);
  return all;
}

Offers::OfferPtr Offers::find(uint32_t number) const {
  const auto lock = changes_.reading();
  const auto found = offers_.find(number);
  return found == offers_.end() ? nullptr : found->second;
}

Offers::OfferPtr Offers::of(uint32_t database, uint32_t container) const {
  const auto lock = changes_.reading();
  return own(database, container);
}

Offers::OfferPtr Offers::own(uint32_t database, uint32_t container) const {
  const auto number = numbers_by_owner_.find({database, container});
  return number == numbers_by_owner_.end() ? nullptr : offers_.at(number->second);
}

size_t Offers::partitions_of(const ContainerDefinition& definition, const std::optional<Throughput>& throughput) const {
  const bool shares_throughput = !throughput;
  if (definition.partition_key.paths.empty() || shares_throughput) return 1;
  const bool is_manual = !throughput->autoscale_max;
  return partitions_for(*throughput, is_manual ? limits_.new_partition_throughput : kThroughputPerPartition);
}

Result<Offers::OfferPtr> Offers::add(uint32_t database, uint32_t container, const Throughput& throughput, WriteBatch& batch) {
  TRY_ASSIGN(const uint32_t number, changes_.next_number(kOfferCounter, batch));
  auto offer = std::make_shared<Offer>(Offer{.number = number,
                                             .database = database,
                                             .container = container,
                                             .throughput = throughput,
                                             .provisioned_max_ever = throughput.planned(),
                                             .revision = changes_.new_revision()});
  batch.put(Family::kCatalog, offer_key(number), encode_offer(*offer));
  return offer;
}

void Offers::erase(uint32_t database, uint32_t container, WriteBatch& batch) const {
  if (const OfferPtr offer = own(database, container)) batch.erase(Family::kCatalog, offer_key(offer->number));
}

void Offers::put(const OfferPtr& offer) {
  if (!offer) return;
  numbers_by_owner_[{offer->database, offer->container}] = offer->number;
  offers_[offer->number] = offer;
}

void Offers::forget(uint32_t database, uint32_t container) {
  const auto number = numbers_by_owner_.find({database, container});
  if (number == numbers_by_owner_.end()) return;
  offers_.erase(number->second);
  numbers_by_owner_.erase(number);
}

void Offers::forget_database(uint32_t database) {
  const auto first = numbers_by_owner_.lower_bound({database, 0});
  const auto last = numbers_by_owner_.upper_bound({database, UINT32_MAX});
  for (auto number = first; number != last; ++number) offers_.erase(number->second);
  numbers_by_owner_.erase(first, last);
  shared_budgets_.erase(database);
}

Status Offers::load() {
  return changes_.for_each_record('o', [this](std::string_view json) -> Status {
    TRY_ASSIGN(Offer offer, decode_offer(json));
    if (map_.find(offer.database) == nullptr) {
      return fail(ErrorCode::kCorruption, fmt::format("offer {} has no database", offer.number));
    }
    if (offer.container == 0) provision_database(offer);
    put(std::make_shared<const Offer>(std::move(offer)));
    return {};
  });
}

Result<Offers::OfferPtr> Offers::replace(uint32_t number, const Throughput& throughput, std::string_view if_match) {
  TRY(check_throughput(throughput));
  TRY_ASSIGN(const auto changes, changes_.begin());
  const OfferPtr before = find(number);
  if (!before) return fail(ErrorCode::kNotFound, fmt::format("The offer {} does not exist.", number));
  TRY(check_etag(if_match, before->revision));
  if (before->container == 0) TRY(check_can_be_shared(throughput));
  if (before->container != 0) {
    const std::shared_ptr<const Container> container = map_.find(before->database, before->container);
    if (!container) return fail(ErrorCode::kCorruption, fmt::format("offer {} has no container", before->number));
    TRY(check_can_be_spread(container->definition, throughput));
  }
  auto after = std::make_shared<Offer>(*before);
  after->throughput = throughput;
  after->provisioned_max_ever = std::max(after->provisioned_max_ever, throughput.planned());
  after->revision = changes_.new_revision();
  WriteBatch batch(changes_.store());
  batch.put(Family::kCatalog, offer_key(after->number), encode_offer(*after));
  TRY(changes_.commit(batch, [this, after] {
    put(after);
    if (after->container == 0) {
      provision_database(*after);
    } else {
      provision(*map_.find(after->database, after->container), after.get());
    }
  }));
  return after;
}

CatalogMap::Containers Offers::containers_of(const Offer& offer) const {
  const auto lock = changes_.reading();
  CatalogMap::Containers all;
  if (offer.container != 0) {
    if (auto owner = map_.find(offer.database, offer.container)) all.push_back(std::move(owner));
  } else if (const CatalogMap::Entry* entry = map_.find(offer.database)) {
    all = entry->list();
    std::erase_if(all, [&](const auto& container) { return has_own(offer.database, container->number); });
  }
  return all;
}

void Offers::provision(const Container& container, const Offer* own_offer) const {
  const auto partitions = static_cast<double>(container.places.size());
  const auto shared = shared_budgets_.find(container.database->number);
  for (const PartitionPlace& place : container.places) {
    Meter& meter = place.partition->local().meter();
    meter.sample_documents(limits_.records_workload);
    if (own_offer == nullptr && shared != shared_budgets_.end()) {
      if (!meter.shares_budget()) meter.share_budget(shared->second);
    } else if (own_offer != nullptr && limits_.is_enforced) {
      const double share = static_cast<double>(own_offer->throughput.planned()) / partitions;
      meter.budget().set_rate(std::min(share, static_cast<double>(kThroughputPerPartition)));
      meter.budget().allow_bursts(limits_.allows_bursts);
    }
  }
}

void Offers::provision_database(const Offer& offer) {
  std::shared_ptr<RequestBudget>& shared = shared_budgets_[offer.database];
  if (!shared) shared = std::make_shared<RequestBudget>(changes_.clock().steady_us());
  if (!limits_.is_enforced) return;
  shared->set_rate(static_cast<double>(offer.throughput.planned()));
  shared->allow_bursts(limits_.allows_bursts);
}

void Offers::reset_budgets() {
  const auto lock = changes_.reading();
  map_.for_each_container([](const std::shared_ptr<const Container>& container) {
    for (const PartitionPlace& place : container->places) place.partition->local().meter().reset_budget();
  });
}

}  // namespace partita
