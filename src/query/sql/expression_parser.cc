#include "query/sql/parser.h"

#include "query/sql/lexer.h"
#include "query/sql/parser_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

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

// A literal of the language as a JSON number token; empty when it is too large to be one.
std::string json_number_token(std::string_view literal) {
  if (literal.starts_with("0x") || literal.starts_with("0X")) {
    uint64_t value = 0;
    auto [end, error] = std::from_chars(literal.data() + 2, literal.data() + literal.size(), value, 16);
    return error == std::errc() ? fmt::format("{}", value) : std::string();
  }
  std::string token;
  if (literal.starts_with('.')) token += '0';
  token += literal;
  size_t significant = std::min(token.find_first_not_of('0'), token.size() - 1);
  if (significant > 0) token.erase(0, token[significant] >= '0' && token[significant] <= '9' ? significant : significant - 1);
  if (size_t dot = token.find('.'); dot != std::string::npos && (dot + 1 == token.size() || token[dot + 1] < '0' || token[dot + 1] > '9')) {
    token.erase(dot, 1);  // 5. and 5.e3
  }
  return std::isfinite(std::strtod(token.c_str(), nullptr)) ? token : std::string();
}

// The number with the other sign: -5 is a literal.
ExpressionPointer negated(ExpressionPointer number, uint32_t start) {
  bool is_negative = number->text.starts_with('-');
  number->text = is_negative ? number->text.substr(1) : "-" + number->text;
  number->range.start = start;
  return number;
}

}  // namespace

