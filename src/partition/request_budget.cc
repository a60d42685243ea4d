#include "partition/request_budget.h"

#include <algorithm>

namespace partita {
namespace {

constexpr int64_t kNanosPerMicro = 1000;
constexpr double kNanosPerSecond = 1e9;

// Advances the point up to which everything is paid by what `units` take at `rate`.
void advance(std::atomic<int64_t>& paid_until_ns, int64_t now_ns, int64_t kept_us, double units, double rate) {
  const auto cost_ns = static_cast<int64_t>(units / rate * kNanosPerSecond);
  const int64_t oldest_ns = now_ns - kept_us * kNanosPerMicro;
  const int64_t newest_ns = now_ns + RequestBudget::kDebtMaxUs * kNanosPerMicro;
  int64_t before = paid_until_ns.load(std::memory_order_relaxed);
  int64_t after = 0;
  do {
    after = std::min(std::max(before, oldest_ns) + cost_ns, std::max(before, newest_ns));
  } while (!paid_until_ns.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

// Rounded up: whoever comes back then is admitted.
int64_t until_us(int64_t paid_until_ns, int64_t now_ns) {
  return std::max<int64_t>(0, (paid_until_ns - now_ns + kNanosPerMicro - 1) / kNanosPerMicro);
}

}  // namespace

int64_t RequestBudget::wait_us(int64_t now_us, Priority priority) const {
  if (rate() == kUnlimited || priority == Priority::kBackground) return 0;
  const int64_t now_ns = now_us * kNanosPerMicro;
  int64_t wait = until_us(paid_until_ns_.load(std::memory_order_relaxed), now_ns);
  if (is_bursting()) wait = std::max(wait, until_us(burst_paid_until_ns_.load(std::memory_order_relaxed), now_ns));
  if (priority == Priority::kHigh) return wait;
  return std::max(wait, until_us(paid_until_ns_.load(std::memory_order_relaxed) + kReserveUs * kNanosPerMicro, now_ns));
}

void RequestBudget::charge(int64_t now_us, double units) {
  const double rate = this->rate();
  if (rate == kUnlimited) return;
  const int64_t now_ns = now_us * kNanosPerMicro;
  const bool is_bursting = this->is_bursting();
  advance(paid_until_ns_, now_ns, is_bursting ? kept_us_.load(std::memory_order_relaxed) : kSecondUs, units, rate);
  if (is_bursting) advance(burst_paid_until_ns_, now_ns, kSecondUs, units, kBurstRate);
}

void RequestBudget::reset(int64_t now_us) {
  const int64_t one_second_ago_ns = (now_us - kSecondUs) * kNanosPerMicro;
  paid_until_ns_.store(one_second_ago_ns, std::memory_order_relaxed);
  burst_paid_until_ns_.store(one_second_ago_ns, std::memory_order_relaxed);
}

}  // namespace partita
