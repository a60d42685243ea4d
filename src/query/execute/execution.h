#pragma once

#include "base/clock.h"
#include "base/fair_memory.h"
#include "base/random.h"
#include "base/result.h"
#include "base/turn.h"
#include "query/function/function.h"
#include "query/value/arena.h"
#include "query/value/datum.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::query {

// Values computed for one row of the source.
inline constexpr size_t kRowBytesMax = 64 << 20;
// Rows kept by ORDER BY, GROUP BY and DISTINCT, over a query and its sub-queries.
inline constexpr size_t kBufferedBytesMax = 256 << 20;

// UserFunctions: functions that users registered, as a query sees them.
class UserFunctions {
 public:
  virtual ~UserFunctions() = default;
  // Writes the result; false when it is undefined. Undefined arguments are passed on.
  virtual Result<bool> call(std::string_view name, std::span<const Datum> arguments, StoredWriter& result) = 0;
  // Processor time that the calls so far have used, as far as nobody else is charged for it.
  virtual uint64_t spent_us() const { return 0; }
};

// Metering: is told what a query does while it does it. Used by the query's thread only.
class Metering {
 public:
  virtual ~Metering() = default;
  // So many more steps of evaluation were done. An error ends the query.
  virtual Status note_steps(uint64_t steps) = 0;
  // Whether a query that may pause should, before it reads the next document.
  virtual bool wants_pause() const = 0;
};

// What an execution gets from outside. All of it outlives the execution.
struct Environment {
  const Clock& clock;
  Random& random;
  UserFunctions* user_functions = nullptr;
  const std::atomic<bool>* is_cancelled = nullptr;
  Turn* turn = nullptr;                                      // of the job that runs it: gives way, and may be cancelled
  std::optional<int64_t> deadline_steady_us = std::nullopt;  // later than that, the query fails
  // When it takes too long it is run again by somebody else, and costs nothing here. What is too large for a row takes too long,
  // too.
  bool is_trial = false;
  Metering* metering = nullptr;
  size_t row_bytes_max = kRowBytesMax;
  size_t buffered_bytes_max = kBufferedBytesMax;
  // What all queries together may keep, and in whose name this one does; null: as much as the limits above allow.
  FairMemory* memory = nullptr;
  uint64_t tenant = 0;

  // Nobody wants the result any more. To be asked often: lets others have their turn, so the caller holds no lock.
  bool should_end() const {
    if (turn != nullptr) turn->give_way();
    return (is_cancelled != nullptr && is_cancelled->load(std::memory_order_relaxed)) ||
           (turn != nullptr && turn->is_cancelled());
  }
};

// Execution: the state that one run of a query and of its sub-queries shares. Not thread-safe.
//
// The first failure stays; from then on evaluation gives undefined and cursors end, so that only the outermost caller has to ask.
class Execution {
 public:
  Execution(const Environment& environment, uint32_t slot_count);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  Arena& arena() { return arena_; }
  FunctionContext& functions() { return functions_; }
  UserFunctions* user_functions() { return environment_.user_functions; }
  Datum& slot(uint32_t index) { return slots_[index]; }

  // Through WriterScope only.
  StoredWriter& writer(size_t index);
  size_t& writers_in_use() { return writers_in_use_; }

  void fail(ErrorCode code, std::string message);
  void fail(const Error& error);
  bool has_failed() const { return failure_.has_value(); }
  const Error& failure() const { return *failure_; }

  // To be called in every loop: notices the deadline, cancellation and exhausted memory. False when the query has failed.
  bool keep_going();
  // Steps that somebody else has done for this execution, so that it costs what it would have cost without him.
  void add_steps(uint64_t steps) {
    steps_ += steps;
    report();
  }
  uint64_t steps() const { return steps_; }
  bool wants_pause() const { return environment_.metering != nullptr && environment_.metering->wants_pause(); }

  // Accounts for rows that are kept. False when that is too much; the query has failed then.
  bool buffer(size_t bytes);
  void release(size_t bytes) { buffered_bytes_ -= bytes; }

 private:
  bool check_environment();
  // In whole portions, so that what has been reported depends on nothing but the number of steps.
  void report();
  // False when there is no memory left for it; the query has failed then.
  bool borrow();

  Environment environment_;
  MemoryLoan loan_;  // for what is buffered and for the arena
  Arena arena_;
  FunctionContext functions_;
  std::vector<Datum> slots_;
  std::optional<Error> failure_;
  std::vector<std::unique_ptr<StoredWriter>> writers_;
  size_t writers_in_use_ = 0;
  size_t buffered_bytes_ = 0;
  uint64_t steps_ = 0;
  uint64_t reported_steps_ = 0;
};

// Lends a writer of the execution, so that building a value costs no allocation. Scopes nest.
class WriterScope {
 public:
  explicit WriterScope(Execution& execution) : execution_(execution), writer_(execution.writer(execution.writers_in_use()++)) {}
  ~WriterScope() { --execution_.writers_in_use(); }
  WriterScope(const WriterScope&) = delete;
  WriterScope& operator=(const WriterScope&) = delete;

  StoredWriter& operator*() { return writer_; }

 private:
  Execution& execution_;
  StoredWriter& writer_;
};

// KeptDatum: a value that outlives the row it was computed from.
class KeptDatum {
 public:
  KeptDatum() = default;
  explicit KeptDatum(const Datum& value);

  // Valid while this is neither moved nor destroyed.
  Datum value() const { return stored_.empty() ? Datum() : Datum::of(Value::view(stored_)); }
  size_t bytes() const { return sizeof(KeptDatum) + stored_.size(); }
  // The stored form; empty for undefined.
  std::string take() { return std::move(stored_); }

 private:
  std::string stored_;
};

}  // namespace partita::query
