#include "query/sql/parser.h"

#include "query/sql/lexer.h"
#include "query/sql/parser_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::query::sql {

namespace {

uint16_t height_of(const ExpressionPointer& expression) { return expression ? expression->height : uint16_t{0}; }

uint16_t height_of(const FromSource& source) {
  return std::max(height_of(source.expression), source.query ? source.query->height : uint16_t{0});
}

uint16_t height_of(const Query& query) {
  uint16_t height = height_of(query.where);
  for (const SelectItem& item : query.selection.items) height = std::max(height, height_of(item.expression));
  for (const FromSource& source : query.from) height = std::max(height, height_of(source));
  for (const ExpressionPointer& key : query.group_by) height = std::max(height, height_of(key));
  for (const OrderItem& item : query.order_by) height = std::max(height, height_of(item.expression));
  return height;
}

}  // namespace

Result<Query> parse(std::string_view text) {
  if (text.size() > kQueryTextBytesMax) {
    return std::unexpected(to_error(
        Diagnostic{
            "SC3001", fmt::format("The SQL query text exceeded the maximum limit of {} characters.", kQueryTextBytesMax), {}},
        text));
  }
  auto tokens = tokenize(text);
  if (!tokens) return std::unexpected(to_error(tokens.error(), text));
  auto query = Parser(text, std::move(*tokens)).parse_program();
  if (!query) return std::unexpected(to_error(query.error(), text));
  return std::move(*query);
}

Parsed<Query> Parser::parse_program() {
  TRY_ASSIGN(Query query, parse_query());
  if (peek().kind != TokenKind::kEnd) return unexpected_token();
  return query;
}

Parsed<Query> Parser::parse_query() {
  NestingScope nesting(depth_);
  if (depth_ > kNestingDepthMax) return too_deep();
  Query query;
  query.range.start = peek().range.start;
  TRY(expect(Keyword::kSelect));
  query.is_distinct = accept(Keyword::kDistinct);
  query.top_range.start = peek().range.start;
  if (accept(Keyword::kTop)) {
    TRY_ASSIGN(query.top, parse_count());
    query.top_range.end = previous_end();
  }
  TRY_ASSIGN(query.selection, parse_selection());
  if (accept(Keyword::kFrom)) {
    TRY_ASSIGN(query.from, parse_from());
  }
  if (accept(Keyword::kWhere)) {
    TRY_ASSIGN(query.where, parse_expression());
  }
  if (accept(Keyword::kGroup)) {
    TRY(expect(Keyword::kBy));
    do {
      TRY_ASSIGN(ExpressionPointer key, parse_expression());
      query.group_by.push_back(std::move(key));
    } while (accept(Punctuation::kComma));
  }
  query.order_by_range.start = peek().range.start;
  if (accept(Keyword::kOrder)) {
    TRY(expect(Keyword::kBy));
    query.is_rank = peek().is(Keyword::kRank) && at_identifier(1) && accept(Keyword::kRank);
    TRY_ASSIGN(query.order_by, parse_order_items(query.is_rank));
    query.order_by_range.end = previous_end();
  }
  query.offset_range.start = peek().range.start;
  if (accept(Keyword::kOffset)) {
    TRY_ASSIGN(query.offset, parse_count());
    TRY(expect(Keyword::kLimit));
    TRY_ASSIGN(query.limit, parse_count());
    query.offset_range.end = previous_end();
  }
  query.range.end = previous_end();
  query.height = height_of(query);
  return query;
}

Parsed<Selection> Parser::parse_selection() {
  Selection selection;
  if (peek().is(Punctuation::kStar)) {
    selection.range = take().range;
    return selection;
  }
  // VALUE followed by something that starts no expression is a mistake in the expression, not an alias.
  if (accept(Keyword::kValue)) {
    selection.kind = Selection::Kind::kValue;
    TRY_ASSIGN(SelectItem item, parse_select_item());
    selection.items.push_back(std::move(item));
    return selection;
  }
  selection.kind = Selection::Kind::kList;
  do {
    TRY_ASSIGN(SelectItem item, parse_select_item());
    selection.items.push_back(std::move(item));
  } while (accept(Punctuation::kComma));
  return selection;
}

Parsed<SelectItem> Parser::parse_select_item() {
  SelectItem item;
  TRY_ASSIGN(item.expression, parse_expression());
  if (accept(Keyword::kAs) || at_identifier()) {
    TRY_ASSIGN(item.alias, expect_identifier());
  }
  return item;
}

