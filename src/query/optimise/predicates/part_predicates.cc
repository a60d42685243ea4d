#include "query/optimise/predicates/index_predicates.h"

#include <algorithm>

namespace partita::query {
namespace {

// Of a constant array or object so many elements or members are looked for: more would hardly narrow further.
constexpr size_t kPartsMax = 16;

}  // namespace

// FULLTEXTCONTAINS, -ALL and -ANY: which texts have the words of the phrases.
Access IndexPredicates::of_words(const Scalar& scalar, bool wanted) {
  auto place = paths_.find(scalar.operands[0]);
  auto phrases = std::span(scalar.operands).subspan(1, scalar.operands.size() - 2);
  const Language language = language_of(scalar.operands.back().constant_value().string()).value_or(Language::kEnglish);
  const bool is_known = wanted && place && std::ranges::all_of(phrases, &Scalar::is_constant);
  if (!is_known || !indexed_.has_words(place->path, language)) {
    return of_test(scalar, wanted, ValueRanges::of_type(ValueType::kString));
  }
  std::vector<Access> operands;
  for (const Scalar& phrase : phrases) {
    if (!phrase.constant_value().is_string()) return Access::none();
    operands.push_back(of_phrase(*place, WordList::of(phrase.constant_value().string(), language)));
  }
  const bool is_any = scalar.function->name == "FULLTEXTCONTAINSANY";
  return put_together(std::move(operands), is_any ? query::any_of : query::all_of);
}

// The index does not say whether words follow each other.
Access IndexPredicates::of_phrase(const Place& place, const WordList& words) {
  if (words.size() == 0) return Access::none();
  std::vector<Access> all;
  all.push_back(Access::all(words.size() == 1));
  for (size_t i = 0; i < std::min(words.size(), kConjunctsMax); ++i) {
    Access word{.kind = Access::Kind::kValues, .is_exact = place.is_exact, .path = place.path.words()};
    word.ranges = ValueRanges::of_comparison(Operation::kEqual, Datum::string(words[i])).ranges;
    all.push_back(std::move(word));
  }
  return all_of(std::move(all));
}

// ARRAY_CONTAINS(path, constant), or with a constant array, which is a list.
Access IndexPredicates::of_array(const Scalar& scalar, bool wanted) {
  const Scalar& array = scalar.operands[0];
  const Scalar& sample = scalar.operands[1];
  if (array.is_constant() && array.constant_value().is_array() && scalar.operands.size() == 2) {
    auto place = paths_.find(sample);
    std::vector<Datum> values;
    for (size_t i = 0; i < array.constant_value().size(); ++i) values.push_back(array.constant_value().element_at(i));
    return place ? of_members(*place, values, wanted) : Access::all(false);
  }
  auto place = paths_.find(array);
  bool is_known = wanted && place && sample.is_constant();
  if (!is_known) return Access::all(false);
  Access access = of_element(*place, sample.constant_value());
  if (scalar.operands.size() > 2) access.is_exact = false;  // what is there may not say true or false
  return access;
}

// Some element is like the sample: equal, or an object with these members at least.
Access IndexPredicates::of_element(Place place, const Datum& sample) const {
  place.path = place.path.element();
  place.element_of = 0;
  return of_sample(place, sample);
}

Access IndexPredicates::of_sample(const Place& place, const Datum& sample) const {
  if (!sample.is_object() || sample.size() == 0) {
    return of_values(place, ValueRanges::of_comparison(Operation::kEqual, sample));
  }
  Access access = Access::all(false);
  for (size_t i = 0; i < std::min(sample.size(), kPartsMax); ++i) {
    const Value::Member member = sample.container().member(i);
    const bool is_last_of_its_key = sample.container().find(member.key).bytes().data() == member.value.bytes().data();
    if (!is_last_of_its_key) continue;
    Place below = place;
    below.path = below.path.property(member.key);
    below.is_exact = false;  // two members may be found in two elements
    access = both_of(std::move(access), of_sample(below, Datum::of(member.value)));
  }
  return access;
}

Access IndexPredicates::of_elements(const Scalar& scalar, bool wanted) {
  auto place = paths_.find(scalar.operands[0]);
  auto samples = std::span(scalar.operands).subspan(1);
  if (!place || !wanted || !std::ranges::all_of(samples, &Scalar::is_constant)) return Access::all(false);
  std::vector<Access> operands;
  for (const Scalar& sample : samples) operands.push_back(of_element(*place, sample.constant_value()));
  const bool is_any = scalar.function->name == "ARRAY_CONTAINS_ANY";
  return put_together(std::move(operands), is_any ? query::any_of : query::all_of);
}

// Equal arrays have equal elements, equal objects equal members; the index has only those.
Access IndexPredicates::of_equal_parts(const Place& place, const Datum& whole) const {
  if (whole.is_object()) return of_sample(place, whole);
  Access access = Access::all(true);
  if (!whole.is_array()) return access;
  for (size_t i = 0; i < std::min(whole.size(), kPartsMax); ++i)
    access = both_of(std::move(access), of_element(place, whole.element_at(i)));
  return access;
}

}  // namespace partita::query
