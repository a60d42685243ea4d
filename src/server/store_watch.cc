#include "server/store_watch.h"

#include <chrono>

namespace partita::server {
namespace {

constexpr std::chrono::seconds kInterval{1};
// A read that takes longer than this does not work.
constexpr int64_t kHangsAfterUs = 10'000'000;

}  // namespace

StoreWatch::StoreWatch(const Store& store, const Clock& clock)
    : store_(store),
      clock_(clock),
      looked_at_us_(clock.steady_us()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::optional<std::string> StoreWatch::failure() const {
  std::lock_guard lock(mutex_);
  if (failure_) return failure_;
  if (clock_.steady_us() - looked_at_us_ > kHangsAfterUs) return "the disk does not answer";
  return std::nullopt;
}

void StoreWatch::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    look();
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, stop, kInterval, [] { return false; });
  }
}

void StoreWatch::look() {
  std::string value;
  const Result<bool> read = store_.get(Family::kCatalog, "n", value);
  std::lock_guard lock(mutex_);
  failure_ = read ? std::nullopt : std::optional(read.error().message);
  looked_at_us_ = clock_.steady_us();
}

}  // namespace partita::server
