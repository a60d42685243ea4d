#include "query/sql/lexer.h"
#include "query/sql/parser_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

// Primary expressions: literals, names, calls, constructors, sub-queries, parentheses, and the paths behind them.
namespace partita::query::sql {
namespace {

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
  if (size_t dot = token.find('.');
      dot != std::string::npos && (dot + 1 == token.size() || token[dot + 1] < '0' || token[dot + 1] > '9')) {
    token.erase(dot, 1);  // 5. and 5.e3
  }
  return std::isfinite(std::strtod(token.c_str(), nullptr)) ? token : std::string();
}

}  // namespace

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
  ExpressionPointer expression =
      make(kind, kind == ExpressionKind::kSubquery ? peek().range.start : tokens_[at_ - 1].range.start);
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