Parsed<ExpressionPointer> Parser::finish(ExpressionPointer expression) const {
  uint16_t height = 0;
  for (const ExpressionPointer& operand : expression->operands) height = std::max(height, operand->height);
  if (height >= kExpressionHeightMax) {
    return std::unexpected(
        Diagnostic{"SC3002", fmt::format("The expression applies more than {} operators to each other.", kExpressionHeightMax),
                   expression->range});
  }
  expression->height = static_cast<uint16_t>(height + 1);
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
  if (chain->kind != kind) {
    ExpressionPointer first = std::move(chain);
    chain = make(kind, first->range.start);
    chain->operands.push_back(std::move(first));
  }
  while (accept(keyword)) {
    TRY_ASSIGN(ExpressionPointer operand, parse_expression(operator_level + 1));
    chain->operands.push_back(std::move(operand));
  }
  return finish(std::move(chain));
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

Parsed<ExpressionPointer> Parser::parse_postfix(ExpressionPointer left) {
  while (true) {
    if (accept(Punctuation::kDot)) {
      const Token& name = peek();
      if (name.kind != TokenKind::kIdentifier && name.kind != TokenKind::kKeyword) return unexpected_token();
      ExpressionPointer member = make(ExpressionKind::kMember, left->range.start);
      member->text = text_of(take());
      member->operands.push_back(std::move(left));
      TRY_ASSIGN(left, finish(std::move(member)));
    } else if (accept(Punctuation::kLeftBracket)) {
      ExpressionPointer index = make(ExpressionKind::kIndex, left->range.start);
      TRY_ASSIGN(ExpressionPointer subscript, parse_expression());
      TRY(expect(Punctuation::kRightBracket));
      index->operands.push_back(std::move(left));
      index->operands.push_back(std::move(subscript));
      TRY_ASSIGN(left, finish(std::move(index)));
    } else {
      return left;
    }
  }
}

Parsed<ExpressionPointer> Parser::parse_primary() {
  const Token& token = peek();
  uint32_t start = token.range.start;
  switch (token.kind) {
    case TokenKind::kNumber: return parse_number();
    case TokenKind::kString:
    case TokenKind::kParameter: {
      bool is_string = token.kind == TokenKind::kString;
      ExpressionPointer leaf = make(is_string ? ExpressionKind::kString : ExpressionKind::kParameter, start);
      leaf->text = is_string ? string_token_value(text_of(token)) : std::string(text_of(token));
      take();
      return finish(std::move(leaf));
    }
    case TokenKind::kKeyword: return parse_keyword_primary();
    case TokenKind::kIdentifier: {
      if (peek(1).is(Punctuation::kLeftParenthesis)) return parse_call(ExpressionKind::kCall, start);
      ExpressionPointer name = make(ExpressionKind::kName, start);
      name->text = text_of(take());
      return finish(std::move(name));
    }
    case TokenKind::kPunctuation:
      if (token.is(Punctuation::kLeftParenthesis)) return parse_parenthesised();
      if (token.is(Punctuation::kLeftBracket)) return parse_array();
      if (token.is(Punctuation::kLeftBrace)) return parse_object();
      break;
    case TokenKind::kEnd: break;
  }
  return unexpected_token();
}

// ((((a OR b) OR c) OR d) ...): the opening parentheses are counted, and each closing one is met by the loop, so that only
// parentheses to the right of an operator cost a level of nesting.
Parsed<ExpressionPointer> Parser::parse_parenthesised() {
  if (peek(1).is(Keyword::kSelect)) return parse_query_expression(ExpressionKind::kSubquery);
  size_t open = 0;
  while (peek().is(Punctuation::kLeftParenthesis) && !peek(1).is(Keyword::kSelect)) {
    take();
    ++open;
  }
  TRY_ASSIGN(ExpressionPointer inner, parse_expression());
  TRY(expect(Punctuation::kRightParenthesis));
  while (--open > 0) {
    TRY_ASSIGN(inner, parse_postfix(std::move(inner)));
    TRY_ASSIGN(inner, parse_infix(std::move(inner), 0));
    TRY(expect(Punctuation::kRightParenthesis));
  }
  return inner;
}

Parsed<ExpressionPointer> Parser::parse_keyword_primary() {
  const Token& token = peek();
  uint32_t start = token.range.start;
  bool has_query = peek(1).is(Punctuation::kLeftParenthesis) && peek(2).is(Keyword::kSelect);
  auto literal = [&](ExpressionKind kind) {
    take();
    return finish(make(kind, start));
  };
  switch (token.keyword) {
    case Keyword::kUndefined: return literal(ExpressionKind::kUndefined);
    case Keyword::kNull: return literal(ExpressionKind::kNull);
    case Keyword::kTrue: return literal(ExpressionKind::kTrue);
    case Keyword::kFalse: return literal(ExpressionKind::kFalse);
    case Keyword::kExists:
    case Keyword::kArray: {
      take();
      if (!has_query) return unexpected_token();
      return parse_query_expression(token.is(Keyword::kExists) ? ExpressionKind::kExists : ExpressionKind::kArrayOf);
    }
    case Keyword::kAll:
    case Keyword::kFirst:
    case Keyword::kLast:
      if (!has_query) break;
      take();
      return parse_query_expression(token.is(Keyword::kAll)     ? ExpressionKind::kAllOf
                                    : token.is(Keyword::kFirst) ? ExpressionKind::kFirstOf
                                                                : ExpressionKind::kLastOf);
    case Keyword::kUdf:
      if (!peek(1).is(Punctuation::kDot)) break;
      take();
      take();
      return parse_call(ExpressionKind::kUserCall, start);
    default: break;
  }
  if (!at_identifier()) return unexpected_token();
  if (peek(1).is(Punctuation::kLeftParenthesis)) return parse_call(ExpressionKind::kCall, start);
  ExpressionPointer name = make(ExpressionKind::kName, start);
  name->text = text_of(take());
  return finish(std::move(name));
}

Parsed<ExpressionPointer> Parser::parse_number() {
  const Token& token = take();
  std::string value = json_number_token(text_of(token));
  if (value.empty()) {
    return std::unexpected(
        Diagnostic{"SC1012", fmt::format("Syntax error, invalid numeric value token '{}'.", text_of(token)), token.range});
  }
  ExpressionPointer number = make(ExpressionKind::kNumber, token.range.start);
  number->text = std::move(value);
  return finish(std::move(number));
}

Parsed<ExpressionPointer> Parser::parse_array() {
  ExpressionPointer array = make(ExpressionKind::kArray, take().range.start);
  TRY_ASSIGN(array->operands, parse_list(Punctuation::kRightBracket));
  return finish(std::move(array));
}

Parsed<ExpressionPointer> Parser::parse_object() {
  ExpressionPointer object = make(ExpressionKind::kObject, take().range.start);
  if (accept(Punctuation::kRightBrace)) return finish(std::move(object));
  do {
    const Token& key = peek();
    if (key.kind == TokenKind::kString) {
      object->names.push_back(string_token_value(text_of(key)));
    } else if (key.kind == TokenKind::kIdentifier || key.kind == TokenKind::kKeyword) {
      object->names.emplace_back(text_of(key));
    } else {
      return unexpected_token();
    }
    take();
    TRY(expect(Punctuation::kColon));
    TRY_ASSIGN(ExpressionPointer value, parse_expression());
    object->operands.push_back(std::move(value));
  } while (accept(Punctuation::kComma));
  TRY(expect(Punctuation::kRightBrace));
  return finish(std::move(object));
}

Parsed<ExpressionPointer> Parser::parse_call(ExpressionKind kind, uint32_t start) {
  ExpressionPointer call = make(kind, start);
  TRY_ASSIGN(call->text, expect_identifier());
  TRY(expect(Punctuation::kLeftParenthesis));
  TRY_ASSIGN(call->operands, parse_list(Punctuation::kRightParenthesis));
  return finish(std::move(call));
}

Parsed<ExpressionPointer> Parser::parse_query_expression(ExpressionKind kind) {
  ExpressionPointer expression = make(kind, kind == ExpressionKind::kSubquery ? peek().range.start : tokens_[at_ - 1].range.start);
  TRY_ASSIGN(expression->query, parse_nested_query());
  return finish(std::move(expression));
}

// Expressions between commas, up to and with the closing token.
Parsed<std::vector<ExpressionPointer>> Parser::parse_list(Punctuation end) {
  std::vector<ExpressionPointer> list;
  if (accept(end)) return list;
  do {
    TRY_ASSIGN(ExpressionPointer item, parse_expression());
    list.push_back(std::move(item));
  } while (accept(Punctuation::kComma));
  TRY(expect(end));
  return list;
}

}  // namespace partita::query::sql
