#pragma once

#include "base/clock.h"

#include <cstdint>

namespace partita::query {

// StepClock: counts how often it is looked at, so that an execution can be stopped after so much work instead of so much time.
// What a query is turned into does not depend on how fast the machine is.
class StepClock final : public Clock {
 public:
  int64_t unix_ms() const override { return 0; }
  int64_t steady_us() const override { return ++looks_; }

 private:
  mutable int64_t looks_ = 0;
};

}  // namespace partita::query
