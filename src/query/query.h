#pragma once

#include "base/result.h"
#include "query/bind/binder.h"
#include "query/execute/query_execution.h"
#include "query/plan/plan.h"
#include "query/schema.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::query {

// A query as clients send it.
struct QuerySpecification {
  std::string text;
  std::vector<Parameter> parameters;

  // From {"query": "...", "parameters": [{"name": "@p", "value": ...}]}; parameters may be missing or null. kInvalidInput if not
  // so.
  static Result<QuerySpecification> from(const Value& body);
};

// What a position is tied to: the text, in canonical form. With ORDER BY without its filter, because clients that merge
// partitions resume with a narrower one, and what lies behind a position is the same with any. Empty when the text is no query.
std::string resumption_text(const QuerySpecification& specification);

// The text without the values that it names, as a query of its own: for records that must not repeat what users ask for. Empty
// when it is no query.
std::string shape_of(const QuerySpecification& specification);

// Parses, binds and folds constants. Errors are kInvalidQuery with the JSON text of to_error() as message.
Result<Plan> compile(const QuerySpecification& specification, const Schema& schema = {});

// Which rules of the service's query advisor apply to the text: see optimise/text_advice.h.
std::vector<std::string_view> advice_on(const QuerySpecification& specification);

// ListedRows: rows that are already in memory, as a source. They are numbered from 1.
class ListedRows final : public RowSource {
 public:
  explicit ListedRows(std::span<const Value> rows) : rows_(rows) {}

  Result<Value> next() override { return at_ < rows_.size() ? rows_[at_++] : Value(); }
  uint64_t number() const override { return at_; }

 private:
  std::span<const Value> rows_;
  size_t at_ = 0;
};

}  // namespace partita::query
