#include "query/query.h"

#include "query/optimise/constant_folding.h"
#include "query/optimise/text_advice.h"
#include "query/sql/parser.h"
#include "query/sql/printer.h"

namespace partita::query {

Result<QuerySpecification> QuerySpecification::from(const Value& body) {
  Value text = body.find("query");
  if (!text.is_string()) return fail(ErrorCode::kInvalidInput, "The request body has no property 'query' with the query text.");
  QuerySpecification specification{std::string(text.string()), {}};
  Value parameters = body.find("parameters");
  if (parameters.is_undefined() || parameters.is_null()) return specification;
  if (!parameters.is_array())
    return fail(ErrorCode::kInvalidInput, "The property 'parameters' of the request body is not an array.");
  for (size_t i = 0; i < parameters.size(); ++i) {
    Value name = parameters.element(i).find("name");
    if (!name.is_string()) return fail(ErrorCode::kInvalidInput, "A query parameter has no name.");
    Value value = parameters.element(i).find("value");
    specification.parameters.push_back({std::string(name.string()), std::string(value.bytes())});
  }
  return specification;
}

std::string resumption_text(const QuerySpecification& specification) {
  Result<sql::Query> query = sql::parse(specification.text);
  if (!query) return {};
  if (!query->order_by.empty()) query->where.reset();
  return sql::print(*query);
}

std::string shape_of(const QuerySpecification& specification) {
  const Result<sql::Query> query = sql::parse(specification.text);
  return query ? sql::print_shape(*query) : std::string();
}

std::vector<std::string_view> advice_on(const QuerySpecification& specification) {
  const Result<sql::Query> query = sql::parse(specification.text);
  return query ? text_advice(*query) : std::vector<std::string_view>();
}

Result<Plan> compile(const QuerySpecification& specification, const Schema& schema) {
  TRY_ASSIGN(sql::Query query, sql::parse(specification.text));
  TRY_ASSIGN(Plan plan, query::bind(query, specification.text, specification.parameters, schema));
  fold_constants(plan);
  return plan;
}

}  // namespace partita::query
