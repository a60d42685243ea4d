#include "query/sql/parser.h"

#include "query/sql/parser_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::query::sql {
namespace {

// Loosest to tightest. 0 stands for any expression, kNoOperator for a token that is no infix operator.
enum : int {
  kNoOperator = -1,
  kConditionalLevel = 1,
  kCoalesceLevel,
  kOrLevel,
  kAndLevel,
  kNotLevel,
  kTestLevel,  // BETWEEN, IN, LIKE
  kConcatenateLevel,
  kBitOrLevel,
  kBitXorLevel,
  kBitAndLevel,
  kEqualityLevel,
  kRelationLevel,
  kShiftLevel,
  kSumLevel,
  kProductLevel,
  kUnaryLevel,
};

struct BinaryOperator {
  Operation operation = Operation::kNone;
  int level = kNoOperator;
};

BinaryOperator binary_operator(Punctuation punctuation) {
  switch (punctuation) {
    case Punctuation::kConcatenate: return {Operation::kConcatenate, kConcatenateLevel};
    case Punctuation::kBar: return {Operation::kBitOr, kBitOrLevel};
    case Punctuation::kCaret: return {Operation::kBitXor, kBitXorLevel};
    case Punctuation::kAmpersand: return {Operation::kBitAnd, kBitAndLevel};
    case Punctuation::kEqual: return {Operation::kEqual, kEqualityLevel};
    case Punctuation::kNotEqual: return {Operation::kNotEqual, kEqualityLevel};
    case Punctuation::kLess: return {Operation::kLess, kRelationLevel};
    case Punctuation::kLessEqual: return {Operation::kLessEqual, kRelationLevel};
    case Punctuation::kGreater: return {Operation::kGreater, kRelationLevel};
    case Punctuation::kGreaterEqual: return {Operation::kGreaterEqual, kRelationLevel};
    case Punctuation::kShiftLeft: return {Operation::kShiftLeft, kShiftLevel};
    case Punctuation::kShiftRight: return {Operation::kShiftRight, kShiftLevel};
    case Punctuation::kShiftRightUnsigned: return {Operation::kShiftRightUnsigned, kShiftLevel};
    case Punctuation::kPlus: return {Operation::kAdd, kSumLevel};
    case Punctuation::kMinus: return {Operation::kSubtract, kSumLevel};
    case Punctuation::kStar: return {Operation::kMultiply, kProductLevel};
    case Punctuation::kSlash: return {Operation::kDivide, kProductLevel};
    case Punctuation::kPercent: return {Operation::kModulo, kProductLevel};
    default: return {};
  }
}

ExpressionPointer make(ExpressionKind kind, uint32_t start) {
  return std::make_unique<Expression>(kind, SourceRange{start, start});
}

// The number with the other sign: -5 is a literal.
ExpressionPointer negated(ExpressionPointer number, uint32_t start) {
  bool is_negative = number->text.starts_with('-');
  number->text = is_negative ? number->text.substr(1) : "-" + number->text;
  number->range.start = start;
  return number;
}

bool is_path_above(const Expression& e) {
  if (e.kind == ExpressionKind::kName) return true;
  if (e.kind == ExpressionKind::kMember) return e.operands[0]->is_path;
  const bool is_constant_index = e.kind == ExpressionKind::kIndex && (e.operands[1]->kind == ExpressionKind::kString ||
                                                                      e.operands[1]->kind == ExpressionKind::kNumber);
  return is_constant_index && e.operands[0]->is_path;
}

}  // namespace

Parsed<ExpressionPointer> Parser::finish(ExpressionPointer expression) const {
  uint16_t height = expression->query ? expression->query->height : uint16_t{0};
  for (const ExpressionPointer& operand : expression->operands) height = std::max(height, operand->height);
  expression->is_path = is_path_above(*expression);
  return finish(std::move(expression), height);
}

