#include "server/housekeeping.h"

#include "cluster/offer_use.h"
#include "gateway/items/erase_key.h"

#include <fmt/format.h>

#include <chrono>

namespace partita::server {
namespace {

// Between rounds: when there was nothing to do, and when there may be more.
constexpr std::chrono::milliseconds kIdlePause{1000};
constexpr std::chrono::milliseconds kBusyPause{10};
constexpr int64_t kMinuteUs = 60'000'000;

Event event_of(const BackgroundFailure& failure, std::string_view kind) {
  Event event{.room = "cluster", .kind = kind, .what = {}, .where = failure.subject};
  if (failure.is_over) {
    event.what = fmt::format("{} works again, after {} failures", failure.kind, failure.tries);
  } else {
    event.severity = EventSeverity::kWarning;
    event.what = fmt::format("{} failed (failure {} of its kind), and is tried again in {} s: {}", failure.kind, failure.tries,
                             (failure.next_ms - failure.last_ms) / 1000, failure.message);
  }
  return event;
}

}  // namespace

Housekeeping::Housekeeping(Catalog& catalog, const Clock& clock, EventSink& events, uint64_t logical_partition_bytes_max)
    : catalog_(catalog),
      clock_(clock),
      minute_us_(clock.steady_us()),
      reclaimer_(catalog, clock),
      logical_limits_(catalog, logical_partition_bytes_max) {
  catalog_.failures()->set_listener([&events](const BackgroundFailure& failure) {
    events.report(event_of(failure, failure.is_over ? "background-recovery" : "background-failure"));
  });
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Housekeeping::~Housekeeping() {
  thread_.request_stop();
  thread_.join();
  catalog_.failures()->set_listener({});
}

// What fails is noted with the catalog, by the part that it happens to.
void Housekeeping::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<size_t> removed = reclaimer_.run_round();
    (void)catalog_.failures()->attempt(background::kLeaseNumbers, {}, [this] { return catalog_.numbers().extend(); });
    (void)finish_an_erasure(catalog_, stop);
    (void)logical_limits_.run_round(stop);
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
  for (const std::shared_ptr<const Offer>& offer : catalog_.offers().list()) {
    if (!offer->throughput.autoscale_max) continue;
    const std::optional<Throughput> raised = raised_for_storage(*offer, use_of(catalog_, *offer));
    if (!raised) continue;
    (void)catalog_.failures()->attempt(background::kRaiseThroughput, fmt::format("offer {}", offer->number), [&]() -> Status {
      const auto replaced = catalog_.offers().replace(offer->number, *raised, offer->revision.etag);
      // Somebody else may have replaced or deleted it.
      const bool has_changed =
          !replaced && (replaced.error().code == ErrorCode::kPreconditionFailed || replaced.error().code == ErrorCode::kNotFound);
      if (replaced || has_changed) return {};
      return std::unexpected(replaced.error());
    });
  }
}

void Housekeeping::keep_heat() {
  (void)catalog_.failures()->attempt(background::kKeepHeat, {}, [this] { return catalog_.heat().keep(); });
}

}  // namespace partita::server
