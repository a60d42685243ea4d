#include "gateway/chosen_representatives.h"

#include "base/prefix_end.h"

#include <algorithm>
#include <array>

namespace partita {
namespace {

constexpr std::array kDefinedTypes = {ValueType::kNull,   ValueType::kBool,  ValueType::kNumber,
                                      ValueType::kString, ValueType::kArray, ValueType::kObject};

// Chooser: walks over the entries of one path.
class Chooser {
 public:
  Chooser(const IndexReader& index, const ValuePath& path, uint64_t numbers_max)
      : index_(index), path_(path), numbers_max_(numbers_max) {}

  bool is_full() const { return chosen_.numbers.size() > numbers_max_; }

  Status choose_first_of_each_value(const KeyFormRange& range) {
    IndexCursor cursor = index_.entries(path_, range);
    cursor.seek_first();
    while (cursor.valid() && !is_full()) take_value(cursor);
    return cursor.status();
  }

  Status choose_ends(const KeyFormRange& range) {
    IndexCursor cursor = index_.entries(path_, range);
    cursor.seek_first();
    if (!cursor.valid()) return cursor.status();
    take_value(cursor);
    cursor.seek_last();
    if (!cursor.valid()) return cursor.status();
    // Of equal values the first one counts.
    key_form_ = cursor.key_form();
    cursor.seek(key_form_);
    if (cursor.valid()) take_value(cursor);
    return cursor.status();
  }

  ChosenRepresentatives take() {
    std::ranges::sort(chosen_.numbers);
    chosen_.numbers.erase(std::ranges::unique(chosen_.numbers).begin(), chosen_.numbers.end());
    return std::move(chosen_);
  }

 private:
  // From the first entry of a value, to the first of the next one.
  void take_value(IndexCursor& cursor) {
    key_form_ = cursor.key_form();
    const auto value = read_key_form(key_form_, scratch_);
    if (value && value->is_exact) {
      take_entry(cursor);
      cursor.seek(prefix_end(key_form_));
      return;
    }
    for (; cursor.valid() && cursor.key_form() == key_form_ && !is_full(); cursor.next()) take_entry(cursor);
  }

  void take_entry(const IndexCursor& cursor) {
    ++chosen_.entries_read;
    chosen_.numbers.push_back(cursor.number());
  }

  const IndexReader& index_;
  const ValuePath& path_;
  uint64_t numbers_max_;
  std::string key_form_;
  std::string scratch_;
  ChosenRepresentatives chosen_;
};

KeyFormRange overlap(const KeyFormRange& left, const KeyFormRange& right) {
  return {std::max(left.from, right.from), std::min(left.to, right.to)};
}

}  // namespace

Result<std::optional<ChosenRepresentatives>> choose_representatives(const query::Representatives& wanted,
                                                                    const IndexReader& index, uint64_t numbers_max) {
  Chooser chooser(index, wanted.path, numbers_max);
  for (const KeyFormRange& range : wanted.ranges) {
    if (wanted.which == query::Representatives::Which::kFirstOfEachValue) {
      TRY(chooser.choose_first_of_each_value(range));
      continue;
    }
    for (const ValueType type : kDefinedTypes) {
      const KeyFormRange part = overlap(range, key_forms_of(type));
      if (part.from < part.to) TRY(chooser.choose_ends(part));
    }
  }
  if (chooser.is_full()) return std::nullopt;
  return chooser.take();
}

}  // namespace partita
