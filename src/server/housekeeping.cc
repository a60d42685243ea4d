#include "server/housekeeping.h"

#include "cluster/offer_use.h"
#include "gateway/erase_key.h"
#include "observe/log.h"

#include <chrono>

namespace partita::server {
namespace {

// Between rounds: when there was nothing to do, and when there may be more.
constexpr std::chrono::milliseconds kIdlePause{1000};
constexpr std::chrono::milliseconds kBusyPause{10};
constexpr int64_t kMinuteUs = 60'000'000;

}  // namespace

Housekeeping::Housekeeping(Catalog& catalog, const Clock& clock, uint64_t logical_partition_bytes_max)
    : catalog_(catalog),
      clock_(clock),
      minute_us_(clock.steady_us()),
      reclaimer_(catalog, clock),
      logical_limits_(catalog, logical_partition_bytes_max),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Housekeeping::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<size_t> removed = reclaimer_.run_round();
    if (!removed)
      spdlog::warn("removing expired documents and old versions failed, it is tried again: {}", removed.error().message);
    if (const Result<bool> finished = finish_an_erasure(catalog_, stop); !finished && !stop.stop_requested()) {
      spdlog::warn("finishing the deletion of a partition key failed, it is tried again: {}", finished.error().message);
    }
    if (const Status weighed = logical_limits_.run_round(stop); !weighed) {
      spdlog::warn("weighing logical partitions failed, it is tried again: {}", weighed.error().message);
    }
    if (clock_.steady_us() - minute_us_ >= kMinuteUs) {
      minute_us_ = clock_.steady_us();
      keep_heat();
      raise_autoscale();
    }
    std::unique_lock lock(mutex_);
    const bool has_more = removed && *removed > 0;
    wake_.wait_for(lock, stop, has_more ? kBusyPause : kIdlePause, [] { return false; });
  }
  keep_heat();
}

void Housekeeping::raise_autoscale() {
  for (const std::shared_ptr<const Offer>& offer : catalog_.offers()) {
    if (!offer->throughput.autoscale_max) continue;
    const std::optional<Throughput> raised = raised_for_storage(*offer, use_of(catalog_, *offer));
    if (!raised) continue;
    const auto replaced = catalog_.replace_offer(offer->rid(), *raised, offer->revision.etag);
    // Somebody else may have replaced or deleted it.
    const bool has_changed =
        !replaced && (replaced.error().code == ErrorCode::kPreconditionFailed || replaced.error().code == ErrorCode::kNotFound);
    if (replaced || has_changed) continue;
    spdlog::warn("raising the throughput of what has grown failed, it is tried again: {}", replaced.error().message);
  }
}

void Housekeeping::keep_heat() {
  if (const Status kept = catalog_.keep_heat(); !kept) {
    spdlog::warn("writing down how much partitions are used failed, it is tried again: {}", kept.error().message);
  }
}

}  // namespace partita::server
