#include "gateway/feeds/read_ahead.h"

#include "partition/charge/request_units.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

namespace partita {
namespace {

// What a helper may compute with, and its sub-queries may keep, for one row. Rows that need more are the query's, which accounts
// for it.
constexpr size_t kHelperRowBytesMax = 64 << 10;
// So many stretches may be open ahead of the query: each holds a view, and what the index has led to.
constexpr size_t kStretchesPerHelper = 2;
// How often a query that waits for a helper looks whether it should go on waiting.
constexpr std::chrono::milliseconds kWaitInterval{1};

}  // namespace

// What the query and its helpers share. Helpers that begin after close() touch nothing but this.
class ReadAhead::Shared : public std::enable_shared_from_this<ReadAhead::Shared> {
 public:
  Shared(const SpareWorkers& helpers, const Terms& terms, std::vector<Stretch> stretches) : helpers_(helpers), terms_(terms) {
    for (Stretch& stretch : stretches) tasks_.emplace_back(std::move(stretch));
  }

  void ask();
  std::unique_ptr<StretchReader> take(size_t index);
  void close();

 private:
  // One stretch.
  struct Task {
    explicit Task(Stretch wanted) : stretch(std::move(wanted)) {}

    const Stretch stretch;
    bool is_left_alone = false;             // for the query: it was taken, or nothing more can be done ahead
    bool is_busy = false;                   // a helper is at it
    std::atomic<bool> is_claimed = false;   // by the query
    std::unique_ptr<StretchReader> reader;  // null: not opened. The helper's, while it is busy
  };

  void help(Turn& turn);
  Task* next_task();
  // Whether it can be gone on with later.
  bool work_on(Task& task, Turn& turn);
  bool read_rows(Task& task, Turn& turn, const query::Environment& environment);
  bool has_read_enough() const;

  const SpareWorkers helpers_;
  const Terms terms_;
  std::atomic<bool> is_closed_ = false;
  std::atomic<uint64_t> rows_read_ = 0;   // by all helpers
  std::atomic<uint64_t> bytes_read_ = 0;  // likewise
  std::mutex mutex_;
  // All guarded by mutex_, except as said in Task.
  std::condition_variable left_;  // a helper has left a task
  std::deque<Task> tasks_;
  size_t taken_ = 0;  // by the query
  size_t helpers_at_work_ = 0;
  size_t helpers_asked_ = 0;  // those included
};

void ReadAhead::Shared::ask() {
  {
    std::lock_guard lock(mutex_);
    if (helpers_asked_ >= helpers_.helpers_max || next_task() == nullptr) return;
    ++helpers_asked_;
  }
  const bool is_run = helpers_.workers.run_spare(helpers_.tenant, [self = shared_from_this()](Turn& turn) { self->help(turn); });
  if (is_run) return;
  std::lock_guard lock(mutex_);
  --helpers_asked_;
}

ReadAhead::Shared::Task* ReadAhead::Shared::next_task() {
  if (has_read_enough()) return nullptr;
  const size_t end = std::min(tasks_.size(), taken_ + kStretchesPerHelper * helpers_.helpers_max);
  for (size_t i = taken_; i < end; ++i) {
    Task& task = tasks_[i];
    if (!task.is_left_alone && !task.is_busy && !task.is_claimed) return &task;
  }
  return nullptr;
}

bool ReadAhead::Shared::has_read_enough() const {
  if (!terms_.charge_max) return false;
  const WorkDone work{.pages = 1, .documents_loaded = rows_read_.load(), .loaded_bytes = bytes_read_.load()};
  return page_charge(work).sum() >= *terms_.charge_max;
}

void ReadAhead::Shared::help(Turn& turn) {
  std::unique_lock lock(mutex_);
  ++helpers_at_work_;
  while (!is_closed_ && !turn.is_cancelled()) {
    Task* task = next_task();
    if (task == nullptr) break;
    task->is_busy = true;
    lock.unlock();
    const bool has_more = work_on(*task, turn);
    lock.lock();
    task->is_busy = false;
    if (!has_more) task->is_left_alone = true;
    left_.notify_all();
  }
  --helpers_at_work_;
  --helpers_asked_;
  left_.notify_all();
}

bool ReadAhead::Shared::work_on(Task& task, Turn& turn) {
  query::Environment environment = *terms_.stretches.purpose.environment;
  environment.user_functions = nullptr;
  environment.is_cancelled = &is_closed_;
  environment.turn = &turn;
  environment.metering = nullptr;
  environment.row_bytes_max = kHelperRowBytesMax;
  environment.buffered_bytes_max = kHelperRowBytesMax;
  environment.memory = nullptr;
  if (task.reader == nullptr) {
    ReadPurpose purpose = terms_.stretches.purpose;
    purpose.environment = &environment;
    purpose.may_be_in_vain = terms_.charge_max.has_value();
    auto rows = std::make_unique<PreparedRows>(helpers_.memory, helpers_.tenant.database);
    auto reader = std::make_unique<StretchReader>(task.stretch, std::move(rows));
    if (!reader->open({terms_.stretches.container, terms_.stretches.key, purpose})) return turn.is_cancelled();
    task.reader = std::move(reader);
  }
  return read_rows(task, turn, environment);
}

bool ReadAhead::Shared::read_rows(Task& task, Turn& turn, const query::Environment& environment) {
  query::RowPreparation preparation(*terms_.stretches.purpose.plan, environment);
  ReadingTime time(environment);
  while (!task.is_claimed.load(std::memory_order_relaxed) && !is_closed_.load(std::memory_order_relaxed)) {
    const Result<bool> is_prepared = task.reader->prepare_next(preparation, time);
    if (turn.is_cancelled()) return true;
    if (!is_prepared || !*is_prepared) return false;
    rows_read_.fetch_add(1, std::memory_order_relaxed);
    bytes_read_.fetch_add(task.reader->record().size(), std::memory_order_relaxed);
    if (has_read_enough()) return false;
  }
  return true;
}

std::unique_ptr<StretchReader> ReadAhead::Shared::take(size_t index) {
  const query::Environment& environment = *terms_.stretches.purpose.environment;
  std::unique_lock lock(mutex_);
  Task& task = tasks_[index];
  task.is_claimed = true;
  while (task.is_busy) {
    left_.wait_for(lock, kWaitInterval, [&] { return !task.is_busy; });
    lock.unlock();
    // Others have their turn meanwhile; whether the query is to end, it finds out when it reads on.
    (void)environment.should_end();
    lock.lock();
  }
  task.is_left_alone = true;
  taken_ = index + 1;
  return std::move(task.reader);
}

void ReadAhead::Shared::close() {
  std::unique_lock lock(mutex_);
  is_closed_ = true;
  left_.wait(lock, [this] { return helpers_at_work_ == 0; });
  for (Task& task : tasks_) task.reader.reset();
}

ReadAhead::ReadAhead(const SpareWorkers& helpers, const Terms& terms, std::vector<Stretch> stretches)
    : shared_(std::make_shared<Shared>(helpers, terms, std::move(stretches))) {}

ReadAhead::~ReadAhead() { shared_->close(); }

void ReadAhead::ask() { shared_->ask(); }

std::unique_ptr<StretchReader> ReadAhead::take(size_t stretch) { return shared_->take(stretch); }

}  // namespace partita
