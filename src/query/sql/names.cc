#include "query/sql/names.h"

#include <fmt/format.h>

namespace partita::query::sql {

std::optional<std::string> natural_name(const Expression& e) {
  if (e.kind == ExpressionKind::kName || e.kind == ExpressionKind::kMember) return e.text;
  if (e.kind == ExpressionKind::kIndex && e.operands[1]->kind == ExpressionKind::kString) return e.operands[1]->text;
  return std::nullopt;
}

std::vector<std::string> property_names(const Selection& selection) {
  std::vector<std::string> names;
  int unnamed = 0;
  for (const SelectItem& item : selection.items) {
    std::optional<std::string> name = item.alias ? item.alias : natural_name(*item.expression);
    names.push_back(name ? std::move(*name) : fmt::format("${}", ++unnamed));
  }
  return names;
}

}  // namespace partita::query::sql
