#include "cluster/catalog/catalog.h"
#include "cluster/catalog/catalog_parts.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

#include <algorithm>

// The part of the catalog that keeps offers and gives partitions their throughput.
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

std::shared_ptr<const Offer> Catalog::add_offer(uint32_t number, uint32_t database, uint32_t container,
                                                const Throughput& throughput, WriteBatch& batch) const {
  auto offer = std::make_shared<Offer>(Offer{.number = number,
                                             .database = database,
                                             .container = container,
                                             .throughput = throughput,
                                             .provisioned_max_ever = throughput.planned(),
                                             .revision = new_revision()});
  batch.put(Family::kCatalog, offer_key(number), encode_offer(*offer));
  return offer;
}

void Catalog::publish(const std::shared_ptr<const Offer>& offer) {
  if (!offer) return;
  offers_by_owner_[{offer->database, offer->container}] = offer->number;
  offers_[offer->number] = offer;
}

std::vector<std::shared_ptr<const Offer>> Catalog::offers() const {
  const auto lock = reading();
  std::vector<std::shared_ptr<const Offer>> all;
  for (const auto& [number, offer] : offers_) all.push_back(offer);
  return all;
}

Result<std::shared_ptr<const Offer>> Catalog::offer(std::string_view rid) const {
  const auto lock = reading();
  for (const auto& [number, offer] : offers_) {
    if (offer->rid() == rid) return offer;
  }
  return fail(ErrorCode::kNotFound, fmt::format("The offer '{}' does not exist.", rid));
}

std::shared_ptr<const Offer> Catalog::offer_of(uint32_t database, uint32_t container) const {
  const auto lock = reading();
  const auto number = offers_by_owner_.find({database, container});
  return number == offers_by_owner_.end() ? nullptr : offers_.at(number->second);
}

Result<std::shared_ptr<const Offer>> Catalog::replace_offer(std::string_view rid, const Throughput& throughput,
                                                            std::string_view if_match) {
  TRY(check_throughput(throughput));
  TRY_ASSIGN(const auto changes, begin_change());
  TRY_ASSIGN(const std::shared_ptr<const Offer> before, offer(rid));
  TRY(check_etag(if_match, before->revision));
  if (before->container != 0) {
    const Container& container = *databases_.at(before->database).containers.at(before->container);
    TRY(check_can_be_spread(container.definition, throughput));
  }
  auto after = std::make_shared<Offer>(*before);
  after->throughput = throughput;
  after->provisioned_max_ever = std::max(after->provisioned_max_ever, throughput.planned());
  after->revision = new_revision();
  WriteBatch batch(store_);
  batch.put(Family::kCatalog, offer_key(after->number), encode_offer(*after));
  TRY(commit(batch, [this, after] {
    publish(after);
    DatabaseEntry& entry = databases_.at(after->database);
    if (after->container == 0) {
      provision_database(entry, *after);
    } else {
      provision(entry, *entry.containers.at(after->container), after.get());
    }
  }));
  return after;
}

Catalog::Containers Catalog::containers_of(const Offer& offer) const {
  const auto lock = reading();
  Containers all;
  const auto entry = databases_.find(offer.database);
  if (entry == databases_.end()) return all;
  if (offer.container != 0) {
    const auto own = entry->second.containers.find(offer.container);
    if (own != entry->second.containers.end()) all.push_back(own->second);
    return all;
  }
  for (const auto& [number, container] : entry->second.containers) {
    if (!offers_by_owner_.contains({offer.database, number})) all.push_back(container);
  }
  return all;
}

void Catalog::provision(DatabaseEntry& entry, const Container& container, const Offer* own_offer) const {
  const auto partitions = static_cast<double>(container.places.size());
  for (const PartitionPlace& place : container.places) {
    Meter& meter = place.partition->local().meter();
    if (own_offer == nullptr && entry.shared_budget) {
      if (!meter.shares_budget()) meter.share_budget(entry.shared_budget);
    } else if (own_offer != nullptr && limits_.is_enforced) {
      const double share = static_cast<double>(own_offer->throughput.planned()) / partitions;
      meter.budget().set_rate(std::min(share, static_cast<double>(kThroughputPerPartition)));
      meter.budget().allow_bursts(limits_.allows_bursts);
    }
  }
}

// The containers that share a database's throughput draw from one budget.
void Catalog::provision_database(DatabaseEntry& entry, const Offer& offer) const {
  if (!entry.shared_budget) entry.shared_budget = std::make_shared<RequestBudget>(clock_.steady_us());
  if (!limits_.is_enforced) return;
  entry.shared_budget->set_rate(static_cast<double>(offer.throughput.planned()));
  entry.shared_budget->allow_bursts(limits_.allows_bursts);
}

void Catalog::reset_budgets() {
  const auto lock = reading();
  for (const auto& [number, entry] : databases_) {
    for (const auto& [container_number, container] : entry.containers) {
      for (const PartitionPlace& place : container->places) place.partition->local().meter().reset_budget();
    }
  }
}

}  // namespace partita
