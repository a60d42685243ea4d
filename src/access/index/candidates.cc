#include "access/index/candidates.h"

#include "access/reading_time.h"
#include "engine/index/index_reader.h"
#include "query/optimise/value_tester.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

namespace partita {
namespace {

using query::Access;
using Numbers = std::vector<DocumentNumber>;

// How much a conjunction reads of each of its predicates before it reads more of the others.
constexpr uint64_t kFirstStretch = 64;
constexpr uint64_t kStretchFactor = 2;
// A predicate for one value is read so far at once: if that is all of it, the others need not even be looked for.
constexpr uint64_t kEqualityStretch = 256;
// So few documents are loaded sooner than another predicate is found.
constexpr size_t kFewNumbers = 16;

// Estimates: what reading one entry, one document after the other, and one document by its number cost relative to each other.
constexpr uint64_t kEntryCost = 1;
constexpr uint64_t kScanCost = 2;
constexpr uint64_t kLoadCost = 6;

// How far to go at most.
struct Limit {
  uint64_t entries;         // read
  uint64_t numbers;         // found
  uint64_t tested_numbers;  // found among entries that were tested one by one
  bool asks_first = false;  // how long a predicate is, before it is begun
};

// A scan finds a row in (documents / candidates) steps. Collecting costs every candidate, each time the reader comes; testing
// costs every entry.
Limit limit_for(uint64_t documents, std::optional<uint64_t> rows_wanted) {
  Limit limit{std::max(kFirstStretch, documents * kScanCost / kEntryCost),
              std::max(kFirstStretch, documents * kScanCost / kLoadCost), documents};
  if (!rows_wanted) return limit;
  const auto balance = static_cast<uint64_t>(
      std::sqrt(static_cast<double>(kScanCost) * static_cast<double>(*rows_wanted) * static_cast<double>(documents)));
  limit.numbers = std::min(limit.numbers, std::max(kFirstStretch, balance));
  limit.tested_numbers = std::min(documents, kScanCost * *rows_wanted);
  return limit;
}

// How far guesses may be wrong.
constexpr uint64_t kGuessFactor = 2;

// Where runners run.
struct Course {
  const PartitionView& view;
  IndexReader index;
  const query::Environment& environment;
  ReadingTime& time;
  bool is_count = false;  // documents are not going to be loaded
};

// Runner: collects the documents of one node of an access, as far as it is told.
class Runner {
 public:
  virtual ~Runner() = default;
  // Goes on until it is at its end or, over all calls, at a limit; not at all when it is believed not to get to its end. True at
  // the end.
  virtual Result<bool> advance(const Limit& limit) = 0;
  virtual uint64_t entries_read() const = 0;
  // Sorted. REQUIRES: at the end.
  virtual Numbers take() = 0;
  virtual bool is_exact() const = 0;
  virtual const Access& driver() const = 0;
};

std::unique_ptr<Runner> make_runner(const Access& access, const Course& course);

class ValuesRunner final : public Runner {
 public:
  ValuesRunner(const Access& access, const Course& course)
      : access_(access), course_(course), tester_(access.tests, course.environment) {}

  Result<bool> advance(const Limit& limit) override {
    if (range_ == access_.ranges.size()) return true;
    if (is_hopeless(limit)) return false;
    if (!cursor_) {
      cursor_.emplace(course_.index.entries(access_.path, hull()));
      cursor_->seek_first();
    }
    const uint64_t numbers_max = access_.tests.empty() ? limit.numbers : std::min(limit.numbers, limit.tested_numbers);
    while (cursor_->valid() && entries_read_ < limit.entries && numbers_.size() < numbers_max) {
      const std::string_view key_form = cursor_->key_form();
      while (range_ < access_.ranges.size() && key_form >= access_.ranges[range_].to) ++range_;
      if (range_ == access_.ranges.size()) break;
      ++entries_read_;
      if (course_.time.is_over()) return ReadingTime::failure();
      if (key_form < access_.ranges[range_].from) {
        cursor_->seek(access_.ranges[range_].from);
        continue;
      }
      if (tester_.may_pass(key_form)) numbers_.push_back(cursor_->number());
      cursor_->next();
    }
    if (tester_.has_failed()) return std::unexpected(tester_.failure());
    TRY(cursor_->status());
    if (cursor_->valid() && range_ < access_.ranges.size()) return false;
    range_ = access_.ranges.size();
    cursor_.reset();
    return true;
  }

  uint64_t entries_read() const override { return entries_read_; }
  bool is_exact() const override { return access_.is_exact; }
  const Access& driver() const override { return access_; }