Parsed<ExpressionPointer> Parser::finish(ExpressionPointer expression, uint16_t operand_height) const {
  if (operand_height >= kExpressionHeightMax) {
    return std::unexpected(
        Diagnostic{"SC3002", fmt::format("The expression applies more than {} operators to each other.", kExpressionHeightMax),
                   expression->range});
  }
  expression->height = static_cast<uint16_t>(operand_height + 1);
  expression->range.end = previous_end();
  return expression;
}

Parsed<ExpressionPointer> Parser::parse_expression(Level level) {
  NestingScope nesting(depth_);
  if (depth_ > kNestingDepthMax) return too_deep();
  TRY_ASSIGN(ExpressionPointer left, parse_prefix());
  return parse_infix(std::move(left), level);
}

Parsed<ExpressionPointer> Parser::parse_prefix() {
  const Token& token = peek();
  uint32_t start = token.range.start;
  Operation operation = Operation::kNone;
  if (token.is(Keyword::kNot)) operation = Operation::kNot;
  if (token.is(Punctuation::kMinus)) operation = Operation::kNegate;
  if (token.is(Punctuation::kPlus)) operation = Operation::kPlus;
  if (token.is(Punctuation::kTilde)) operation = Operation::kBitNot;
  if (operation == Operation::kNone) {
    TRY_ASSIGN(ExpressionPointer primary, parse_primary());
    return parse_postfix(std::move(primary));
  }
  take();
  TRY_ASSIGN(ExpressionPointer operand, parse_expression(operation == Operation::kNot ? kNotLevel : kUnaryLevel));
  if (operation == Operation::kNegate && operand->kind == ExpressionKind::kNumber) return negated(std::move(operand), start);
  ExpressionPointer unary = make(ExpressionKind::kUnary, start);
  unary->operation = operation;
  unary->operands.push_back(std::move(operand));
  return finish(std::move(unary));
}

Parser::Level Parser::infix_level() const {
  const Token& token = peek();
  switch (token.keyword) {
    case Keyword::kOr: return kOrLevel;
    case Keyword::kAnd: return kAndLevel;
    case Keyword::kBetween:
    case Keyword::kIn:
    case Keyword::kLike: return kTestLevel;
    case Keyword::kNot: {
      bool is_test = peek(1).is(Keyword::kBetween) || peek(1).is(Keyword::kIn) || peek(1).is(Keyword::kLike);
      return is_test ? kTestLevel : kNoOperator;
    }
    default: break;
  }
  if (token.is(Punctuation::kQuestion)) return kConditionalLevel;
  if (token.is(Punctuation::kCoalesce)) return kCoalesceLevel;
  return binary_operator(token.punctuation).level;
}

Parsed<ExpressionPointer> Parser::parse_infix(ExpressionPointer left, Level level) {
  for (Level next = infix_level(); next != kNoOperator && next >= level; next = infix_level()) {
    TRY_ASSIGN(left, parse_infix_once(std::move(left), next));
  }
  return left;
}

Parsed<ExpressionPointer> Parser::parse_infix_once(ExpressionPointer left, Level operator_level) {
  switch (operator_level) {
    case kConditionalLevel: return parse_conditional(std::move(left));
    case kOrLevel: return parse_chain(std::move(left), ExpressionKind::kOr, kOrLevel);
    case kAndLevel: return parse_chain(std::move(left), ExpressionKind::kAnd, kAndLevel);
    case kTestLevel: return parse_test(std::move(left));
    default: break;
  }
  bool is_coalesce = operator_level == kCoalesceLevel;
  ExpressionPointer binary = make(is_coalesce ? ExpressionKind::kCoalesce : ExpressionKind::kBinary, left->range.start);
  binary->operation = binary_operator(take().punctuation).operation;
  TRY_ASSIGN(ExpressionPointer right, parse_expression(operator_level + 1));
  binary->operands.push_back(std::move(left));
  binary->operands.push_back(std::move(right));
  return finish(std::move(binary));
}

