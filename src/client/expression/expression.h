#pragma once

#include "client/query/query.h"

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Queries as expressions of C++, printed as SQL with parameters:
//
//   select(path("id"), path("total").as("sum"))
//       .where(path("total") > 40 && path("city") == "Oslo")
//       .order_by(path("total").descending())
//       .top(10)
//       .query();
//
// No text of a value ever becomes part of the SQL, so there is nothing to quote.
namespace partita::client {

struct ExpressionNode;

// Expression: a value of the query language. Immutable and cheap to copy.
class Expression {
 public:
  // A value from outside: a parameter.
  Expression(std::nullptr_t);
  Expression(bool value);
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Expression(T value) : Expression(parameter(std::to_string(value))) {}
  Expression(double value);
  Expression(std::string_view value);
  Expression(const char* value) : Expression(std::string_view(value)) {}
  Expression(const std::string& value) : Expression(std::string_view(value)) {}
  // Any JSON, such as an array.
  static Expression parameter(std::string json);

  // What is at a property, or at a place in an array.
  Expression operator[](std::string_view property) const;
  Expression operator[](const char* property) const { return (*this)[std::string_view(property)]; }
  Expression operator[](int index) const;

  friend class Select;
  friend Expression operation(std::string_view name, std::vector<Expression> operands);
  friend Expression function(std::string_view name, std::vector<Expression> arguments);
  friend Expression path(std::string_view text);

  struct Named;
  // In a select list. What no identifier has becomes an underscore.
  Named as(std::string_view alias) const;
  struct Ordered;
  Ordered ascending() const;
  Ordered descending() const;

 private:
  explicit Expression(std::shared_ptr<const ExpressionNode> node) : node_(std::move(node)) {}

  std::shared_ptr<const ExpressionNode> node_;
};

struct Expression::Named {
  Expression value;
  std::string alias;

  Named(Expression plain) : value(std::move(plain)) {}
  Named(Expression given, std::string_view name) : value(std::move(given)), alias(name) {}
};
struct Expression::Ordered {
  Expression value;
  bool is_descending = false;

  Ordered(Expression plain, bool descends = false) : value(std::move(plain)), is_descending(descends) {}
};

// A path in the document: "total", "address.city", "lines[0].price". Names that are no identifiers are put into operator[].
Expression path(std::string_view text);
// The document itself.
Expression document();

// For the operators below: the operands with the operator between them, in parentheses, or before the only one.
Expression operation(std::string_view name, std::vector<Expression> operands);
// NAME(arguments); the name is one of the language, and not quoted.
Expression function(std::string_view name, std::vector<Expression> arguments);

inline Expression operator==(const Expression& a, const Expression& b) { return operation("=", {a, b}); }
inline Expression operator!=(const Expression& a, const Expression& b) { return operation("!=", {a, b}); }
inline Expression operator<(const Expression& a, const Expression& b) { return operation("<", {a, b}); }
inline Expression operator<=(const Expression& a, const Expression& b) { return operation("<=", {a, b}); }
inline Expression operator>(const Expression& a, const Expression& b) { return operation(">", {a, b}); }
inline Expression operator>=(const Expression& a, const Expression& b) { return operation(">=", {a, b}); }
inline Expression operator&&(const Expression& a, const Expression& b) { return operation("AND", {a, b}); }
inline Expression operator||(const Expression& a, const Expression& b) { return operation("OR", {a, b}); }
inline Expression operator!(const Expression& a) { return operation("NOT", {a}); }
inline Expression operator+(const Expression& a, const Expression& b) { return operation("+", {a, b}); }
inline Expression operator-(const Expression& a, const Expression& b) { return operation("-", {a, b}); }
inline Expression operator*(const Expression& a, const Expression& b) { return operation("*", {a, b}); }
inline Expression operator/(const Expression& a, const Expression& b) { return operation("/", {a, b}); }
inline Expression is_defined(const Expression& a) { return function("IS_DEFINED", {a}); }
inline Expression starts_with(const Expression& a, const Expression& prefix) { return function("STARTSWITH", {a, prefix}); }
inline Expression contains(const Expression& a, const Expression& part) { return function("CONTAINS", {a, part}); }
inline Expression lower(const Expression& a) { return function("LOWER", {a}); }
inline Expression count() { return function("COUNT", {document()}); }
inline Expression sum(const Expression& a) { return function("SUM", {a}); }
inline Expression average(const Expression& a) { return function("AVG", {a}); }
inline Expression minimum(const Expression& a) { return function("MIN", {a}); }
inline Expression maximum(const Expression& a) { return function("MAX", {a}); }

// Select: a query that is being written. Each call returns a longer one.
class Select {
 public:
  Select where(const Expression& condition) &&;  // another one: both must hold
  Select order_by(Expression::Ordered key) &&;   // another one: among equal rows
  Select group_by(Expression key) &&;
  Select top(uint64_t rows) &&;
  Select offset(uint64_t rows, uint64_t limit) &&;
  Select distinct() &&;

  Query query() const;

 private:
  friend Select select(std::vector<Expression::Named> columns);
  friend Select select_value(Expression value);
  friend Select select_all();

  std::vector<Expression::Named> columns_;  // empty: *
  bool is_value_ = false;
  bool is_distinct_ = false;
  std::vector<Expression> conditions_;
  std::vector<Expression> groups_;
  std::vector<Expression::Ordered> order_;
  std::optional<uint64_t> top_;
  std::optional<std::pair<uint64_t, uint64_t>> slice_;
};

Select select(std::vector<Expression::Named> columns);
template <typename... Columns>
  requires(sizeof...(Columns) > 0 && (std::convertible_to<Columns, Expression::Named> && ...))
Select select(Columns... columns) {
  return select(std::vector<Expression::Named>{Expression::Named(std::move(columns))...});
}
Select select_value(Expression value);
Select select_all();

}  // namespace partita::client
