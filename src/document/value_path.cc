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

ValuePath ValuePath::of(std::span<const std::string> properties) {
  ValuePath path;
  for (const std::string& name : properties) path.steps.push_back({.kind = Step::Kind::kProperty, .property = name});
  return path;
}

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

ValuePath ValuePath::source() const {
  ValuePath shorter = *this;
  if (is_derived()) shorter.steps.pop_back();
  return shorter;
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
      case ValuePath::Step::Kind::kWords: text += " (words)"; break;
      case ValuePath::Step::Kind::kVector: text += " (vector)"; break;
    }
  }
  return text.empty() ? "/" : text;
}

}  // namespace partita
