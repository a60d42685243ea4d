#pragma once

#include "document/value_path.h"
#include "query/plan/plan.h"

#include <map>
#include <optional>

namespace partita::query {

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
  const Plan* counted_by(const Scalar& scalar) const;

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
  bool replace_paths(const Scalar& scalar, Scalar& copy, std::optional<Place>& place) const;

  // All by slot. Plans outlive this.
  std::map<uint32_t, Place> places_;
  std::map<uint32_t, const Scalar*> rows_;  // what the rows of a sub-query are
  std::map<uint32_t, const Plan*> counts_;  // of which plan's rows it is a COUNT
};

}  // namespace partita::query
