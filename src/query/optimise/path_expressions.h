#pragma once

#include "document/value_path.h"
#include "query/plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace partita::query {

// Sub-queries can be written so that one expression stands for another again and again: whoever follows them stops after so many
// steps, which is more than a query without such a purpose takes.
inline constexpr uint64_t kAccessStepsMax = 1 << 20;

// PathExpressions: which expressions of a plan are the values at a path of the document that it scans.
class PathExpressions {
 public:
  struct Place {
    ValuePath path;
    uint32_t element_of = 0;  // as in Access
    bool is_exact = true;     // false: one of the values at the path, but not any
  };

  explicit PathExpressions(uint32_t document_slot) { places_[document_slot] = {}; }

  // Learns what the slots of these sources hold, as far as they come from the document.
  void add(const std::vector<Source>& sources);

  std::optional<Place> find(const Scalar& scalar) const;

  // The expression that a slot with rows of a sub-query, or a member of such a row, stands for; else the scalar itself.
  const Scalar& resolved(const Scalar& scalar) const;
  // The plan of which the scalar is the number of rows, before they are grouped; null if it is anything else.
  const Plan* counted_by(const Scalar& scalar);

  // Counts steps of a derivation, also those of its user. False when there are none left; then nothing is a path any more.
  bool use_steps(uint64_t steps) const {
    steps_left_ -= std::min(steps, steps_left_);
    return has_steps();
  }
  bool has_steps() const { return steps_left_ > 0; }

  // The expression with its only path replaced by slot 0. Nothing when it depends on several paths, or on anything but the
  // document.
  struct OfOnePath {
    Place place;
    Scalar scalar;
  };
  std::optional<OfOnePath> of_one_path(const Scalar& scalar) const;

 private:
  void add_rows(const Source& source);
  void add_counts(const Plan& plan);
  // A member or subscript, those below it, and what they begin with.
  struct Chain {
    std::vector<const Scalar*> steps;  // from the outermost to the innermost
    const Scalar* base;
  };
  Chain chain_of(const Scalar& scalar) const;
  const Scalar* member_of_row(const Scalar& owner, const std::string& name) const;
  std::optional<Place> place_of_base(const Scalar& base) const;
  static bool go_down(const Scalar& step, Place& place);
  bool replace_paths(const Scalar& scalar, Scalar& copy, std::optional<Place>& place) const;

  // All by slot. Plans outlive this.
  std::map<uint32_t, Place> places_;
  std::map<uint32_t, const Scalar*> rows_;  // what the rows of a sub-query are
  std::map<uint32_t, const Plan*> counts_;  // of which plan's rows it is a COUNT
  // Of objects with many members: where each name is, if it is there once. Filled as they are met.
  using Members = std::unordered_map<std::string_view, const Scalar*>;
  mutable std::unordered_map<const Scalar*, Members> members_;
  mutable uint64_t steps_left_ = kAccessStepsMax;
};

}  // namespace partita::query
