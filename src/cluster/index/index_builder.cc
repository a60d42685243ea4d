#include "cluster/index/index_builder.h"

#include <chrono>

namespace partita {
namespace {

constexpr std::chrono::seconds kPauseAfterFailure{1};

}  // namespace

IndexBuilder::Round IndexBuilder::look_at_all() {
  Round round;
  for (const std::shared_ptr<const Container>& container : catalog_.containers()) {
    for (const PartitionPlace& place : container->places) {
      const std::optional<Partition::Growth> growth = place.partition->local().growth();
      if (!growth) continue;
      ++round.growing;
      const Status built = build(*container, place, growth->index.id);
      if (built) ++round.filled;
      if (!built && round.outcome) round.outcome = built;
    }
  }
  return round;
}

Status IndexBuilder::build(const Container& container, const PartitionPlace& place, IndexId growing) {
  return catalog_.failures()->attempt(background::kBuildIndex, place.name_in(container), [&]() -> Status {
    TRY_ASSIGN(const bool is_filled, place.partition->local().fill_index(growing));
    if (!is_filled) return {};
    // Before a record names it as the one to read, which may be in another store.
    Store& store = place.partition->local().slice().store();
    TRY(store.wait_durable(store.applied()));
    TRY(catalog_.indexes().finish(container, place.partition->id(), growing));
    return {};
  });
}

Result<size_t> IndexBuilder::run_round() {
  const Round round = look_at_all();
  if (!round.outcome) return std::unexpected(round.outcome.error());
  return round.growing;
}

Status IndexBuilder::finish() {
  size_t growing = 1;
  while (growing > 0) {
    TRY_ASSIGN(growing, run_round());
  }
  return {};
}

void IndexBuilder::start() {
  catalog_.indexes().when_growing([this] {
    std::lock_guard lock(mutex_);
    has_work_ = true;
    wake_.notify_all();
  });
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void IndexBuilder::stop() {
  if (!thread_.joinable()) return;
  catalog_.indexes().when_growing({});
  thread_.request_stop();
  thread_.join();
}

// Writers wait during a step, so they get as much time between rounds.
void IndexBuilder::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait(lock, stop, [this] { return has_work_; });
    if (stop.stop_requested()) return;
    has_work_ = false;
    lock.unlock();
    const auto began = std::chrono::steady_clock::now();
    const Round round = look_at_all();
    std::chrono::steady_clock::duration pause = std::chrono::steady_clock::now() - began;
    lock.lock();
    if (round.growing == 0) continue;
    has_work_ = true;
    if (round.filled == 0) pause = kPauseAfterFailure;
    wake_.wait_for(lock, stop, pause, [] { return false; });
  }
}

}  // namespace partita
