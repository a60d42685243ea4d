#pragma once

#include "query/sql/ast.h"
#include "query/sql/token.h"

#include <algorithm>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::query::sql {

template <typename T>
using Parsed = std::expected<T, Diagnostic>;

// Parser: recursive descent over clauses (parser.cc) and operator precedence over expressions (expression_parser.cc).
// Not reusable: one object parses one text.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens) : text_(text), tokens_(std::move(tokens)) {}

  Parsed<Query> parse_program();

 private:
  // How tightly an operator binds; an operand of level n contains only operators of level n and tighter.
  using Level = int;

  // Clauses.
  Parsed<Query> parse_query();
  Parsed<Selection> parse_selection();
  Parsed<SelectItem> parse_select_item();
  Parsed<std::vector<FromSource>> parse_from();
  Parsed<FromSource> parse_source();
  Parsed<ExpressionPointer> parse_source_path();
  Parsed<std::vector<OrderItem>> parse_order_items(bool is_rank);
  Parsed<ExpressionPointer> parse_count();
  Parsed<std::unique_ptr<Query>> parse_nested_query();

  // Expressions.
  Parsed<ExpressionPointer> parse_expression() { return parse_expression(0); }
  Parsed<ExpressionPointer> parse_expression(Level level);
  Parsed<ExpressionPointer> parse_prefix();
  Parsed<ExpressionPointer> parse_infix(ExpressionPointer left, Level level);
  Parsed<ExpressionPointer> parse_infix_once(ExpressionPointer left, Level operator_level);
  Parsed<ExpressionPointer> parse_chain(ExpressionPointer left, ExpressionKind kind, Level operator_level);
  Parsed<ExpressionPointer> parse_conditional(ExpressionPointer condition);
  Parsed<ExpressionPointer> parse_test(ExpressionPointer left);
  Parsed<ExpressionPointer> parse_between(ExpressionPointer left);
  Parsed<ExpressionPointer> parse_in(ExpressionPointer left);
  Parsed<ExpressionPointer> parse_like(ExpressionPointer left);
  Parsed<ExpressionPointer> parse_postfix(ExpressionPointer left);
  Parsed<ExpressionPointer> parse_primary();
  Parsed<ExpressionPointer> parse_parenthesised();
  Parsed<ExpressionPointer> parse_keyword_primary();
  Parsed<ExpressionPointer> parse_number();
  Parsed<ExpressionPointer> parse_array();
  Parsed<ExpressionPointer> parse_object();
  Parsed<ExpressionPointer> parse_call(ExpressionKind kind, uint32_t start);
  Parsed<ExpressionPointer> parse_query_expression(ExpressionKind kind);
  Parsed<std::vector<ExpressionPointer>> parse_list(Punctuation end);
  Level infix_level() const;

  // Tokens.
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  std::string_view text_of(const Token& token) const { return token.text(text_); }
  uint32_t previous_end() const { return at_ == 0 ? 0 : tokens_[at_ - 1].range.end; }
  template <typename Wanted>
  bool accept(Wanted wanted) {
    if (!peek().is(wanted)) return false;
    take();
    return true;
  }
  template <typename Wanted>
  Parsed<Token> expect(Wanted wanted) {
    if (!peek().is(wanted)) return unexpected_token();
    return take();
  }
  bool at_identifier(size_t ahead = 0) const;
  Parsed<std::string> expect_identifier();
  std::unexpected<Diagnostic> unexpected_token() const;
  std::unexpected<Diagnostic> too_deep() const;
  std::unexpected<Diagnostic> too_many_joins() const;

  // Sets what follows from the operands, and the end of the range from the last token.
  Parsed<ExpressionPointer> finish(ExpressionPointer expression) const;
  // The same when the greatest height of its operands is known.
  Parsed<ExpressionPointer> finish(ExpressionPointer expression, uint16_t operand_height) const;

  class NestingScope {
   public:
    explicit NestingScope(int& depth) : depth_(depth) { ++depth_; }
    ~NestingScope() { --depth_; }
    NestingScope(const NestingScope&) = delete;
    NestingScope& operator=(const NestingScope&) = delete;

   private:
    int& depth_;
  };

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  size_t joins_ = 0;  // in the whole text
};

}  // namespace partita::query::sql
