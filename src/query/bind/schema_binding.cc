#include "query/bind/binding.h"
#include "query/optimise/constant_folding.h"
#include "query/sql/names.h"
#include "query/sql/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// What a container's definition adds to the meaning of a query: computed properties, the metrics of vectors, and the languages
// of texts.
namespace partita::query {
namespace {

constexpr size_t kOptionsIndex = 3;
constexpr int kSearchListSizeMultiplierMax = 100;

Scalar boolean_constant(bool value) {
  StoredWriter out;
  out.boolean(value);
  return Scalar::of_constant(out.take());
}

Scalar metric_options(VectorMetric metric) {
  StoredWriter out;
  out.begin_object();
  out.key("distanceFunction");
  out.string(name_of(metric));
  out.end_object();
  return Scalar::of_constant(out.take());
}

}  // namespace

bool Binding::is_document(const Scalar& scalar) const {
  return scalar.kind == ScalarKind::kSlot && std::ranges::find(document_slots_, scalar.slot) != document_slots_.end();
}

// c.name: the value that the property's query selects for the same document.
std::optional<Scalar> Binding::bind_computed_property(const Scalar& owner, std::string_view name) {
  if (!is_document(owner)) return std::nullopt;
  const auto found = std::ranges::find(schema_.computed_properties, name, &Schema::ComputedProperty::name);
  if (found == schema_.computed_properties.end()) return std::nullopt;
  const size_t before = std::exchange(computed_bytes_, computed_bytes_ + found->query.size());
  if (computed_bytes_ > kComputedBytesMax) {
    if (before <= kComputedBytesMax) {
      report("SC3008",
             fmt::format("The texts of the computed properties that the SQL query names exceeded the maximum of {} bytes.",
                         kComputedBytesMax),
             std::nullopt);
    }
    return Scalar();
  }
  const auto query = sql::parse(found->query);
  const bool is_value = query && query->selection.kind == sql::Selection::Kind::kValue && query->from.size() == 1;
  if (!is_value) return std::nullopt;
  // A computed property cannot name another one: there it is a property like any other.
  const Schema plain;
  Binding inner(found->query, {}, plain);
  inner.scopes_.emplace_back();
  inner.add_alias(query->from[0], owner.slot);
  Scalar value = inner.bind_expression(*query->selection.items[0].expression);
  return inner.diagnostics_.empty() ? std::optional(std::move(value)) : std::nullopt;
}

Scalar Binding::member_of(Scalar owner, std::string name) {
  if (auto computed = bind_computed_property(owner, name)) return std::move(*computed);
  Scalar member(ScalarKind::kMember);
  member.name = std::move(name);
  member.operands.push_back(std::move(owner));
  return member;
}

bool Binding::is_at(const Scalar& scalar, const DocumentPath& path) const {
  const Scalar* step = &scalar;
  for (size_t i = path.segments.size(); i-- > 0; step = &step->operands[0]) {
    if (step->kind != ScalarKind::kMember || step->name != path.segments[i]) return false;
  }
  return is_document(*step);
}

Language Binding::language_at(const Scalar& text) const {
  const auto found = std::ranges::find_if(schema_.texts, [&](const Schema::Text& known) { return is_at(text, known.path); });
  return found == schema_.texts.end() ? schema_.language : found->language;
}

const Schema::Embedding* Binding::find_embedding(const Scalar& call) const {
  for (const Schema::Embedding& embedding : schema_.embeddings) {
    if (is_at(call.operands[0], embedding.path) || is_at(call.operands[1], embedding.path)) return &embedding;
  }
  return nullptr;
}

// A vector function that names no metric uses the one that the container has for the path of either argument.
void Binding::add_metric(Scalar& call) const {
  if (call.operands.size() > kOptionsIndex) return;
  const Schema::Embedding* embedding = find_embedding(call);
  if (embedding == nullptr) return;
  if (call.operands.size() < kOptionsIndex) call.operands.push_back(boolean_constant(false));
  call.operands.push_back(metric_options(embedding->metric));
}

// Phrases are strings. What Azure takes for a search with mistakes in the words must not look as if nothing had been found.
void Binding::check_phrase(const sql::Expression& e, Scalar& phrase) {
  fold_constants(phrase);
  if (!phrase.is_constant() || !phrase.constant_value().is_object()) return;
  report("SC2214", "Fuzzy search is not supported by this server: give the words to search for as a string.", e.range);
}

// The last argument of a vector function: how to search. Every vector is compared here, so only its range matters.
void Binding::check_vector_options(const sql::Expression& e, Scalar& call) {
  if (call.operands.size() <= kOptionsIndex) return;
  Scalar& options = call.operands[kOptionsIndex];
  fold_constants(options);
  const Datum multiplier = options.is_constant() ? options.constant_value().member("searchListSizeMultiplier") : Datum();
  if (!multiplier.is_number() || (multiplier.number() >= 1 && multiplier.number() <= kSearchListSizeMultiplierMax)) return;
  report("SC2213",
         fmt::format("The 'searchListSizeMultiplier' value {} specified in the VectorDistance function is outside the supported "
                     "range. The value must be between 1 and {}.",
                     multiplier.number(), kSearchListSizeMultiplierMax),
         e.operands[kOptionsIndex]->range);
}

// A full text function is told the language that the container has for its text.
void Binding::add_language(Scalar& call) const {
  StoredWriter out;
  out.string(code_of(language_at(call.operands[0])));
  call.operands.push_back(Scalar::of_constant(out.take()));
}

}  // namespace partita::query