  Numbers take() override {
    if (!std::ranges::is_sorted(numbers_)) std::ranges::sort(numbers_);
    numbers_.erase(std::ranges::unique(numbers_).begin(), numbers_.end());
    return std::move(numbers_);
  }

 private:
  KeyFormRange hull() const { return {access_.ranges.front().from, access_.ranges.back().to}; }

  // A short predicate is read before anybody asks how long it is, unless told otherwise. Of several ranges only that is known
  // which lies between them.
  bool is_hopeless(const Limit& limit) {
    const bool asks = entries_read_ >= kFirstStretch || (limit.asks_first && !cursor_);
    if (!asks || access_.ranges.size() > 1) return false;
    if (!entries_guessed_) entries_guessed_ = guess_entries();
    const uint64_t entries_max = access_.tests.empty() ? std::min(limit.entries, limit.numbers) : limit.entries;
    return *entries_guessed_ / kGuessFactor > entries_max;
  }

  // If every document has an entry at the path, the share tells how many of these there are. If few have one, that is seen by
  // the numbers of those that were read, where they ascend as those of equal values do; else only bytes say so.
  uint64_t guess_entries() const {
    const IndexReader::Guess guess = course_.index.guess(access_.path, hull());
    const auto by_share = static_cast<uint64_t>(guess.share * static_cast<double>(course_.view.documents));
    const bool ascends = access_.tests.empty() && std::ranges::is_sorted(numbers_);
    if (!ascends || numbers_.empty()) return std::min(by_share, guess.entries * kGuessFactor);
    const uint64_t span = numbers_.back().value - numbers_.front().value + 1;
    return std::min(by_share, entries_read_ * course_.view.newest.value / span);
  }

  const Access& access_;
  const Course& course_;
  query::ValueTester tester_;
  std::optional<uint64_t> entries_guessed_;
  std::optional<IndexCursor> cursor_;
  size_t range_ = 0;
  uint64_t entries_read_ = 0;
  Numbers numbers_;
};

// One operand after the other, so that only one cursor is open.
class AnyOfRunner final : public Runner {
 public:
  AnyOfRunner(const Access& access, const Course& course) : access_(access), course_(course) {}

  Result<bool> advance(const Limit& limit) override {
    while (next_ < access_.operands.size() || current_) {
      if (course_.time.is_over()) return ReadingTime::failure();
      if (!current_) current_ = make_runner(access_.operands[next_++], course_);
      const Limit left{limit.entries - std::min(limit.entries, entries_of_ended_),
                       limit.numbers - std::min(limit.numbers, uint64_t{numbers_.size()}), limit.tested_numbers,
                       limit.asks_first};
      TRY_ASSIGN(const bool is_at_end, current_->advance(left));
      if (!is_at_end) return false;
      is_exact_ = is_exact_ && current_->is_exact();
      entries_of_ended_ += current_->entries_read();
      std::ranges::move(current_->take(), std::back_inserter(numbers_));
      current_.reset();
    }
    return true;
  }

  uint64_t entries_read() const override { return entries_of_ended_ + (current_ ? current_->entries_read() : 0); }
  bool is_exact() const override { return access_.is_exact && is_exact_; }
  const Access& driver() const override { return access_; }

  Numbers take() override {
    std::ranges::sort(numbers_);
    numbers_.erase(std::ranges::unique(numbers_).begin(), numbers_.end());
    return std::move(numbers_);
  }

 private:
  const Access& access_;
  const Course& course_;
  size_t next_ = 0;
  std::unique_ptr<Runner> current_;
  uint64_t entries_of_ended_ = 0;
  bool is_exact_ = true;
  Numbers numbers_;
};

class AllOfRunner final : public Runner {
 public:
  AllOfRunner(const Access& access, const Course& course) : access_(access), course_(course) {
    for (const Access& operand : access.operands) runners_.push_back(make_runner(operand, course));
  }

  Result<bool> advance(const Limit& limit) override {
    if (driver_ != nullptr) return true;
    const uint64_t each_max = limit.entries / runners_.size();
    while (true) {
      TRY(race({std::min(stretch_, each_max), limit.numbers, limit.tested_numbers}, each_max));
      if (driver_ != nullptr || stretch_ >= each_max) return driver_ != nullptr;
      stretch_ *= kStretchFactor;
    }
  }

  uint64_t entries_read() const override {
    uint64_t entries = 0;
    for (const auto& runner : runners_) entries += runner->entries_read();
    return entries;
  }
  bool is_exact() const override { return is_exact_; }
  const Access& driver() const override { return driver_->driver(); }
  Numbers take() override { return std::move(numbers_); }

