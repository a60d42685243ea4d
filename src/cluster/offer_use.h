#pragma once

#include "cluster/catalog/catalog.h"

#include <cstdint>

namespace partita {

// What an offer's throughput is used for at the moment.
struct OfferUse {
  uint64_t stored_bytes = 0;
  size_t containers = 0;
  double peak_units_per_second = 0;  // of the last minute; the busiest partition's share counts for all
  bool is_pending = false;           // more partitions are needed to serve it than there are yet
};
OfferUse use_of(const Catalog& catalog, const Offer& offer);

// The throughput that there is now: with autoscale between a tenth of the maximum and all of it, as it is used.
int64_t present_throughput(const Offer& offer, const OfferUse& use);

// What the maximum of autoscale is raised to when more is stored than it allows for; nothing when it does, or without autoscale.
std::optional<Throughput> raised_for_storage(const Offer& offer, const OfferUse& use);

// The least that an offer can be set to: by what it once was, what it stores, and how many containers share it.
int64_t throughput_floor(const Offer& offer, const OfferUse& use);

}  // namespace partita
