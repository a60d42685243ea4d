#include "query/sql/ast.h"

namespace partita::query::sql {
namespace {

ExpressionPointer copy_of_optional(const ExpressionPointer& expression) { return expression ? copy_of(*expression) : nullptr; }

std::unique_ptr<Query> copy_of_optional(const std::unique_ptr<Query>& query) {
  return query ? std::make_unique<Query>(copy_of(*query)) : nullptr;
}

FromSource copy_of(const FromSource& source) {
  return {source.alias,      source.is_iteration, copy_of_optional(source.expression), copy_of_optional(source.query),
          source.body_range, source.range};
}

}  // namespace

Expression::Expression(ExpressionKind kind_of, SourceRange range_of) : kind(kind_of), range(range_of) {}
Expression::~Expression() = default;

ExpressionPointer copy_of(const Expression& expression) {
  auto copy = std::make_unique<Expression>(expression.kind, expression.range);
  copy->operation = expression.operation;
  copy->is_negated = expression.is_negated;
  copy->height = expression.height;
  copy->is_path = expression.is_path;
  copy->text = expression.text;
  copy->names = expression.names;
  for (const ExpressionPointer& operand : expression.operands) copy->operands.push_back(copy_of(*operand));
  copy->query = copy_of_optional(expression.query);
  return copy;
}

Query copy_of(const Query& query) {
  Query copy;
  copy.is_distinct = query.is_distinct;
  copy.top = copy_of_optional(query.top);
  copy.selection.kind = query.selection.kind;
  copy.selection.range = query.selection.range;
  for (const SelectItem& item : query.selection.items) copy.selection.items.push_back({copy_of(*item.expression), item.alias});
  for (const FromSource& source : query.from) copy.from.push_back(copy_of(source));
  copy.where = copy_of_optional(query.where);
  for (const ExpressionPointer& key : query.group_by) copy.group_by.push_back(copy_of(*key));
  for (const OrderItem& item : query.order_by) copy.order_by.push_back({copy_of(*item.expression), item.is_descending});
  copy.is_rank = query.is_rank;
  copy.offset = copy_of_optional(query.offset);
  copy.limit = copy_of_optional(query.limit);
  copy.top_range = query.top_range;
  copy.order_by_range = query.order_by_range;
  copy.offset_range = query.offset_range;
  copy.range = query.range;
  copy.height = query.height;
  return copy;
}

}  // namespace partita::query::sql