 private:
  // The first at its end drives.
  Status race(const Limit& limit, uint64_t each_max) {
    for (size_t i = 0; i < runners_.size(); ++i) {
      Limit own = limit;
      if (is_equality(access_.operands[i])) own.entries = std::max(own.entries, std::min(kEqualityStretch, each_max));
      TRY_ASSIGN(const bool is_at_end, runners_[i]->advance(own));
      if (!is_at_end) continue;
      driver_ = runners_[i].get();
      return intersect();
    }
    return {};
  }

  // With all others that cost less than loading what they could take away.
  Status intersect() {
    numbers_ = driver_->take();
    is_exact_ = access_.is_exact && driver_->is_exact();
    for (const auto& runner : runners_) {
      if (runner.get() == driver_) continue;
      bool is_at_end = false;
      const uint64_t worth = std::max(kFirstStretch, numbers_.size() * kLoadCost / kEntryCost);
      const bool is_worth_a_start = course_.is_count || numbers_.size() > kFewNumbers || runner->entries_read() > 0;
      if (!numbers_.empty() && is_worth_a_start) {
        TRY_ASSIGN(is_at_end, runner->advance({worth, worth, worth, !course_.is_count}));
      }
      is_exact_ = is_exact_ && (numbers_.empty() || (is_at_end && runner->is_exact()));
      if (!is_at_end) continue;
      Numbers common;
      std::ranges::set_intersection(numbers_, runner->take(), std::back_inserter(common));
      numbers_ = std::move(common);
    }
    return {};
  }

  const Access& access_;
  const Course& course_;
  std::vector<std::unique_ptr<Runner>> runners_;
  uint64_t stretch_ = kFirstStretch;
  Runner* driver_ = nullptr;
  bool is_exact_ = false;
  Numbers numbers_;
};

std::unique_ptr<Runner> make_runner(const Access& access, const Course& course) {
  switch (access.kind) {
    case Access::Kind::kAllOf: return std::make_unique<AllOfRunner>(access, course);
    case Access::Kind::kAnyOf: return std::make_unique<AnyOfRunner>(access, course);
    default: return std::make_unique<ValuesRunner>(access, course);
  }
}

// Every document has at most one entry at the path.
Result<std::optional<CountedEntries>> count_single(const Access& access, const Course& course) {
  CountedEntries counted;
  for (const KeyFormRange& range : access.ranges) {
    IndexCursor cursor = course.index.entries(access.path, range);
    for (cursor.seek_first(); cursor.valid(); cursor.next()) {
      if (course.time.is_over()) return ReadingTime::failure();
      ++counted.documents;
    }
    TRY(cursor.status());
  }
  counted.entries_read = counted.documents;
  return counted;
}

}  // namespace

Result<Candidates> find_candidates(const query::Access& access, const PartitionView& view, std::optional<uint64_t> rows_wanted,
                                   const query::Environment& environment) {
  Candidates candidates;
  if (access.is_all()) return candidates;
  if (access.is_none()) {
    candidates.numbers.emplace();
    candidates.is_exact = true;
    return candidates;
  }
  ReadingTime time(environment);
  const Course course{view, IndexReader(view.slice, view.at), environment, time};
  const std::unique_ptr<Runner> runner = make_runner(access, course);
  TRY_ASSIGN(const bool is_at_end, runner->advance(limit_for(view.documents, rows_wanted)));
  candidates.entries_read = runner->entries_read();
  if (!is_at_end) return candidates;
  candidates.numbers = runner->take();
  candidates.is_exact = runner->is_exact();
  candidates.driver = &runner->driver();
  return candidates;
}

uint64_t candidates_max(const PartitionView& view, std::optional<uint64_t> rows_wanted) {
  return limit_for(view.documents, rows_wanted).numbers;
}

Result<std::optional<CountedEntries>> count_entries(const query::Access& access, const PartitionView& view,
                                                    const query::Environment& environment) {
  const bool has_one_entry = access.kind == Access::Kind::kValues && !access.path.has_many_values() && access.tests.empty();
  ReadingTime time(environment);
  const Course course{view, IndexReader(view.slice, view.at), environment, time, true};
  if (has_one_entry) return count_single(access, course);
  const std::unique_ptr<Runner> runner = make_runner(access, course);
  // Each of its predicates may be read so far whatever else there is: the paths of a hierarchical key, for example.
  const uint64_t few = kEqualityStretch * std::max<size_t>(access.operands.size(), 1);
  const uint64_t limit = std::max(few, view.documents * kScanCost / kEntryCost);
  TRY_ASSIGN(const bool is_at_end, runner->advance({limit, limit, limit}));
  if (!is_at_end || !runner->is_exact()) return std::nullopt;
  return CountedEntries{runner->take().size(), runner->entries_read()};
}

}  // namespace partita
