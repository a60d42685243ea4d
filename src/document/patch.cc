#include "document/patch.h"

#include "document/json/json.h"
#include "document/stored/stored_writer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace partita {
namespace {

using Kind = PatchOperation::Kind;

struct KindName {
  std::string_view name;
  Kind kind;
};
constexpr std::array<KindName, 7> kKindNames = {{{"add", Kind::kAdd},
                                                 {"set", Kind::kSet},
                                                 {"replace", Kind::kReplace},
                                                 {"remove", Kind::kRemove},
                                                 {"incr", Kind::kIncrement},
                                                 {"increment", Kind::kIncrement},
                                                 {"move", Kind::kMove}}};

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::kInvalidInput, std::move(message)); }

size_t depth_of(const Value& value) {
  size_t deepest = 0;
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) deepest = std::max(deepest, depth_of(value.element(i)));
    return deepest + 1;
  }
  if (value.is_object()) {
    for (size_t i = 0; i < value.size(); ++i) deepest = std::max(deepest, depth_of(value.member(i).value));
    return deepest + 1;
  }
  return 0;
}

// The position that a step names in an array of this size; nothing when it is none. `-` is the size.
std::optional<size_t> position_of(std::string_view step, size_t size) {
  if (step == "-") return size;
  if (step.empty() || (step.size() > 1 && step.front() == '0')) return std::nullopt;
  size_t position = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), position);
  if (error != std::errc() || end != step.data() + step.size()) return std::nullopt;
  return position;
}

Result<std::string> sum_of(const Value& before, const Value& by) {
  const std::optional<int64_t> left = before.integer();
  const std::optional<int64_t> right = by.integer();
  int64_t exact = 0;
  if (left && right && !__builtin_add_overflow(*left, *right, &exact)) {
    StoredWriter out;
    out.integer(exact);
    return out.take();
  }
  const double sum = before.number() + by.number();
  if (!std::isfinite(sum)) return invalid("the sum is beyond the range of numbers");
  // In the form that the text of the sum has: a document reads the same after it was written and sent back.
  std::string text;
  append_json_number(text, sum);
  return stored_from_json(text);
}

// Rewriting: copies a document with one change at one place.
class Rewriting {
 public:
  // `value` is what the change needs, undefined for a removal.
  Rewriting(Kind kind, const PatchPath& path, const Value& value) : kind_(kind), path_(path), value_(value) {}

  Result<std::string> run(const Value& document) {
    TRY(copy(document, path_.steps));
    return out_.take();
  }

 private:
  using Steps = std::span<const std::string>;

  Status copy(const Value& node, Steps steps) {
    if (node.is_object()) return copy_object(node, steps);
    if (node.is_array()) return copy_array(node, steps);
    return no_parent(steps);
  }

  // A repeated key is one place, that of its last member; the others go.
  Status copy_object(const Value& object, Steps steps) {
    const std::string_view name = steps.front();
    const Value last = object.find(name);
    const bool is_target = steps.size() == 1;
    if (last.is_undefined() && !is_target) return no_parent(steps);
    if (last.is_undefined()) TRY(check_missing());
    out_.begin_object();
    for (size_t i = 0; i < object.size(); ++i) {
      const auto [key, value] = object.member(i);
      if (key != name) {
        out_.key(key);
        out_.value(value);
        continue;
      }
      if (value.bytes().data() != last.bytes().data() || (is_target && kind_ == Kind::kRemove)) continue;
      out_.key(key);
      TRY(is_target ? write_change(value) : copy(value, steps.subspan(1)));
    }
    if (last.is_undefined()) {
      out_.key(name);
      out_.value(value_);
    }
    out_.end_object();
    return {};
  }

  Status copy_array(const Value& array, Steps steps) {
    const std::optional<size_t> position = position_of(steps.front(), array.size());
    if (!position) return invalid(fmt::format("'{}' is not a position in an array", steps.front()));
    const bool is_target = steps.size() == 1;
    const bool inserts = is_target && kind_ == Kind::kAdd;
    if (*position >= array.size() && !is_target) return no_parent(steps);
    if (*position > array.size()) {
      return invalid(fmt::format("{} is beyond the end of the array, which has {} elements", path_.text(), array.size()));
    }
    if (*position == array.size()) TRY(check_missing());
    out_.begin_array();
    for (size_t i = 0; i < array.size(); ++i) {
      if (i != *position || inserts) {
        if (i == *position) out_.value(value_);
        out_.value(array.element(i));
      } else if (!is_target) {
        TRY(copy(array.element(i), steps.subspan(1)));
      } else if (kind_ != Kind::kRemove) {
        TRY(write_change(array.element(i)));
      }
    }
    if (*position == array.size()) out_.value(value_);
    out_.end_array();
    return {};
  }

  // Whether the operation may work where nothing is yet.
  Status check_missing() const {
    if (kind_ == Kind::kRemove || kind_ == Kind::kReplace) return invalid(fmt::format("{} does not exist", path_.text()));
    return {};
  }

  Status write_change(const Value& before) {
    if (kind_ != Kind::kIncrement) {
      out_.value(value_);
      return {};
    }
    if (!before.is_number()) return invalid(fmt::format("{} is not a number", path_.text()));
    TRY_ASSIGN(const std::string sum, sum_of(before, value_));
    out_.value(Value::view(sum));
    return {};
  }

  std::unexpected<Error> no_parent(Steps missing) const {
    return invalid(fmt::format("what contains {} does not exist, no path found beyond: '{}'", path_.text(), missing.front()));
  }

