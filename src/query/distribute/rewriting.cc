#include "query/distribute/rewriting.h"

#include "document/system_properties.h"
#include "query/sql/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace partita::query {

using sql::ExpressionKind;
using sql::ExpressionPointer;

ExpressionPointer make(ExpressionKind kind, std::string text) {
  auto expression = std::make_unique<sql::Expression>(kind, SourceRange{});
  expression->text = std::move(text);
  return expression;
}

sql::SelectItem item_of(ExpressionPointer expression, std::optional<std::string> alias) {
  return {std::move(expression), std::move(alias)};
}

std::string root_alias(const sql::Query& query) {
  const sql::FromSource& first = query.from.front();
  if (first.alias) return *first.alias;
  return first.expression ? sql::natural_name(*first.expression).value_or("") : "";
}

sql::SelectItem resource_id_item(const sql::Query& query) {
  return item_of(make_with(ExpressionKind::kMember, std::string(system_property::kResourceId),
                           make(ExpressionKind::kName, root_alias(query))),
                 std::nullopt);
}

ExpressionPointer payload_of(const sql::Query& query) {
  switch (query.selection.kind) {
    case sql::Selection::Kind::kStar: return make(ExpressionKind::kName, root_alias(query));
    case sql::Selection::Kind::kValue: return copy_of(*query.selection.items[0].expression);
    case sql::Selection::Kind::kList: break;
  }
  ObjectBuilder payload;
  std::vector<std::string> names = sql::property_names(query.selection);
  for (size_t i = 0; i < names.size(); ++i) payload.add(names[i], copy_of(*query.selection.items[i].expression));
  return payload.take();
}

ExpressionPointer resumable_filter(const sql::Query& query) {
  ExpressionPointer filter = make(ExpressionKind::kVerbatim, fmt::format("({})", kOrderByFilterPlaceholder));
  return query.where ? make_with(ExpressionKind::kAnd, "", copy_of(*query.where), std::move(filter)) : std::move(filter);
}

uint64_t count_of(const sql::Expression& count, std::span<const Parameter> parameters) {
  if (count.kind == ExpressionKind::kNumber) return std::strtoull(count.text.c_str(), nullptr, 10);
  auto found = std::ranges::find(parameters, count.text, &Parameter::name);
  return static_cast<uint64_t>(Datum::of(Value::view(found->value)).integer().value_or(0));
}

}  // namespace partita::query
