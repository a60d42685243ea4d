#include "access/index/chosen_representatives.h"

#include "access/index/documents_without.h"
#include "access/index/predicate_names.h"
#include "access/reading_time.h"
#include "base/prefix_end.h"
#include "engine/index/index_reader.h"

#include <algorithm>
#include <memory>
#include <span>

namespace partita {
namespace {

// An entry at most so far before another is reached faster by steps than by looking for it.
constexpr size_t kNearEntries = 8;

// Chooser: walks over the entries of one path.
class Chooser {
 public:
  Chooser(const PartitionView& view, const ValuePath& path, uint64_t numbers_max, const query::Environment& environment)
      : view_(view),
        index_(view.slice, view.at),
        path_(path),
        numbers_max_(numbers_max),
        environment_(environment),
        time_(environment) {}

  bool is_full() const { return chosen_.size() > numbers_max_; }

  Status choose_first_of_each_value(const KeyFormRange& range) {
    IndexCursor cursor = index_.entries(path_, range);
    cursor.seek_first();
    while (cursor.valid() && !is_full()) {
      if (time_.is_over()) return ReadingTime::failure();
      take_value(cursor);
      cursor.seek(prefix_end(key_form_));
    }
    return cursor.status();
  }

  // Arrays and objects are behind all other values. With one of them there is no extreme, so it is enough that one is seen.
  Status choose_ends(const KeyFormRange& range, bool has_least, bool has_greatest) {
    IndexCursor cursor = index_.entries(path_, range);
    cursor.seek_last();
    if (!cursor.valid()) return cursor.status();
    if (!is_primitive(cursor)) {
      take_entry(cursor);
      return {};
    }
    if (has_greatest) take_last_value(cursor);
    if (has_least) {
      cursor.seek_first();
      if (cursor.valid()) take_value(cursor);
    }
    return cursor.status();
  }

  // Every document has at most one entry at the path.
  Status count_each_value(const KeyFormRange& range) {
    IndexCursor cursor = index_.entries(path_, range);
    for (cursor.seek_first(); cursor.valid() && !is_full(); cursor.next()) {
      if (time_.is_over()) return ReadingTime::failure();
      const bool is_same = has_exact_value_ && cursor.key_form() == key_form_;
      if (is_same) {
        ++entries_read_;
        ++chosen_.back().stands_for;
        continue;
      }
      key_form_ = cursor.key_form();
      has_exact_value_ = is_exact(key_form_);
      take_entry(cursor);
    }
    return cursor.status();
  }

  // Those without a value; REQUIRES: all others were counted.
  Status count_missing() {
    TRY_ASSIGN(const PartitionCounters counters, view_.slice.counters(view_.at.get()));
    if (counters.documents <= entries_read_) return {};
    DocumentsWithout missing(view_, path_, false, std::nullopt, environment_);
    TRY(missing.begin());
    if (missing.is_at_end()) return {};
    chosen_.push_back({missing.number(), counters.documents - entries_read_});
    entries_read_ += missing.entries_read();
    return {};
  }

  ChosenRepresentatives take(bool is_counted) {
    std::ranges::sort(chosen_, {}, &Chosen::number);
    chosen_.erase(std::ranges::unique(chosen_, {}, &Chosen::number).begin(), chosen_.end());
    ChosenRepresentatives result;
    result.entries_read = entries_read_;
    for (const Chosen& chosen : chosen_) {
      result.numbers.push_back(chosen.number);
      if (is_counted) result.stand_for.push_back(chosen.stands_for);
    }
    return result;
  }

 private:
  struct Chosen {
    DocumentNumber number;
    uint64_t stands_for = 1;
  };

  bool is_exact(std::string_view key_form) {
    const auto value = read_key_form(key_form, scratch_);
    return value && value->is_exact;
  }

  bool is_primitive(const IndexCursor& cursor) {
    const auto value = read_key_form(cursor.key_form(), scratch_);
    return value && value->type != ValueType::kArray && value->type != ValueType::kObject;
  }