  const Kind kind_;
  const PatchPath& path_;
  const Value value_;
  StoredWriter out_;
};

Value resolve(Value at, const PatchPath& path) {
  for (const std::string& step : path.steps) {
    if (at.is_array()) {
      const std::optional<size_t> position = position_of(step, at.size());
      at = position && *position < at.size() ? at.element(*position) : Value();
    } else {
      at = at.find(step);
    }
  }
  return at;
}

Result<std::string> move(const PatchOperation& operation, const Value& document) {
  const Value moved = resolve(document, operation.from);
  if (moved.is_undefined()) return invalid(fmt::format("{} does not exist", operation.from.text()));
  const std::string value(moved.bytes());
  TRY_ASSIGN(const std::string without, Rewriting(Kind::kRemove, operation.from, {}).run(document));
  return Rewriting(Kind::kAdd, operation.path, Value::view(value)).run(Value::view(without));
}

Result<std::string> apply_one(const PatchOperation& operation, const Value& document) {
  const bool is_move = operation.kind == Kind::kMove;
  const Value added = is_move ? resolve(document, operation.from) : Value::view(operation.value);
  if (operation.path.steps.size() + depth_of(added) > kNestingMax) {
    return invalid(fmt::format("the document would nest more than {} levels deep", kNestingMax));
  }
  if (is_move) return move(operation, document);
  return Rewriting(operation.kind, operation.path, added).run(document);
}

Result<PatchPath> path_member(const Value& operation, std::string_view name) {
  const Value text = operation.find(name);
  if (!text.is_string()) return invalid(fmt::format("'{}' must be a string", name));
  return PatchPath::parse(text.string());
}

Result<Kind> kind_of(const Value& operation) {
  const Value op = operation.find("op");
  if (!op.is_string()) return invalid("'op' must be a string");
  for (const KindName& candidate : kKindNames) {
    if (candidate.name == op.string()) return candidate.kind;
  }
  return invalid(fmt::format("'{}' is not an operation; those are add, set, replace, remove, incr and move", op.string()));
}

Result<PatchOperation> parse_operation(const Value& value) {
  if (!value.is_object()) return invalid("it must be an object");
  TRY_ASSIGN(const Kind kind, kind_of(value));
  PatchOperation operation{.kind = kind, .path = {}, .from = {}, .value = {}};
  TRY_ASSIGN(operation.path, path_member(value, "path"));
  if (kind == Kind::kMove) {
    TRY_ASSIGN(operation.from, path_member(value, "from"));
    if (operation.from.contains(operation.path) && operation.from != operation.path) {
      return invalid(fmt::format("{} cannot be moved into itself", operation.from.text()));
    }
  }
  if (kind == Kind::kMove || kind == Kind::kRemove) return operation;
  const Value argument = value.find("value");
  if (argument.is_undefined()) return invalid("'value' is missing");
  if (kind == Kind::kIncrement && !argument.is_number()) return invalid("'value' must be a number");
  operation.value = argument.bytes();
  return operation;
}

std::unexpected<Error> at_operation(size_t index, const Error& error) {
  return fail(error.code, fmt::format("For Operation({}): {}.", index + 1, error.message));
}

}  // namespace

Result<PatchPath> PatchPath::parse(std::string_view text) {
  if (!text.starts_with('/')) return invalid(fmt::format("the path '{}' does not begin with a slash", text));
  PatchPath path;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') {
      path.steps.emplace_back();
    } else if (text[i] != '~') {
      path.steps.back() += text[i];
    } else {
      const char escape = i + 1 < text.size() ? text[++i] : '\0';
      if (escape != '0' && escape != '1') return invalid(fmt::format("the path '{}' has a ~ that is not ~0 or ~1", text));
      path.steps.back() += escape == '0' ? '~' : '/';
    }
  }
  return path;
}

std::string PatchPath::text() const {
  std::string text;
  for (const std::string& step : steps) {
    text += '/';
    for (const char c : step) {
      if (c == '~') {
        text += "~0";
      } else if (c == '/') {
        text += "~1";
      } else {
        text += c;
      }
    }
  }
  return text;
}

bool PatchPath::contains(const PatchPath& other) const {
  return steps.size() <= other.steps.size() && std::equal(steps.begin(), steps.end(), other.steps.begin());
}

Result<Patch> Patch::parse(const Value& body) {
  const Value operations = body.is_array() ? body : body.find("operations");
  if (!operations.is_array()) return invalid("The patch must be an array of operations, or an object with 'operations'.");
  if (operations.size() == 0 || operations.size() > kPatchOperationsMax) {
    return invalid(
        fmt::format("The number of patch operations must be 1 to {}; there are {}.", kPatchOperationsMax, operations.size()));
  }
  Patch patch;
  const Value condition = body.find("condition");
  if (!condition.is_undefined() && !condition.is_null()) {
    if (!condition.is_string()) return invalid("The patch's 'condition' must be a string.");
    patch.condition = condition.string();
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    Result<PatchOperation> operation = parse_operation(operations.element(i));
    if (!operation) return at_operation(i, operation.error());
    patch.operations.push_back(std::move(*operation));
  }
  return patch;
}

Result<std::string> Patch::apply(const Value& document) const {
  std::string current(document.bytes());
  for (size_t i = 0; i < operations.size(); ++i) {
    Result<std::string> next = apply_one(operations[i], Value::view(current));
    if (!next) return at_operation(i, next.error());
    current = std::move(*next);
  }
  return current;
}

}  // namespace partita
