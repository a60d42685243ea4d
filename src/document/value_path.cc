#include "document/value_path.h"

#include <algorithm>
#include <cctype>

namespace partita {
namespace {

bool is_plain(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

}  // namespace

ValuePath ValuePath::property(std::string_view name) const {
  ValuePath longer = *this;
  longer.steps.push_back({.is_element = false, .property = std::string(name)});
  return longer;
}

ValuePath ValuePath::element() const {
  ValuePath longer = *this;
  longer.steps.push_back({.is_element = true});
  return longer;
}

bool ValuePath::has_element_step() const { return std::ranges::any_of(steps, &Step::is_element); }

std::string to_text(const ValuePath& path) {
  std::string text;
  for (const ValuePath::Step& step : path.steps) {
    text += '/';
    if (step.is_element) {
      text += "[]";
    } else if (is_plain(step.property)) {
      text += step.property;
    } else {
      text += '"';
      for (char c : step.property) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
      }
      text += '"';
    }
  }
  return text.empty() ? "/" : text;
}

}  // namespace partita
