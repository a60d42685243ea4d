#include "query/optimise/text_advice.h"

#include <algorithm>
#include <string>

namespace partita::query {
namespace {

using sql::Expression;
using sql::ExpressionKind;

std::string upper(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

bool is_call(const Expression& expression, std::initializer_list<std::string_view> names) {
  return expression.kind == ExpressionKind::kCall && std::ranges::find(names, upper(expression.text)) != names.end();
}

// Of functions whose third argument changes what they find.
bool has_option(const Expression& call) { return call.operands.size() == 3 && call.operands[2]->kind == ExpressionKind::kTrue; }

bool is_path(const Expression& expression) {
  return expression.kind == ExpressionKind::kName || expression.kind == ExpressionKind::kMember ||
         expression.kind == ExpressionKind::kIndex;
}

class Adviser {
 public:
  void look_at(const sql::Query& query) {
    if (query.is_distinct && query.from.size() > 1) add("QA1001");
    if (!std::ranges::all_of(query.group_by, [](const sql::ExpressionPointer& key) { return is_path(*key); })) add("QA1005");
    if (query.where) look_at(*query.where, true);
    for (const sql::FromSource& source : query.from) {
      if (source.query) look_at(*source.query);
    }
    for (const sql::SelectItem& item : query.selection.items) look_at(*item.expression, false);
  }
  // Each once, in the order in which they were found.
  const std::vector<std::string_view>& rules() const { return rules_; }

 private:
  void add(std::string_view rule) {
    if (std::ranges::find(rules_, rule) == rules_.end()) rules_.push_back(rule);
  }

  void look_at(const Expression& expression, bool is_filter) {
    if (expression.kind == ExpressionKind::kCall) look_at_call(expression);
    const bool compares = expression.kind == ExpressionKind::kBinary || expression.kind == ExpressionKind::kIn ||
                          expression.kind == ExpressionKind::kBetween || expression.kind == ExpressionKind::kLike;
    for (const sql::ExpressionPointer& operand : expression.operands) {
      if (is_filter && compares && is_call(*operand, {"UPPER", "LOWER"})) add("QA1006");
      look_at(*operand, is_filter);
    }
    if (expression.query) look_at(*expression.query);
  }

  void look_at_call(const Expression& call) {
    if (is_call(call, {"ARRAY_CONTAINS"}) && has_option(call)) add("QA1000");
    if (is_call(call, {"CONTAINS"})) add("QA1002");
    if (is_call(call, {"STARTSWITH", "STRINGEQUALS"}) && has_option(call)) add("QA1003");
    if (is_call(call, {"ENDSWITH"})) add("QA1004");
    if (is_call(call, {"GETCURRENTDATETIME"})) add("QA1007");
    if (is_call(call, {"GETCURRENTTICKS"})) add("QA1008");
    if (is_call(call, {"GETCURRENTTIMESTAMP"})) add("QA1009");
  }

  std::vector<std::string_view> rules_;
};

}  // namespace

std::vector<std::string_view> text_advice(const sql::Query& query) {
  Adviser adviser;
  adviser.look_at(query);
  return adviser.rules();
}

}  // namespace partita::query
