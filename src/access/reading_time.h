#pragma once

#include "base/result.h"
#include "query/execute/execution.h"

#include <cstdint>

namespace partita {

// ReadingTime: tells loops over index entries, after every few of them, that the query has used up its time or was given up by
// its client. Not thread-safe. The environment outlives it.
class ReadingTime {
 public:
  explicit ReadingTime(const query::Environment& environment) : environment_(environment) {}

  // To be asked for every entry.
  bool is_over() { return ++entries_ % kEntriesPerLook == 0 && look(); }
  static std::unexpected<Error> failure() { return fail(ErrorCode::kTimeout, "The query did not finish within its time."); }

 private:
  static constexpr uint64_t kEntriesPerLook = 32;

  bool look() const {
    const auto& deadline = environment_.deadline_steady_us;
    return environment_.should_end() || (deadline && environment_.clock.steady_us() > *deadline);
  }

  const query::Environment& environment_;
  uint64_t entries_ = 0;
};

}  // namespace partita
