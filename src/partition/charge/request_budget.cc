#include "partition/charge/request_budget.h"

#include <algorithm>

namespace partita {
namespace {

constexpr int64_t kNanosPerMicro = 1000;
constexpr double kNanosPerSecond = 1e9;
constexpr int64_t kLatestShare = 8;

int64_t cost_ns_of(double units, double rate) { return static_cast<int64_t>(units / rate * kNanosPerSecond); }

// Advances the point up to which everything is paid.
void advance(std::atomic<int64_t>& paid_until_ns, int64_t now_ns, int64_t kept_us, int64_t cost_ns) {
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
  const int64_t cost_ns = cost_ns_of(units, rate);
  advance(paid_until_ns_, now_ns, is_bursting ? kept_us_.load(std::memory_order_relaxed) : kSecondUs, cost_ns);
  if (is_bursting) advance(burst_paid_until_ns_, now_ns, kSecondUs, cost_ns_of(units, kBurstRate));
}

void RequestBudget::note_request(double units) {
  const double rate = this->rate();
  if (rate == kUnlimited) return;
  const int64_t usual_ns = usual_cost_ns_.load(std::memory_order_relaxed);
  usual_cost_ns_.store(usual_ns + (cost_ns_of(units, rate) - usual_ns) / kLatestShare, std::memory_order_relaxed);
}

int64_t RequestBudget::promise_us(int64_t now_us, int64_t wait_us) {
  const int64_t earliest_ns = (now_us + wait_us) * kNanosPerMicro;
  const int64_t latest_ns = earliest_ns + kPromiseMaxUs * kNanosPerMicro;
  const int64_t usual_ns = usual_cost_ns_.load(std::memory_order_relaxed);
  int64_t before = promised_until_ns_.load(std::memory_order_relaxed);
  int64_t promised_ns = 0;
  do {
    promised_ns = std::clamp(before, earliest_ns, latest_ns);
  } while (!promised_until_ns_.compare_exchange_weak(before, promised_ns + usual_ns, std::memory_order_relaxed));
  return until_us(promised_ns, now_us * kNanosPerMicro);
}

void RequestBudget::reset(int64_t now_us) {
  const int64_t one_second_ago_ns = (now_us - kSecondUs) * kNanosPerMicro;
  paid_until_ns_.store(one_second_ago_ns, std::memory_order_relaxed);
  burst_paid_until_ns_.store(one_second_ago_ns, std::memory_order_relaxed);
  promised_until_ns_.store(one_second_ago_ns, std::memory_order_relaxed);
  usual_cost_ns_.store(0, std::memory_order_relaxed);
}

}  // namespace partita
