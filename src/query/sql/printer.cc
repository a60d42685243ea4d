#include "query/sql/printer.h"

#include "query/value/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

namespace partita::query::sql {
namespace {

constexpr size_t kIndentation = 4;
// Deeper nesting is not shown, because it would make texts longer than in proportion.
constexpr size_t kIndentationMax = 16 * kIndentation;
// Chains up to this length are printed as the binary operators that they abbreviate, longer ones flat.
constexpr size_t kNestedChainMax = 64;

// Integers as they are, other numbers with the 17 digits that always read back the same.
void append_number(std::string& out, std::string_view token) {
  if (token.find_first_of(".eE") == std::string_view::npos) {
    out += token;
    return;
  }
  double value = 0;
  std::from_chars(token.data(), token.data() + token.size(), value);
  fmt::format_to(std::back_inserter(out), "{:.17g}", value);
}

class Printer {
 public:
  explicit Printer(bool hides_literals = false) : hides_literals_(hides_literals) {}

  std::string take() { return std::move(out_); }

  void print_query(const Query& query) {
    out_ += "SELECT ";
    if (query.is_distinct) out_ += "DISTINCT ";
    if (query.top) clause("TOP ", *query.top), out_ += ' ';
    print_selection(query.selection);
    print_from(query.from);
    if (query.where) line(), clause("WHERE ", *query.where);
    for (size_t i = 0; i < query.group_by.size(); ++i) {
      if (i == 0) line(), out_ += "GROUP BY ";
      if (i > 0) out_ += ", ";
      print_expression(*query.group_by[i]);
    }
    print_order(query);
    if (query.offset) {
      line();
      clause("OFFSET ", *query.offset);
      clause(" LIMIT ", *query.limit);
    }
  }

  void print_expression(const Expression& e) {
    switch (e.kind) {
      case ExpressionKind::kUndefined: out_ += "undefined"; break;
      case ExpressionKind::kNull: out_ += "null"; break;
      case ExpressionKind::kTrue: out_ += "true"; break;
      case ExpressionKind::kFalse: out_ += "false"; break;
      case ExpressionKind::kNumber: append_number(out_, hides_literals_ ? "1" : e.text); break;
      case ExpressionKind::kString: append_quoted(out_, hides_literals_ ? "?" : e.text); break;
      case ExpressionKind::kParameter:
      case ExpressionKind::kName:
      case ExpressionKind::kVerbatim: out_ += e.text; break;
      case ExpressionKind::kMember: print_owner(*e.operands[0]), out_ += '.', out_ += e.text; break;
      case ExpressionKind::kIndex: print_index(e); break;
      case ExpressionKind::kArray: print_list('[', e, 0, ']'); break;
      case ExpressionKind::kObject: print_object(e); break;
      case ExpressionKind::kUnary:
        out_ += '(', out_ += symbol_of(e.operation), out_ += ' ';
        print_expression(*e.operands[0]);
        out_ += ')';
        break;
      case ExpressionKind::kBinary: print_infix(e, symbol_of(e.operation)); break;
      case ExpressionKind::kCoalesce: print_infix(e, "??"); break;
      case ExpressionKind::kAnd: print_chain(e, " AND "); break;
      case ExpressionKind::kOr: print_chain(e, " OR "); break;
      case ExpressionKind::kConditional: print_conditional(e); break;
      case ExpressionKind::kBetween: print_between(e); break;
      case ExpressionKind::kIn: print_in(e); break;
      case ExpressionKind::kLike: print_like(e); break;
      case ExpressionKind::kUserCall: out_ += "udf."; [[fallthrough]];
      case ExpressionKind::kCall: out_ += e.text, print_list('(', e, 0, ')'); break;
      case ExpressionKind::kSubquery: print_nested("", *e.query); break;
      case ExpressionKind::kExists: print_nested("EXISTS", *e.query); break;
      case ExpressionKind::kArrayOf: print_nested("ARRAY", *e.query); break;
      case ExpressionKind::kAllOf: print_nested("ALL", *e.query); break;
      case ExpressionKind::kFirstOf: print_nested("FIRST", *e.query); break;
      case ExpressionKind::kLastOf: print_nested("LAST", *e.query); break;
    }
  }

 private:
  void line() {
    out_ += '\n';
    out_.append(std::min(indentation_, kIndentationMax), ' ');
  }

  void clause(std::string_view keyword, const Expression& expression) {
    out_ += keyword;
    print_expression(expression);
  }

  void print_selection(const Selection& selection) {
    if (selection.kind == Selection::Kind::kStar) out_ += '*';
    if (selection.kind == Selection::Kind::kValue) out_ += "VALUE ";
    for (size_t i = 0; i < selection.items.size(); ++i) {
      if (i > 0) out_ += ", ";
      print_expression(*selection.items[i].expression);
      if (selection.items[i].alias) out_ += " AS ", out_ += *selection.items[i].alias;
    }
  }

