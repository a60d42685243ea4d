#include "query/sql/ast.h"

namespace partita::query::sql {

Expression::Expression(ExpressionKind kind_of, SourceRange range_of) : kind(kind_of), range(range_of) {}
Expression::~Expression() = default;

}  // namespace partita::query::sql
