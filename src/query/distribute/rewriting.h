#pragma once

#include "query/bind/binder.h"
#include "query/sql/ast.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

// What the rewritten texts of distributed queries are built from.
namespace partita::query {

// Where clients put the condition that resumes a merged ORDER BY; part of rewritten texts.
inline constexpr std::string_view kOrderByFilterPlaceholder = "{documentdb-formattableorderbyquery-filter}";

sql::ExpressionPointer make(sql::ExpressionKind kind, std::string text = {});

template <typename... Operands>
sql::ExpressionPointer make_with(sql::ExpressionKind kind, std::string text, Operands... operands) {
  sql::ExpressionPointer expression = make(kind, std::move(text));
  (expression->operands.push_back(std::move(operands)), ...);
  return expression;
}

// {"name": value, ...}
class ObjectBuilder {
 public:
  ObjectBuilder& add(std::string name, sql::ExpressionPointer value) {
    object_->names.push_back(std::move(name));
    object_->operands.push_back(std::move(value));
    return *this;
  }
  sql::ExpressionPointer take() { return std::move(object_); }

 private:
  sql::ExpressionPointer object_ = make(sql::ExpressionKind::kObject);
};

// [{"item": e}, ...]
template <typename Items, typename ExpressionOf>
sql::ExpressionPointer item_array(const Items& items, ExpressionOf expression_of) {
  sql::ExpressionPointer array = make(sql::ExpressionKind::kArray);
  for (const auto& item : items) array->operands.push_back(ObjectBuilder().add("item", copy_of(*expression_of(item))).take());
  return array;
}

sql::SelectItem item_of(sql::ExpressionPointer expression, std::optional<std::string> alias);

// The alias of the first source.
std::string root_alias(const sql::Query& query);
// root._rid
sql::SelectItem resource_id_item(const sql::Query& query);
// What the query selects, as one expression.
sql::ExpressionPointer payload_of(const sql::Query& query);
// The query's filter, and the client's condition.
sql::ExpressionPointer resumable_filter(const sql::Query& query);

// Of TOP, OFFSET or LIMIT: a literal or a parameter. REQUIRES: binding has checked that it is a count.
uint64_t count_of(const sql::Expression& count, std::span<const Parameter> parameters);

}  // namespace partita::query
