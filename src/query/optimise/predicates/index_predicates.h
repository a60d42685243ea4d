#pragma once

#include "query/optimise/access.h"
#include "query/optimise/path_expressions.h"
#include "query/optimise/predicates/spatial_predicates.h"
#include "query/optimise/value_ranges.h"
#include "search/words.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace partita::query {

// IndexPredicates: what a document must have for expressions over it to be true, or to be false: `wanted`.
//
// For one scan; learns what the slots of sources hold as they are met. What takes more than kAccessStepsMax steps to find out is
// not demanded.
class IndexPredicates {
 public:
  IndexPredicates(const IndexedPaths& indexed, uint32_t document_slot) : indexed_(indexed), paths_(document_slot) {}

  // For rows of the plan to come, before they are grouped. The first source may be the one that reads the documents, about which
  // nothing is demanded here.
  Access of_input(const Plan& plan, size_t first_joined);

 private:
  using Place = PathExpressions::Place;

  // Operators and functions of values: index_predicates.cc.
  Access of(const Scalar& scalar, bool wanted);
  Access of_values(const Scalar& scalar, ValueRanges ranges) const;
  Access of_values(const Place& place, ValueRanges ranges) const;
  Access of_test(const Scalar& scalar, bool wanted, const ValueRanges& among = ValueRanges::defined()) const;
  static bool holds_for_undefined(const Scalar& scalar, bool wanted);
  Access of_all(const Scalar& scalar, bool wanted);
  Access of_any(const Scalar& scalar, bool wanted);
  std::vector<Access> operands_of(const Scalar& scalar, bool wanted);
  Access put_together(std::vector<Access> operands, Access (*together)(std::vector<Access>)) const;
  Access of_binary(const Scalar& scalar, bool wanted);
  Access of_near(const SpatialPredicate& near) const;
  Access of_between(const Scalar& scalar, bool is_inside);
  Access of_list(const Scalar& scalar, bool is_inside);
  Access of_members(const Place& place, std::span<const Datum> values, bool is_inside) const;
  Access of_pattern(const Scalar& scalar, bool wanted);
  Access of_call(const Scalar& scalar, bool wanted);
  static std::optional<ValueRanges> types_of_check(std::string_view name);
  Access of_string_comparison(const Scalar& scalar, bool wanted);

  // Parts of values, elements of arrays and words of texts: part_predicates.cc.
  Access of_equal_parts(const Place& place, const Datum& whole) const;
  Access of_words(const Scalar& scalar, bool wanted);
  static Access of_phrase(const Place& place, const WordList& words);
  Access of_array(const Scalar& scalar, bool wanted);
  Access of_element(Place place, const Datum& sample) const;
  Access of_sample(const Place& place, const Datum& sample) const;
  Access of_elements(const Scalar& scalar, bool wanted);

  // Rows of sub-queries: row_predicates.cc.
  Access of_rows(const Plan& plan);
  Access of_some_row(const Plan& plan);
  std::optional<Access> of_row_count(const Scalar& count, Operation operation, const Scalar& other);

  const IndexedPaths& indexed_;
  PathExpressions paths_;
};

}  // namespace partita::query
