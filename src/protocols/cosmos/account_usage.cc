#include "protocols/cosmos/account_usage.h"

#include "cluster/tenants.h"

namespace partita::cosmos {
namespace {

constexpr int64_t kIntervalUs = 1'000'000;

}  // namespace

uint64_t AccountUsage::stored_bytes() {
  const int64_t now_us = clock_.steady_us();
  int64_t next_us = next_us_.load(std::memory_order_relaxed);
  if (now_us >= next_us && next_us_.compare_exchange_strong(next_us, now_us + kIntervalUs)) {
    workers_.submit({.tenant = kAccountTenant, .run = [this](Turn&) { add_up(); }, .refuse = [](const Error&) {}});
  }
  return bytes_.load(std::memory_order_relaxed);
}

void AccountUsage::add_up() {
  uint64_t bytes = 0;
  for (const std::shared_ptr<const Container>& container : catalog_.containers()) {
    for (const PartitionPlace& place : container->places) bytes += place.partition->stored_bytes();
  }
  bytes_.store(bytes, std::memory_order_relaxed);
}

}  // namespace partita::cosmos
