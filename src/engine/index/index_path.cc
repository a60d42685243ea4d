#include "engine/index/index_path.h"

#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

// Reads one property name, quoted or plain, starting at `at`, and moves `at` behind it.
Result<std::string> read_property(std::string_view path, size_t& at) {
  std::string name;
  if (path[at] != '"') {
    const size_t end = std::min(path.find('/', at), path.size());
    name = path.substr(at, end - at);
    at = end;
    if (name.empty()) return bad_index_path(path, "a property name is empty");
    if (name.find_first_of("*?\"") != std::string::npos) {
      return bad_index_path(path, "a wildcard may only stand alone at the end");
    }
    return name;
  }
  for (++at; at < path.size() && path[at] != '"'; ++at) {
    if (path[at] == '\\' && at + 1 < path.size()) ++at;
    name += path[at];
  }
  if (at == path.size()) return bad_index_path(path, "a quoted property name is not closed");
  ++at;
  if (at < path.size() && path[at] != '/') return bad_index_path(path, "a slash must follow a quoted property name");
  return name;
}

// Steps up to the end of the text or up to a wildcard, which `at` is left in front of. REQUIRES: text begins with a slash.
Result<IndexPath> read_steps(std::string_view text, size_t& at) {
  IndexPath path;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at + 1);
    if (rest == "*" || rest == "?" || rest.empty()) break;
    if (path.steps.size() == kNestingMax) return bad_index_path(text, "no document is nested so deep");
    ++at;  // the slash
    if (rest == "[]" || rest.starts_with("[]/")) {
      path.steps.push_back({.kind = IndexPath::Step::Kind::kElement});
      at += 2;
      continue;
    }
    TRY_ASSIGN(std::string property, read_property(text, at));
    path.steps.push_back({.kind = IndexPath::Step::Kind::kProperty, .property = std::move(property)});
  }
  return path;
}

}  // namespace

std::unexpected<Error> bad_index_path(std::string_view path, std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("The indexing path '{}' could not be accepted: {}.", path, why));
}

Result<IndexPath> IndexPath::parse(std::string_view text) {
  if (text.empty() || text[0] != '/') return bad_index_path(text, "it must begin with a slash");
  if (text == "/") return IndexPath{};  // how clients before 2015 wrote the root
  size_t at = 0;
  TRY_ASSIGN(IndexPath path, read_steps(text, at));
  const std::string_view wildcard = text.substr(at);
  if (wildcard == "/*") return path;
  if (wildcard != "/?") return bad_index_path(text, "it must end in /? or /*");
  if (path.steps.empty()) return bad_index_path(text, "the root has no value of its own; use /*");
  path.is_exact = true;
  return path;
}

Result<IndexPath> IndexPath::parse_bare(std::string_view text) {
  if (text.empty() || text[0] != '/') return bad_index_path(text, "it must begin with a slash");
  size_t at = 0;
  TRY_ASSIGN(IndexPath path, read_steps(text, at));
  if (at < text.size()) return bad_index_path(text, "it must name a property and end in no wildcard");
  path.is_exact = true;
  return path;
}

}  // namespace partita
