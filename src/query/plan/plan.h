#pragma once

#include "query/plan/scalar.h"
#include "search/language.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace partita::query {

// One source of rows. Sources are nested loops: each is opened again for every row of those before it, and may use their slots.
struct Source {
  enum class Kind : uint8_t {
    kScan,    // every document of the container
    kValue,   // the scalar once, unless it is undefined
    kUnnest,  // every element of the scalar, if that is an array
    kRows,    // every row of the plan
  };

  Kind kind = Kind::kScan;
  uint32_t slot = 0;
  Scalar scalar;
  std::unique_ptr<Plan> plan;
};

struct Aggregate {
  AggregateKind kind = AggregateKind::kCount;
  Scalar argument;
  uint32_t slot = 0;
};

// Rows with equal keys become one row, in which only the slots of the keys and of the aggregates are bound.
// Without keys there is exactly one row, also for no input.
struct Grouping {
  struct Key {
    Scalar scalar;
    uint32_t slot = 0;
  };

  std::vector<Key> keys;
  std::vector<Aggregate> aggregates;
};

struct SortKey {
  Scalar scalar;
  bool is_descending = false;
  bool drops_undefined = false;  // rows without a value are left out; else they come first
};

// An order by how well rows answer a search, compared with all other rows.
struct Ranking {
  struct Component {
    Scalar score;                            // of a vector: more is better. Else the text in which
    std::vector<Scalar> phrases;             // these are looked for; none for a vector
    Language language = Language::kEnglish;  // of the text
    double weight = 1;
    bool is_ascending = false;  // the least score is the best
  };

  std::vector<Component> components;  // more than one: by the sum of weight / (60 + rank)
};

// Plan: what a query means, step by step: sources, filter, grouping, sort or ranking, projection, distinct, offset and limit.
//
// Language-free and immutable once bound; many executions may share it. Slots are numbered over a query and all its sub-queries,
// so that a sub-query sees the slots of those around it.
struct Plan {
  std::vector<Source> sources;  // none: one row with nothing bound
  std::optional<Scalar> filter;
  std::optional<Grouping> grouping;
  std::vector<SortKey> order;
  std::optional<Ranking> ranking;  // instead of an order
  Scalar projection;               // a row for which it is undefined is dropped
  bool is_distinct = false;
  uint64_t offset = 0;
  std::optional<uint64_t> limit;
  uint32_t slot_count = 0;  // of the outermost plan: all slots

  Plan();
  ~Plan();
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
};

// One step per line, in the order of their execution.
std::string to_text(const Plan& plan);
// The same with something else between the steps than the end of a line.
void append_text(std::string& out, const Plan& plan, std::string_view between);

}  // namespace partita::query
