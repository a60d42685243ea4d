#pragma once

#include "query/bind/binder.h"
#include "query/bind/fingerprints.h"
#include "query/bind/scope.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace partita::query {

// Binding: the work of bind(), for one query. Mistakes are collected; an expression with a mistake is bound to undefined.
class Binding {
 public:
  Binding(std::string_view text, std::span<const Parameter> parameters, const Schema& schema)
      : text_(text), schema_(schema), fingerprints_(aliases_, [this](const std::string& name) { return find_parameter(name); }) {
    for (const Parameter& parameter : parameters) parameters_.emplace(parameter.name, &parameter.value);
  }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  // Where a query stands decides what the first name of its first source means and which clauses it may have.
  enum class Place : uint8_t {
    kOutermost,
    kContainer,  // the first source of the outermost query, or of such a source
    kNested,
  };

  Plan bind_query(const sql::Query& query, Place place);
  Result<Plan> finish(Plan plan);

 private:
  // Clauses: binder.cc.
  void check_subquery_clauses(const sql::Query& query);
  void bind_sources(const sql::Query& query, Place place, Plan& plan);
  Source bind_source(const sql::FromSource& source, bool is_container, std::vector<Source>& before);
  void add_alias(const sql::FromSource& source, uint32_t slot);
  void push_alias(std::string name, uint32_t slot);
  void pop_alias();
  void end_scope();
  void bind_grouping(const sql::Query& query);
  Scalar bind_selection(const sql::Query& query, const Plan& plan);
  Scalar bind_select_list(const sql::Selection& selection);
  void bind_counts(const sql::Query& query, Plan& plan);
  std::optional<uint64_t> count_of(const sql::Expression& count, std::string_view code, std::string_view message);

  // Expressions: expression_binding.cc.
  Scalar bind_expression(const sql::Expression& e);
  Scalar bind_plainly(const sql::Expression& e);
  std::optional<Scalar> bind_as_group_key(const sql::Expression& e);
  std::optional<uint32_t> find_group_key(const sql::Expression& e, size_t scope_index);
  const std::string* find_parameter(const std::string& name) const;
  Scalar bind_name(const sql::Expression& e);
  Scalar member_of(Scalar owner, std::string name);
  Scalar bind_parameter(const sql::Expression& e);
  Scalar bind_index(const sql::Expression& e);
  Scalar bind_call(const sql::Expression& e);
  Scalar bind_unknown_call(const sql::Expression& e);
  Scalar bind_aggregate(const sql::Expression& e, const Function& function);
  Scalar bind_user_call(const sql::Expression& e);

  // What the container's definition adds: schema_binding.cc.
  std::optional<Scalar> bind_computed_property(const Scalar& owner, std::string_view name);
  // What the container says about the vectors that a vector function compares; null when it says nothing.
  const Schema::Embedding* find_embedding(const Scalar& call) const;
  void add_metric(Scalar& call) const;
  void check_vector_options(const sql::Expression& e, Scalar& call);
  void check_phrase(const sql::Expression& e, Scalar& phrase);
  Language language_at(const Scalar& text) const;
  void add_language(Scalar& call) const;
  bool is_at(const Scalar& scalar, const DocumentPath& path) const;
  bool is_document(const Scalar& scalar) const;

  // ORDER BY: order_binding.cc.
  void bind_order(const sql::Query& query, Place place, Plan& plan);
  void check_ranked_sources(const sql::Query& query);
  void bind_rank(const sql::Query& query, Plan& plan);
  std::optional<Ranking::Component> bind_rank_component(const sql::Expression& e);
  bool bind_rank_weights(const sql::Expression& e, Ranking& ranking);
  Scalar bind_in(const sql::Expression& e);
  Scalar bind_like(const sql::Expression& e);
  Scalar bind_subquery(const sql::Expression& e, ScalarKind kind);
  Scalar bind_all_of(const sql::Expression& e);
  Scalar with_operands(ScalarKind kind, const sql::Expression& e);
  void report_ungrouped(const sql::Expression& e, const Scope& scope);

  uint32_t new_slot() { return slot_count_++; }
  Scope& scope() { return scopes_.back(); }
  void report(std::string_view code, std::string message, std::optional<SourceRange> range);

  std::string_view text_;
  std::unordered_map<std::string_view, const std::string*> parameters_;  // the first of each name
  const Schema& schema_;
  std::vector<Scope> scopes_;  // innermost last
  Aliases aliases_;
  Fingerprints fingerprints_;
  std::unordered_map<uint64_t, std::vector<size_t>> grouped_scopes_;  // by the fingerprints of their keys, innermost last
  size_t mistaken_keys_ = 0;  // expressions with the fingerprint of a key that they are not
  size_t parameter_bytes_ = 0;
  size_t computed_bytes_ = 0;  // of the texts of computed properties that were put in
  std::vector<Diagnostic> diagnostics_;
  std::optional<SourceRange> path_range_;  // the whole path of the name that is being bound
  std::vector<uint32_t> document_slots_;   // those that hold whole documents
  uint32_t slot_count_ = 0;
  size_t user_calls_ = 0;
};

// Whether the expression calls an aggregate of its own query, not of a sub-query.
bool has_aggregate(const sql::Expression& e);

}  // namespace partita::query
