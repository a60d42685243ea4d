#include "query/execute/execution.h"

#include <algorithm>

namespace partita::query {
namespace {

// How many steps may pass between two looks at the clock.
constexpr uint64_t kStepsPerCheck = 16;
// And between two reports of what was done.
constexpr uint64_t kStepsPerReport = 1024;

// Shared memory is taken in steps of so many bytes, and not for what most queries need.
constexpr size_t kBorrowedAtOnce = 1 << 20;
constexpr size_t kUncountedBytes = 64 << 10;

}  // namespace

Execution::Execution(const Environment& environment, uint32_t slot_count)
    : environment_(environment),
      loan_(environment.memory, environment.tenant),
      arena_(environment.row_bytes_max),
      functions_(arena_, environment.clock, environment.random),
      slots_(slot_count) {
  functions_.set_keep_going([this] {
    steps_ += kStepsPerCheck;
    return check_environment();
  });
  if (environment.is_trial) {
    functions_.set_may_take_long([this] {
      fail(ErrorCode::kTimeout, "The query takes longer than a trial may.");
      return false;
    });
  }
}

StoredWriter& Execution::writer(size_t index) {
  while (writers_.size() <= index) writers_.push_back(std::make_unique<StoredWriter>());
  writers_[index]->clear();
  return *writers_[index];
}

void Execution::fail(ErrorCode code, std::string message) { fail(Error{code, std::move(message)}); }

void Execution::fail(const Error& error) {
  if (!failure_) failure_ = error;
}

bool Execution::keep_going() {
  if (arena_.is_exhausted()) {
    fail(environment_.is_trial ? ErrorCode::kTimeout : ErrorCode::kInvalidQuery,
         "The query computes values that are too large for one row.");
  }
  if (++steps_ % kStepsPerCheck == 0) check_environment();
  return !failure_;
}

bool Execution::check_environment() {
  if (environment_.should_end()) fail(ErrorCode::kTimeout, "The query was cancelled.");
  if (environment_.deadline_steady_us && environment_.clock.steady_us() > *environment_.deadline_steady_us) {
    fail(ErrorCode::kTimeout, "The query did not finish within its time.");
  }
  report();
  return borrow();
}

void Execution::report() {
  if (environment_.metering == nullptr) return;
  for (; steps_ - reported_steps_ >= kStepsPerReport; reported_steps_ += kStepsPerReport) {
    if (const Status noted = environment_.metering->note_steps(kStepsPerReport); !noted) fail(noted.error());
  }
}

bool Execution::borrow() {
  const size_t needed = buffered_bytes_ + arena_.block_bytes();
  if (needed <= std::max(kUncountedBytes, loan_.bytes())) return !failure_;
  const size_t whole_steps = (needed + kBorrowedAtOnce - 1) / kBorrowedAtOnce * kBorrowedAtOnce;
  if (!loan_.grow_to(whole_steps)) {
    fail(ErrorCode::kUnavailable,
         "Queries keep as many rows in memory as the server has room for at the moment. Try again, or reduce ORDER BY, GROUP BY "
         "or DISTINCT with a filter or TOP.");
  }
  return !failure_;
}

bool Execution::buffer(size_t bytes) {
  buffered_bytes_ += bytes;
  if (buffered_bytes_ > environment_.buffered_bytes_max) {
    fail(ErrorCode::kInvalidQuery,
         "The query has to keep more rows in memory than allowed. Reduce its ORDER BY, GROUP BY or DISTINCT with a filter or "
         "TOP.");
  }
  return borrow();
}

KeptDatum::KeptDatum(const Datum& value) {
  if (value.is_undefined()) return;
  StoredWriter writer;
  value.write_to(writer);
  stored_ = writer.bytes();
}

}  // namespace partita::query
