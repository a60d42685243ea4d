#pragma once

#include <atomic>
#include <cstdint>

namespace partita {

// Who may wait when there is not enough for everybody.
enum class Priority {
  kHigh,
  kLow,         // refused first: only gets what others leave
  kBackground,  // the server's own work: charged, never refused
};

// RequestBudget: how many request units may be used per second, as a token bucket.
//
// Thread-safe and lock-free: admission is one atomic load, a charge one exchange. Time comes in as a parameter, in steady
// microseconds. Work is charged after it was done, so a request may overdraw the budget; those after it wait until that is paid
// back. What was not used is kept for one second; with bursts allowed for five minutes, but then spent at no more than
// kBurstRate.
//
// The state is one point in time, up to which everything used is paid for at the present rate: a point in the past is credit, one
// in the future is debt, and its distance is exactly how long to wait. Invariant: it is at most kDebtMaxUs in the future, so
// that one enormous request does not stop a partition for minutes.
class RequestBudget {
 public:
  static constexpr double kUnlimited = 0;
  static constexpr double kBurstRate = 3'000;
  static constexpr int64_t kSecondUs = 1'000'000;
  static constexpr int64_t kBurstKeptUs = 300 * kSecondUs;
  static constexpr int64_t kDebtMaxUs = 5 * kSecondUs;
  // Official clients try nine times again and wait half a minute in all: so long they can be kept apart.
  static constexpr int64_t kPromiseMaxUs = 3 * kSecondUs;
  // Requests of low priority leave this much of a second's budget to the others.
  static constexpr int64_t kReserveUs = kSecondUs / 5;

  // Begins with one second's budget.
  explicit RequestBudget(int64_t now_us) { reset(now_us); }

  double rate() const { return rate_.load(std::memory_order_relaxed); }
  void set_rate(double units_per_second) { rate_.store(units_per_second, std::memory_order_relaxed); }
  void allow_bursts(bool is_allowed) { kept_us_.store(is_allowed ? kBurstKeptUs : kSecondUs, std::memory_order_relaxed); }

  // 0 when a request may start, else microseconds to wait.
  int64_t wait_us(int64_t now_us, Priority priority) const;
  // How long to tell somebody to wait who was refused, from what wait_us() said: not before there is room for all who were told
  // to come back earlier, a usual request each, but at most kPromiseMaxUs longer. Told the same, many would come back at once,
  // and all but one of them in vain.
  int64_t promise_us(int64_t now_us, int64_t wait_us);
  // Work that was done: a whole request, or a part of one that goes on.
  void charge(int64_t now_us, double units);
  // What a whole request cost, which has been charged: such is a usual request.
  void note_request(double units);
  // Forgets debts and savings.
  void reset(int64_t now_us);

 private:
  bool is_bursting() const { return kept_us_.load(std::memory_order_relaxed) != kSecondUs && rate() < kBurstRate; }

  std::atomic<double> rate_ = kUnlimited;
  std::atomic<int64_t> kept_us_ = kSecondUs;
  std::atomic<int64_t> paid_until_ns_ = 0;
  std::atomic<int64_t> burst_paid_until_ns_ = 0;  // the same at kBurstRate
  std::atomic<int64_t> promised_until_ns_ = 0;    // everybody who was refused was told to come back before
  std::atomic<int64_t> usual_cost_ns_ = 0;        // what a whole request takes at the present rate, the latest counting most
};

}  // namespace partita
