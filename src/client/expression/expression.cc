#include "client/expression/expression.h"

#include "document/json/json.h"

#include <fmt/format.h>

#include <cmath>

namespace partita::client {

struct ExpressionNode {
  enum class Kind : uint8_t { kDocument, kProperty, kElement, kParameter, kOperation, kFunction };

  Kind kind;
  std::string text = {};  // name of a property, an operator or a function; JSON of a parameter
  int index = 0;
  std::vector<std::shared_ptr<const ExpressionNode>> operands = {};
};

namespace {

using Kind = ExpressionNode::Kind;
using NodePointer = std::shared_ptr<const ExpressionNode>;

constexpr std::string_view kAlias = "c";

// SqlText: prints expressions, and collects their parameters. A value that comes twice is one parameter.
class SqlText {
 public:
  void print(const ExpressionNode& node) {
    switch (node.kind) {
      case Kind::kDocument: text += kAlias; return;
      case Kind::kProperty:
        print(*node.operands[0]);
        text += '[';
        append_json_string(text, node.text);
        text += ']';
        return;
      case Kind::kElement:
        print(*node.operands[0]);
        text += fmt::format("[{}]", node.index);
        return;
      case Kind::kParameter: text += name_of(node.text); return;
      case Kind::kOperation: return print_operation(node);
      case Kind::kFunction:
        text += node.text;
        text += '(';
        print_list(node, ", ");
        text += ')';
        return;
    }
  }

  std::string parameters() const {
    if (values_.empty()) return {};
    std::string json = "[";
    for (size_t index = 0; index < values_.size(); ++index) {
      json += fmt::format(R"({}{{"name":"@p{}","value":{}}})", index == 0 ? "" : ",", index, values_[index]);
    }
    return json + "]";
  }

  std::string text;

 private:
  void print_operation(const ExpressionNode& node) {
    text += '(';
    if (node.operands.size() == 1) text += node.text + " ";
    print_list(node, " " + node.text + " ");
    text += ')';
  }

  void print_list(const ExpressionNode& node, std::string_view between) {
    for (size_t index = 0; index < node.operands.size(); ++index) {
      if (index > 0) text += between;
      print(*node.operands[index]);
    }
  }

  std::string name_of(const std::string& value) {
    const auto found = std::ranges::find(values_, value);
    const auto index = found - values_.begin();
    if (found == values_.end()) values_.push_back(value);
    return fmt::format("@p{}", index);
  }

  std::vector<std::string> values_;
};

std::string json_of(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json;
}
std::string json_of(double number) {
  // JSON has no other numbers.
  if (!std::isfinite(number)) return "null";
  std::string json;
  append_json_number(json, number);
  return json;
}

std::string identifier(std::string name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::ranges::replace_if(name, std::not_fn(is_allowed), '_');
  return name;
}

std::vector<NodePointer> nodes_of(const std::vector<Expression>& expressions, auto node_of) {
  std::vector<NodePointer> nodes;
  for (const Expression& each : expressions) nodes.push_back(node_of(each));
  return nodes;
}

}  // namespace

Expression::Expression(std::nullptr_t) : Expression(parameter("null")) {}
Expression::Expression(bool value) : Expression(parameter(value ? "true" : "false")) {}
Expression::Expression(double value) : Expression(parameter(json_of(value))) {}
Expression::Expression(std::string_view value) : Expression(parameter(json_of(value))) {}

Expression Expression::parameter(std::string json) {
  return Expression(std::make_shared<const ExpressionNode>(ExpressionNode{.kind = Kind::kParameter, .text = std::move(json)}));
}

Expression Expression::operator[](std::string_view property) const {
  return Expression(std::make_shared<const ExpressionNode>(
      ExpressionNode{.kind = Kind::kProperty, .text = std::string(property), .operands = {node_}}));
}

Expression Expression::operator[](int index) const {
  return Expression(
      std::make_shared<const ExpressionNode>(ExpressionNode{.kind = Kind::kElement, .index = index, .operands = {node_}}));
}

Expression::Named Expression::as(std::string_view alias) const { return {*this, alias}; }
Expression::Ordered Expression::ascending() const { return {*this, false}; }
Expression::Ordered Expression::descending() const { return {*this, true}; }

Expression document() { return path(""); }

Expression path(std::string_view text) {
  Expression at(std::make_shared<const ExpressionNode>(ExpressionNode{.kind = Kind::kDocument}));
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(".[", text.starts_with('[') ? 1 : 0), text.size());
    const std::string_view step = text.substr(0, end);
    int index = 0;
    if (step.starts_with('[') && step.ends_with(']') &&
        std::from_chars(step.data() + 1, step.data() + step.size() - 1, index).ptr == step.data() + step.size() - 1) {
      at = at[index];
    } else {
      at = at[step];
    }
    text.remove_prefix(end < text.size() && text[end] == '.' ? end + 1 : end);
  }
  return at;
}

