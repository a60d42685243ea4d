#include "gateway/demand_filter.h"

#include "base/bytes.h"
#include "gateway/known_names.h"
#include "gateway/reading_time.h"

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
// Demands with longer names are hardly made twice.
constexpr size_t kNameBytesMax = 512;
// So many documents, or a share of the set, may have changed before it is given up.
constexpr uint64_t kChangedMin = 1024;
constexpr uint64_t kChangedShare = 8;

std::span<const Access> demands_of(const Access& access) {
  return access.kind == Access::Kind::kAllOf ? std::span<const Access>(access.operands) : std::span(&access, 1);
}

// Empty when the demand cannot have a set.
std::string name_of(const Access& demand, IndexId index) {
  if (demand.kind != Access::Kind::kValues || !demand.tests.empty()) return {};
  std::string name = name_of_path(index, demand.path);
  for (const KeyFormRange& range : demand.ranges) {
    if (name.size() + range.from.size() + range.to.size() > kNameBytesMax) return {};
    for (const std::string* bound : {&range.from, &range.to}) {
      append_big_endian(name, static_cast<uint32_t>(bound->size()));
      name += *bound;
    }
  }
  return name;
}

// Nothing when it would take more than `entries_max`.
Result<std::optional<DocumentSet>> read_set(const Access& demand, const PlaceView& view, uint64_t entries_max,
                                            const query::Environment& environment, uint64_t& entries_read) {
  ReadingTime time(environment);
  const IndexReader index(view.slice, view.at);
  DocumentSet set;
  for (const KeyFormRange& range : demand.ranges) {
    IndexCursor cursor = index.entries(demand.path, range);
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

double share_of(const Access& demand, const PlaceView& view) {
  const IndexReader index(view.slice, view.at);
  return index.guess(demand.path, {demand.ranges.front().from, demand.ranges.back().to}).share;
}

// Considers what was written since. False when that is too much.
Result<bool> bring_up_to_date(KnownSets::Known& known, const PlaceView& view, uint64_t& entries_read) {
  if (known.shown >= view.lsn) return true;
  const uint64_t changed_max = kChangedMin + known.met->size() / kChangedShare;
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

Result<DemandFilter> DemandFilter::of(const Access& access, const query::IndexOrder& order, const PlaceView& view,
                                      const query::Environment& environment) {
  DemandFilter filter(view, environment);
  for (const Access& demand : demands_of(access)) {
    if (demand.kind == Access::Kind::kValues && !covers(order, demand)) {
      TRY(filter.add(demand, view));
    } else {
      filter.knows_all_ = false;
    }
  }
  return filter;
}

Result<DemandFilter> DemandFilter::beside(const Access& driver, const Access& access, const PlaceView& view,
                                          const query::Environment& environment) {
  DemandFilter filter(view, environment);
  for (const Access& demand : demands_of(access)) {
    if (demand.kind == Access::Kind::kValues && &demand != &driver) TRY(filter.add(demand, view));
  }
  return filter;
}

Status DemandFilter::add(const Access& demand, const PlaceView& view) {
  const std::string name = name_of(demand, view.index.id);
  std::optional<KnownSets::Known> known;
  if (!name.empty()) {
    TRY_ASSIGN(known, find(name, view));
  }
  if (!known && !name.empty()) {
    TRY_ASSIGN(known, learn(name, demand, view));
  }
  if (!known) {
    knows_all_ = false;
    return {};
  }
  known_.push_back(std::move(*known));
  text_ += (text_.empty() ? "" : ", ") + to_text(demand);
  return {};
}

// As of the view.
Result<std::optional<KnownSets::Known>> DemandFilter::find(const std::string& name, const PlaceView& view) {
  KnownSets& sets = partition_->known_sets();
  std::optional<KnownSets::Known> known = sets.find(name);
  // One that has seen more than the view has does not tell what the view has.
  if (!known || known->lsn > view.shown) return std::nullopt;
  if (known->shown >= view.lsn) return known;
  TRY_ASSIGN(const bool is_known, bring_up_to_date(*known, view, entries_read_));
  if (!is_known) {
    sets.forget(name);
    return std::nullopt;
  }
  sets.insert(name, *known);
  return known;
}

// Nothing as long as it is not worth its price.
Result<std::optional<KnownSets::Known>> DemandFilter::learn(const std::string& name, const Access& demand,
                                                            const PlaceView& view) {
  KnownSets& sets = partition_->known_sets();
  unknown_.push_back(name);
  const uint64_t affordable = sets.vain_loads(name) * kEntriesPerLoad;
  if (affordable == 0) return std::nullopt;
  const double share = share_of(demand, view);
  const auto guessed = static_cast<uint64_t>(share * static_cast<double>(view.documents));
  if (share > kShareMax || guessed > affordable) return std::nullopt;
  TRY_ASSIGN(std::optional<DocumentSet> met, read_set(demand, view, affordable * kGuessFactor, *environment_, entries_read_));
  if (!met) {
    sets.forget(name);
    return std::nullopt;
  }
  unknown_.pop_back();
  KnownSets::Known known{std::make_shared<const DocumentSet>(std::move(*met)), std::make_shared<const DocumentSet>(), view.shown,
                         view.lsn};
  sets.insert(name, known);
  return known;
}

bool DemandFilter::may_pass(DocumentNumber number) const {
  return std::ranges::all_of(
      known_, [number](const KnownSets::Known& known) { return known.met->contains(number) || known.changed->contains(number); });
}

std::optional<uint64_t> DemandFilter::documents_max() const {
  if (!knows_all_ || known_.empty()) return std::nullopt;
  uint64_t least = UINT64_MAX;
  for (const KnownSets::Known& known : known_) least = std::min(least, known.met->size() + known.changed->size());
  return least;
}

void DemandFilter::note_vain_loads(uint64_t loads) const {
  if (loads == 0) return;
  for (const std::string& name : unknown_) partition_->known_sets().note_vain_loads(name, loads);
}

}  // namespace partita