  // Whose first entry the cursor is at.
  void take_value(IndexCursor& cursor) {
    key_form_ = cursor.key_form();
    if (is_exact(key_form_)) return take_entry(cursor);
    for (; cursor.valid() && cursor.key_form() == key_form_ && !is_full(); cursor.next()) take_entry(cursor);
  }

  // Whose last entry the cursor is at. Of equal values the first one counts; most often there are few of them.
  void take_last_value(IndexCursor& cursor) {
    key_form_ = cursor.key_form();
    const bool is_single = is_exact(key_form_);
    const size_t others = chosen_.size();
    for (size_t i = 0; i < kNearEntries; ++i) {
      if (is_single) chosen_.resize(others);
      take_entry(cursor);
      cursor.previous();
      if (!cursor.valid() || cursor.key_form() != key_form_) return;
    }
    chosen_.resize(others);
    cursor.seek(key_form_);
    if (cursor.valid()) take_value(cursor);
  }

  void take_entry(const IndexCursor& cursor) {
    ++entries_read_;
    chosen_.push_back({cursor.number()});
  }

  const PartitionView& view_;
  const IndexReader index_;
  const ValuePath& path_;
  uint64_t numbers_max_;
  const query::Environment& environment_;
  ReadingTime time_;
  std::string key_form_;
  bool has_exact_value_ = false;  // the one that is being counted
  std::string scratch_;
  std::vector<Chosen> chosen_;
  uint64_t entries_read_ = 0;
};

std::shared_ptr<const DocumentSet> set_of(std::span<const DocumentNumber> numbers) {
  auto set = std::make_shared<DocumentSet>();
  for (const DocumentNumber number : numbers) set->add(number);
  return set;
}

// Those of a whole path are remembered: one set for each path, however many ranges are asked for.
bool are_remembered(const query::Representatives& wanted) {
  return wanted.which == query::Representatives::Which::kEnds && wanted.ranges == std::vector{key_forms_of_defined()};
}

Result<std::optional<ChosenRepresentatives>> choose_anew(const query::Representatives& wanted, const PartitionView& view,
                                                         uint64_t numbers_max, const query::Environment& environment) {
  using Which = query::Representatives::Which;
  Chooser chooser(view, wanted.path, numbers_max, environment);
  for (const KeyFormRange& range : wanted.ranges) {
    switch (wanted.which) {
      case Which::kFirstOfEachValue: TRY(chooser.choose_first_of_each_value(range)); break;
      case Which::kEnds: TRY(chooser.choose_ends(range, wanted.has_least, wanted.has_greatest)); break;
      case Which::kCountOfEachValue: TRY(chooser.count_each_value(range)); break;
    }
  }
  if (wanted.has_missing && !chooser.is_full()) TRY(chooser.count_missing());
  if (chooser.is_full()) return std::nullopt;
  return chooser.take(wanted.which == Which::kCountOfEachValue);
}

}  // namespace

Result<std::optional<ChosenRepresentatives>> choose_representatives(const query::Representatives& wanted,
                                                                    const PartitionView& view, uint64_t numbers_max,
                                                                    const query::Environment& environment) {
  if (!are_remembered(wanted)) return choose_anew(wanted, view, numbers_max, environment);
  PredicateCache& cache = view.partition->local().predicate_cache();
  const std::string name = name_of_ends(view.index.id, wanted.path, wanted.has_least, wanted.has_greatest);
  if (const auto known = cache.find(name); known && view.shows_as_much_as(*known)) {
    return ChosenRepresentatives{known->documents->numbers(), {}, 0};
  }
  TRY_ASSIGN(std::optional<ChosenRepresentatives> chosen, choose_anew(wanted, view, numbers_max, environment));
  if (chosen) cache.insert(name, {set_of(chosen->numbers), std::make_shared<const DocumentSet>(), view.shown, view.lsn});
  return chosen;
}

}  // namespace partita