  void print_from(const std::vector<FromSource>& sources) {
    for (size_t i = 0; i < sources.size(); ++i) {
      line();
      out_ += i == 0 ? "FROM " : "JOIN ";
      const FromSource& source = sources[i];
      if (source.is_iteration) out_ += *source.alias, out_ += " IN ";
      if (source.query) {
        print_nested("", *source.query);
      } else {
        print_expression(*source.expression);
      }
      if (source.alias && !source.is_iteration) out_ += " AS ", out_ += *source.alias;
    }
  }

  void print_order(const Query& query) {
    for (size_t i = 0; i < query.order_by.size(); ++i) {
      if (i == 0) line(), out_ += query.is_rank ? "ORDER BY RANK " : "ORDER BY ";
      if (i > 0) out_ += ", ";
      print_expression(*query.order_by[i].expression);
      if (query.order_by[i].is_descending) out_ += *query.order_by[i].is_descending ? " DESC" : " ASC";
    }
  }

  void print_nested(std::string_view keyword, const Query& query) {
    out_ += keyword;
    out_ += '(';
    indentation_ += kIndentation;
    line();
    print_query(query);
    indentation_ -= kIndentation;
    line();
    out_ += ')';
  }

  // A number before a dot would swallow it.
  void print_owner(const Expression& owner) {
    bool needs_parentheses = owner.kind == ExpressionKind::kNumber;
    if (needs_parentheses) out_ += '(';
    print_expression(owner);
    if (needs_parentheses) out_ += ')';
  }

  void print_list(char open, const Expression& e, size_t first, char close) {
    out_ += open;
    for (size_t i = first; i < e.operands.size(); ++i) {
      if (i > first) out_ += ", ";
      print_expression(*e.operands[i]);
    }
    out_ += close;
  }

  // Subscripts of a path say where, not what.
  void print_index(const Expression& e) {
    print_owner(*e.operands[0]);
    const bool hides_literals = std::exchange(hides_literals_, hides_literals_ && !e.is_path);
    print_list('[', e, 1, ']');
    hides_literals_ = hides_literals;
  }

  void print_object(const Expression& e) {
    out_ += '{';
    for (size_t i = 0; i < e.operands.size(); ++i) {
      if (i > 0) out_ += ", ";
      append_quoted(out_, e.names[i]);
      out_ += ": ";
      print_expression(*e.operands[i]);
    }
    out_ += '}';
  }

  void print_infix(const Expression& e, std::string_view symbol) {
    out_ += '(';
    print_expression(*e.operands[0]);
    out_ += ' ', out_ += symbol, out_ += ' ';
    print_expression(*e.operands[1]);
    out_ += ')';
  }

  void print_chain(const Expression& e, std::string_view symbol) {
    bool is_nested = e.operands.size() <= kNestedChainMax;
    out_.append(is_nested ? e.operands.size() - 1 : 1, '(');
    for (size_t i = 0; i < e.operands.size(); ++i) {
      if (i > 0) out_ += symbol;
      print_expression(*e.operands[i]);
      if (i > 0 && is_nested) out_ += ')';
    }
    if (!is_nested) out_ += ')';
  }

  void print_conditional(const Expression& e) {
    out_ += '(';
    print_expression(*e.operands[0]);
    clause(" ? ", *e.operands[1]);
    clause(" : ", *e.operands[2]);
    out_ += ')';
  }

  void print_between(const Expression& e) {
    out_ += '(';
    print_expression(*e.operands[0]);
    clause(e.is_negated ? " NOT BETWEEN " : " BETWEEN ", *e.operands[1]);
    clause(" AND ", *e.operands[2]);
    out_ += ')';
  }

  void print_in(const Expression& e) {
    out_ += '(';
    print_expression(*e.operands[0]);
    out_ += e.is_negated ? " NOT IN " : " IN ";
    print_list('(', e, 1, ')');
    out_ += ')';
  }

  void print_like(const Expression& e) {
    out_ += '(';
    print_expression(*e.operands[0]);
    clause(e.is_negated ? " NOT LIKE " : " LIKE ", *e.operands[1]);
    if (e.operands.size() > 2) clause(" ESCAPE ", *e.operands[2]);
    out_ += ')';
  }

  bool hides_literals_;
  std::string out_;
  size_t indentation_ = 0;
};

}  // namespace

std::string print(const Query& query) {
  Printer printer;
  printer.print_query(query);
  return printer.take();
}

std::string print_shape(const Query& query) {
  Printer printer(true);
  printer.print_query(query);
  return printer.take();
}

std::string print(const Expression& expression) {
  Printer printer;
  printer.print_expression(expression);
  return printer.take();
}

}  // namespace partita::query::sql
