#pragma once

#include "query/plan/plan.h"
#include "query/value/datum.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

namespace partita::query {

// Origin: which documents a row was made from. Tells apart all rows of a plan, and does so again in a later execution, as long as
// those documents have not changed.
struct Origin {
  uint64_t number = 0;   // of the document; rows of groups have none
  std::string group;     // key of the group, as GroupTable made it; empty without GROUP BY
  uint64_t ordinal = 0;  // among the rows of that document

  auto operator<=>(const Origin&) const = default;
};

// Position: the last row that an execution of a plan has dealt with. Another execution that gets it gives what lies behind it,
// also when documents came, went or changed in between. Plain values, for continuation tokens.
//
// What "behind" means depends on the plan. Sorted: behind `order`, then `origin`. Grouped: behind `origin.group`. Over rows of
// a sub-query: behind `inner`. Otherwise the source of documents must start there.
struct Position {
  uint64_t skipped = 0;  // by the offset
  uint64_t taken = 0;    // of the limit
  bool has_begun = false;
  std::string order;  // as append_sort_key wrote it
  Origin origin;
  // There may be more rows of the document (or of the row of the sub-query) behind this one: it is to be read again.
  bool is_open = false;
  // The last row is to be given again, because whoever asked for it has not dealt with all of it.
  bool is_repeated = false;
  std::shared_ptr<const Position> inner;  // of the sub-query that the plan reads

  // What must be known to let a source of documents start, of the plan that reads them.
  const Position& of_scan() const { return inner ? inner->of_scan() : *this; }
};

// Where a row lies, as seen from the position that an execution is resumed from.
enum class Place : uint8_t { kSeen, kAtPosition, kBehind };

// How a resumed execution treats rows that were given before.
enum class Resume : uint8_t {
  kSkip,  // they are left out
  kMark,  // they are given again, and said to be seen
};

// Appends a value so that rows are in order when their bytes are.
void append_sort_key(std::string& out, const Datum& value, bool is_descending);

// The order of rows with equal sort keys: that of their origins, reversed if the first key is descending, as when an index is
// read backwards.
inline std::strong_ordering compare_ties(const Plan& plan, const Origin& left, const Origin& right) {
  return !plan.order.empty() && plan.order.front().is_descending ? right <=> left : left <=> right;
}

// Whether an execution of the plan can have come to this position: it has what the plan's steps leave behind, and nothing else. A
// position that passes may still be one that nobody was given; it then means a place among the rows, like any other.
bool is_position_in(const Plan& plan, const Position& position);

// Where the source of a resumed execution starts.
enum class ScanStart : uint8_t {
  kPosition,   // at the document of the position if that is open or repeated, else behind it
  kBeginning,  // with all documents, which say whether they lie before the position (RowSource::is_seen)
};
// A source may be sorted as the plan that reads it demands.
ScanStart scan_start(const Plan& plan, bool is_source_sorted);

}  // namespace partita::query
