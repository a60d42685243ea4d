#include "cluster/offer_use.h"

#include <algorithm>
#include <cmath>

namespace partita {
namespace {

// With autoscale the throughput falls to a tenth when nothing happens.
constexpr int64_t kAutoscaleIdleShare = 10;
// Whatever once had more cannot go below this part of it.
constexpr int64_t kManualEverShare = 100;
constexpr int64_t kAutoscaleEverShare = 10;
// RU/s for each gigabyte that is stored.
constexpr int64_t kManualPerGigabyte = 1;
constexpr int64_t kAutoscalePerGigabyte = 10;
// Containers that can share the least throughput, and what each one more needs.
constexpr int64_t kContainersForTheLeast = 25;
constexpr int64_t kPerFurtherContainer = 100;

int64_t rounded_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

double peak_of(const Container& container, bool is_shared) {
  double most = 0;
  double sum = 0;
  for (const PartitionPlace& place : container.places) {
    const double peak = place.partition->peak_units_per_second();
    most = std::max(most, peak);
    sum += peak;
  }
  // Throughput is spread evenly, so what the busiest partition needs is given to all.
  return is_shared ? sum : most * static_cast<double>(container.places.size());
}

}  // namespace

OfferUse use_of(const Catalog& catalog, const Offer& offer) {
  const bool is_shared = offer.container == 0;
  OfferUse use;
  for (const std::shared_ptr<const Container>& container : catalog.offers().containers_of(offer)) {
    ++use.containers;
    for (const PartitionPlace& place : container->places) use.stored_bytes += place.partition->counters().stored_bytes();
    use.peak_units_per_second += peak_of(*container, is_shared);
    use.is_pending |= !is_shared && container->has_partition_key() && container->places.size() < partitions_for(offer.throughput);
  }
  return use;
}

int64_t present_throughput(const Offer& offer, const OfferUse& use) {
  if (!offer.throughput.autoscale_max) return offer.throughput.provisioned;
  const int64_t max = *offer.throughput.autoscale_max;
  const auto used = static_cast<int64_t>(std::ceil(use.peak_units_per_second));
  return std::clamp(rounded_up(used, kThroughputStep), max / kAutoscaleIdleShare, max);
}

std::optional<Throughput> raised_for_storage(const Offer& offer, const OfferUse& use) {
  if (!offer.throughput.autoscale_max) return std::nullopt;
  const int64_t max = *offer.throughput.autoscale_max;
  const int64_t needed = static_cast<int64_t>(use.stored_bytes >> 30) * kAutoscalePerGigabyte;
  if (needed <= max || max >= kThroughputMax) return std::nullopt;
  const int64_t incremented = max + max * offer.throughput.increment_percent.value_or(0) / 100;
  Throughput raised = offer.throughput;
  raised.autoscale_max = std::min(rounded_up(std::max(needed, incremented), kAutoscaleStep), kThroughputMax);
  raised.provisioned = *raised.autoscale_max / kAutoscaleIdleShare;
  return raised;
}

int64_t throughput_floor(const Offer& offer, const OfferUse& use) {
  if (offer.throughput.level != PerformanceLevel::kNone) return offer.throughput.provisioned;
  const auto gigabytes = static_cast<int64_t>(use.stored_bytes >> 30);
  if (offer.throughput.autoscale_max) {
    const int64_t least =
        std::max({kAutoscaleMin, offer.provisioned_max_ever / kAutoscaleEverShare, gigabytes * kAutoscalePerGigabyte});
    return rounded_up(least, kAutoscaleStep);
  }
  const int64_t further =
      offer.container == 0 ? std::max<int64_t>(0, static_cast<int64_t>(use.containers) - kContainersForTheLeast) : 0;
  const int64_t least = std::max({kThroughputMin + further * kPerFurtherContainer, offer.provisioned_max_ever / kManualEverShare,
                                  gigabytes * kManualPerGigabyte});
  return rounded_up(least, kThroughputStep);
}

}  // namespace partita
