#include "access/index/predicate_filter.h"

#include "access/index/predicate_names.h"
#include "access/reading_time.h"
#include "base/bytes.h"
#include "engine/index/index_reader.h"

#include <algorithm>
#include <span>
#include <utility>

namespace partita {
namespace {

using query::Access;

// Loading and testing a document costs about as much as reading so many entries of the index.
constexpr uint64_t kEntriesPerLoad = 16;
// How far guesses may be wrong.
constexpr uint64_t kGuessFactor = 4;
// A set of more than half of the documents leaves out too few of them.
constexpr double kShareMax = 0.5;
// Predicates with longer names are hardly made twice.
constexpr size_t kNameBytesMax = 512;
// So many documents, or a share of the set, may have changed before it is given up.
constexpr uint64_t kChangedMin = 1024;
constexpr uint64_t kChangedShare = 8;

std::span<const Access> predicates_of(const Access& access) {
  return access.kind == Access::Kind::kAllOf ? std::span<const Access>(access.operands) : std::span(&access, 1);
}

// Empty when the predicate cannot have a set.
std::string name_of(const Access& predicate, IndexId index) {
  if (predicate.kind != Access::Kind::kValues || !predicate.tests.empty()) return {};
  std::string name = name_of_path(index, predicate.path);
  for (const KeyFormRange& range : predicate.ranges) {
    if (name.size() + range.from.size() + range.to.size() > kNameBytesMax) return {};
    for (const std::string* bound : {&range.from, &range.to}) {
      append_big_endian(name, static_cast<uint32_t>(bound->size()));
      name += *bound;
    }
  }
  return name;
}

// Nothing when it would take more than `entries_max`.
Result<std::optional<DocumentSet>> read_set(const Access& predicate, const PartitionView& view, uint64_t entries_max,
                                            const query::Environment& environment, uint64_t& entries_read) {
  ReadingTime time(environment);
  const IndexReader index(view.slice, view.at);
  DocumentSet set;
  for (const KeyFormRange& range : predicate.ranges) {
    IndexCursor cursor = index.entries(predicate.path, range);
    for (cursor.seek_first(); cursor.valid(); cursor.next()) {
      if (time.is_over()) return ReadingTime::failure();
      if (entries_max-- == 0) return std::nullopt;
      ++entries_read;
      set.add(cursor.number());
    }
    TRY(cursor.status());
  }
  return set;
}

double share_of(const Access& predicate, const PartitionView& view) {
  const IndexReader index(view.slice, view.at);
  return index.guess(predicate.path, {predicate.ranges.front().from, predicate.ranges.back().to}).share;
}

// Considers what was written since. False when that is too much.
Result<bool> bring_up_to_date(PredicateCache::Matches& known, const PartitionView& view, uint64_t& entries_read) {
  if (known.shown >= view.lsn) return true;
  const uint64_t changed_max = kChangedMin + known.documents->size() / kChangedShare;
  DocumentSet changed = *known.changed;
  const PartitionId partition = view.slice.partition();
  Cursor cursor = view.slice.store().cursor(Family::kChanges, change_key(partition, Lsn{known.shown.value + 1}, {}),
                                            change_key(partition, Lsn{view.lsn.value + 1}, {}), view.at.get());
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    ++entries_read;
    changed.add(trailing_number(cursor.key()));
    if (changed.size() > changed_max) return false;
  }
  TRY(cursor.status());
  known.changed = std::make_shared<const DocumentSet>(std::move(changed));
  known.shown = view.shown;
  known.lsn = view.lsn;
  return true;
}

}  // namespace

Result<PredicateFilter> PredicateFilter::of(const Access& access, const query::IndexOrder& order, const PartitionView& view,
                                            const query::Environment& environment) {
  PredicateFilter filter(view, environment);
  for (const Access& predicate : predicates_of(access)) {
    if (predicate.kind == Access::Kind::kValues && !covers(order, predicate)) {
      TRY(filter.add(predicate, view));
    } else {
      filter.knows_all_ = false;
    }
  }
  return filter;
}

Result<PredicateFilter> PredicateFilter::beside(const Access& driver, const Access& access, const PartitionView& view,
                                                const query::Environment& environment) {
  PredicateFilter filter(view, environment);
  for (const Access& predicate : predicates_of(access)) {
    if (predicate.kind == Access::Kind::kValues && &predicate != &driver) TRY(filter.add(predicate, view));
  }
  return filter;
}

Status PredicateFilter::add(const Access& predicate, const PartitionView& view) {
  const std::string name = name_of(predicate, view.index.id);
  std::optional<PredicateCache::Matches> known;
  if (!name.empty()) {
    TRY_ASSIGN(known, find(name, view));
  }
  if (!known && !name.empty()) {
    TRY_ASSIGN(known, learn(name, predicate, view));
  }
  if (!known) {
    knows_all_ = false;
    return {};
  }
  known_.push_back(std::move(*known));
  text_ += (text_.empty() ? "" : ", ") + to_text(predicate);
  return {};
}

// As of the view.
Result<std::optional<PredicateCache::Matches>> PredicateFilter::find(const std::string& name, const PartitionView& view) {
  PredicateCache& cache = partition_->local().predicate_cache();
  std::optional<PredicateCache::Matches> known = cache.find(name);
  // One that has seen more than the view has does not tell what the view has.
  if (!known || known->lsn > view.shown) return std::nullopt;
  if (known->shown >= view.lsn) return known;
  TRY_ASSIGN(const bool is_known, bring_up_to_date(*known, view, entries_read_));
  if (!is_known) {
    cache.forget(name);
    return std::nullopt;
  }
  cache.insert(name, *known);
  return known;
}

// Nothing as long as it is not worth its price.
Result<std::optional<PredicateCache::Matches>> PredicateFilter::learn(const std::string& name, const Access& predicate,
                                                                      const PartitionView& view) {
  PredicateCache& cache = partition_->local().predicate_cache();
  unknown_.push_back(name);
  const uint64_t affordable = cache.vain_loads(name) * kEntriesPerLoad;
  if (affordable == 0) return std::nullopt;
  const double share = share_of(predicate, view);
  const auto guessed = static_cast<uint64_t>(share * static_cast<double>(view.documents));
  if (share > kShareMax || guessed > affordable) return std::nullopt;
  TRY_ASSIGN(std::optional<DocumentSet> met, read_set(predicate, view, affordable * kGuessFactor, *environment_, entries_read_));
  if (!met) {
    cache.forget(name);
    return std::nullopt;
  }
  unknown_.pop_back();
  PredicateCache::Matches known{std::make_shared<const DocumentSet>(std::move(*met)), std::make_shared<const DocumentSet>(),
                                view.shown, view.lsn};
  cache.insert(name, known);
  return known;
}

bool PredicateFilter::may_pass(DocumentNumber number) const {
  return std::ranges::all_of(known_, [number](const PredicateCache::Matches& known) {
    return known.documents->contains(number) || known.changed->contains(number);
  });
}

std::optional<uint64_t> PredicateFilter::documents_max() const {
  if (!knows_all_ || known_.empty()) return std::nullopt;
  uint64_t least = UINT64_MAX;
  for (const PredicateCache::Matches& known : known_) least = std::min(least, known.documents->size() + known.changed->size());
  return least;
}

void PredicateFilter::note_vain_loads(uint64_t loads) const {
  if (loads == 0) return;
  for (const std::string& name : unknown_) partition_->local().predicate_cache().note_vain_loads(name, loads);
}

}  // namespace partita