Expression operation(std::string_view name, std::vector<Expression> operands) {
  return Expression(std::make_shared<const ExpressionNode>(ExpressionNode{
      .kind = Kind::kOperation, .text = std::string(name), .operands = nodes_of(operands, [](const Expression& each) {
                                                             return each.node_;
                                                           })}));
}

Expression function(std::string_view name, std::vector<Expression> arguments) {
  return Expression(std::make_shared<const ExpressionNode>(ExpressionNode{
      .kind = Kind::kFunction, .text = std::string(name), .operands = nodes_of(arguments, [](const Expression& each) {
                                                            return each.node_;
                                                          })}));
}

Select Select::where(const Expression& condition) && {
  conditions_.push_back(condition);
  return std::move(*this);
}
Select Select::order_by(Expression::Ordered key) && {
  order_.push_back(std::move(key));
  return std::move(*this);
}
Select Select::group_by(Expression key) && {
  groups_.push_back(std::move(key));
  return std::move(*this);
}
Select Select::top(uint64_t rows) && {
  top_ = rows;
  return std::move(*this);
}
Select Select::offset(uint64_t rows, uint64_t limit) && {
  slice_ = {rows, limit};
  return std::move(*this);
}
Select Select::distinct() && {
  is_distinct_ = true;
  return std::move(*this);
}

Query Select::query() const {
  SqlText out;
  out.text = is_distinct_ ? "SELECT DISTINCT " : "SELECT ";
  if (top_) out.text += fmt::format("TOP {} ", *top_);
  if (is_value_) out.text += "VALUE ";
  if (columns_.empty()) out.text += '*';
  const char* separator = "";
  for (const Expression::Named& column : columns_) {
    out.text += std::exchange(separator, ", ");
    out.print(*column.value.node_);
    if (!column.alias.empty()) out.text += " AS " + identifier(column.alias);
  }
  out.text += fmt::format(" FROM {}", kAlias);
  const auto print_all = [&](std::string_view first, std::string_view between, const auto& list, auto print) {
    bool is_first = true;
    for (const auto& each : list) {
      out.text += std::exchange(is_first, false) ? first : between;
      print(each);
    }
  };
  const auto print_node = [&](const Expression& each) { out.print(*each.node_); };
  print_all(" WHERE ", " AND ", conditions_, print_node);
  print_all(" GROUP BY ", ", ", groups_, print_node);
  print_all(" ORDER BY ", ", ", order_, [&](const Expression::Ordered& key) {
    out.print(*key.value.node_);
    if (key.is_descending) out.text += " DESC";
  });
  if (slice_) out.text += fmt::format(" OFFSET {} LIMIT {}", slice_->first, slice_->second);
  return {.text = out.text, .parameters = out.parameters()};
}

Select select(std::vector<Expression::Named> columns) {
  Select select;
  select.columns_ = std::move(columns);
  return select;
}

Select select_value(Expression value) {
  Select select;
  select.columns_.emplace_back(std::move(value));
  select.is_value_ = true;
  return select;
}

Select select_all() { return {}; }

}  // namespace partita::client