// A chain on the left, in parentheses or not, grows: both connectives are associative, and chains stay flat.
Parsed<ExpressionPointer> Parser::parse_chain(ExpressionPointer left, ExpressionKind kind, Level operator_level) {
  Keyword keyword = kind == ExpressionKind::kOr ? Keyword::kOr : Keyword::kAnd;
  ExpressionPointer chain = std::move(left);
  uint16_t height = static_cast<uint16_t>(chain->height - 1);  // of its operands, none of which is looked at again
  if (chain->kind != kind) {
    ExpressionPointer first = std::move(chain);
    height = first->height;
    chain = make(kind, first->range.start);
    chain->operands.push_back(std::move(first));
  }
  while (accept(keyword)) {
    TRY_ASSIGN(ExpressionPointer operand, parse_expression(operator_level + 1));
    height = std::max(height, operand->height);
    chain->operands.push_back(std::move(operand));
  }
  return finish(std::move(chain), height);
}

Parsed<ExpressionPointer> Parser::parse_conditional(ExpressionPointer condition) {
  ExpressionPointer conditional = make(ExpressionKind::kConditional, condition->range.start);
  take();
  TRY_ASSIGN(ExpressionPointer consequent, parse_expression());
  TRY(expect(Punctuation::kColon));
  TRY_ASSIGN(ExpressionPointer alternative, parse_expression());
  conditional->operands.push_back(std::move(condition));
  conditional->operands.push_back(std::move(consequent));
  conditional->operands.push_back(std::move(alternative));
  return finish(std::move(conditional));
}

Parsed<ExpressionPointer> Parser::parse_test(ExpressionPointer left) {
  bool is_negated = accept(Keyword::kNot);
  Parsed<ExpressionPointer> test = peek().is(Keyword::kBetween) ? parse_between(std::move(left))
                                   : peek().is(Keyword::kIn)    ? parse_in(std::move(left))
                                                                : parse_like(std::move(left));
  if (test) (*test)->is_negated = is_negated;
  return test;
}

Parsed<ExpressionPointer> Parser::parse_between(ExpressionPointer left) {
  ExpressionPointer between = make(ExpressionKind::kBetween, left->range.start);
  take();
  TRY_ASSIGN(ExpressionPointer low, parse_expression(kConcatenateLevel));
  TRY(expect(Keyword::kAnd));
  TRY_ASSIGN(ExpressionPointer high, parse_expression(kConcatenateLevel));
  between->operands.push_back(std::move(left));
  between->operands.push_back(std::move(low));
  between->operands.push_back(std::move(high));
  return finish(std::move(between));
}

Parsed<ExpressionPointer> Parser::parse_in(ExpressionPointer left) {
  ExpressionPointer in = make(ExpressionKind::kIn, left->range.start);
  take();
  TRY(expect(Punctuation::kLeftParenthesis));
  if (peek().is(Punctuation::kRightParenthesis)) return unexpected_token();
  TRY_ASSIGN(in->operands, parse_list(Punctuation::kRightParenthesis));
  in->operands.insert(in->operands.begin(), std::move(left));
  return finish(std::move(in));
}

Parsed<ExpressionPointer> Parser::parse_like(ExpressionPointer left) {
  ExpressionPointer like = make(ExpressionKind::kLike, left->range.start);
  take();
  TRY_ASSIGN(ExpressionPointer pattern, parse_expression(kConcatenateLevel));
  like->operands.push_back(std::move(left));
  like->operands.push_back(std::move(pattern));
  if (accept(Keyword::kEscape)) {
    if (peek().kind != TokenKind::kString && peek().kind != TokenKind::kParameter) return unexpected_token();
    TRY_ASSIGN(ExpressionPointer escape, parse_primary());
    like->operands.push_back(std::move(escape));
  }
  return finish(std::move(like));
}

}  // namespace partita::query::sql
