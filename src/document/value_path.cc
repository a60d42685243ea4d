#include "document/value_path.h"

#include <algorithm>
#include <cctype>

namespace partita {
namespace {

bool is_plain(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

void append_property(std::string& out, std::string_view name) {
  if (is_plain(name)) {
    out += name;
    return;
  }
  out += '"';
  for (char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace

ValuePath ValuePath::property(std::string_view name) const {
  ValuePath longer = *this;
  longer.steps.push_back({.kind = Step::Kind::kProperty, .property = std::string(name)});
  return longer;
}

ValuePath ValuePath::with(Step::Kind kind) const {
  ValuePath longer = *this;
  longer.steps.push_back({.kind = kind});
  return longer;
}

bool ValuePath::has_many_values() const {
  return std::ranges::any_of(steps, [](const Step& step) { return step.kind != Step::Kind::kProperty; });
}

std::string to_text(const ValuePath& path) {
  std::string text;
  for (const ValuePath::Step& step : path.steps) {
    switch (step.kind) {
      case ValuePath::Step::Kind::kProperty: append_property(text += '/', step.property); break;
      case ValuePath::Step::Kind::kElement: text += "/[]"; break;
      case ValuePath::Step::Kind::kCells: text += " (cells)"; break;
    }
  }
  return text.empty() ? "/" : text;
}

}  // namespace partita