Parsed<std::vector<FromSource>> Parser::parse_from() {
  std::vector<FromSource> sources;
  do {
    TRY_ASSIGN(FromSource source, parse_source());
    sources.push_back(std::move(source));
    if (!peek().is(Keyword::kJoin)) break;
    if (++joins_ > kJoinsMax) return too_many_joins();
    take();
  } while (true);
  return sources;
}

Parsed<FromSource> Parser::parse_source() {
  FromSource source;
  source.range.start = peek().range.start;
  if (at_identifier() && peek(1).is(Keyword::kIn)) {
    source.is_iteration = true;
    TRY_ASSIGN(source.alias, expect_identifier());
    take();
  }
  source.body_range.start = peek().range.start;
  if (peek().is(Punctuation::kLeftParenthesis) && peek(1).is(Keyword::kSelect)) {
    TRY_ASSIGN(source.query, parse_nested_query());
  } else if (source.is_iteration) {
    TRY_ASSIGN(source.expression, parse_primary());
    TRY_ASSIGN(source.expression, parse_postfix(std::move(source.expression)));
  } else {
    TRY_ASSIGN(source.expression, parse_source_path());
  }
  source.body_range.end = previous_end();
  if (!source.is_iteration && (accept(Keyword::kAs) || at_identifier())) {
    TRY_ASSIGN(source.alias, expect_identifier());
  }
  source.range.end = previous_end();
  return source;
}

Parsed<ExpressionPointer> Parser::parse_source_path() {
  SourceRange range = peek().range;
  TRY_ASSIGN(std::string name, expect_identifier());
  auto root = std::make_unique<Expression>(ExpressionKind::kName, range);
  root->text = std::move(name);
  root->is_path = true;
  return parse_postfix(std::move(root));
}

Parsed<std::vector<OrderItem>> Parser::parse_order_items(bool is_rank) {
  std::vector<OrderItem> items;
  do {
    OrderItem item;
    TRY_ASSIGN(item.expression, parse_expression());
    if (is_rank && item.expression->kind != ExpressionKind::kCall) {
      return std::unexpected(Diagnostic{
          "SC2221", "The ORDER BY RANK clause must be followed by a VectorDistance and/or a FullTextScore function call.",
          item.expression->range});
    }
    if (accept(Keyword::kAsc)) {
      item.is_descending = false;
    } else if (accept(Keyword::kDesc)) {
      item.is_descending = true;
    }
    items.push_back(std::move(item));
  } while (accept(Punctuation::kComma));
  return items;
}

Parsed<ExpressionPointer> Parser::parse_count() {
  if (peek().kind != TokenKind::kNumber && peek().kind != TokenKind::kParameter) return unexpected_token();
  return parse_primary();
}

Parsed<std::unique_ptr<Query>> Parser::parse_nested_query() {
  TRY(expect(Punctuation::kLeftParenthesis));
  TRY_ASSIGN(Query query, parse_query());
  TRY(expect(Punctuation::kRightParenthesis));
  return std::make_unique<Query>(std::move(query));
}

bool Parser::at_identifier(size_t ahead) const {
  const Token& token = peek(ahead);
  if (token.kind == TokenKind::kIdentifier) return true;
  switch (token.keyword) {
    case Keyword::kAll:
    case Keyword::kFirst:
    case Keyword::kLast:
    case Keyword::kLeft:
    case Keyword::kRight:
    case Keyword::kRank:
    case Keyword::kUdf: return true;
    default: return false;
  }
}

Parsed<std::string> Parser::expect_identifier() {
  if (!at_identifier()) return unexpected_token();
  return std::string(text_of(take()));
}

std::unexpected<Diagnostic> Parser::unexpected_token() const {
  const Token& token = peek();
  if (token.kind == TokenKind::kEnd) {
    return std::unexpected(Diagnostic{"SC1001", "Syntax error, unexpected end of the query text.", token.range});
  }
  return std::unexpected(
      Diagnostic{"SC1001", fmt::format("Syntax error, incorrect syntax near '{}'.", text_of(token)), token.range});
}

std::unexpected<Diagnostic> Parser::too_many_joins() const {
  return std::unexpected(
      Diagnostic{"SC3006", fmt::format("The SQL query exceeded the maximum number of joins. The allowed limit is {}.", kJoinsMax),
                 peek().range});
}

std::unexpected<Diagnostic> Parser::too_deep() const {
  return std::unexpected(
      Diagnostic{"SC3002", fmt::format("The query is nested deeper than {} levels.", kNestingDepthMax), peek().range});
}

}  // namespace partita::query::sql
