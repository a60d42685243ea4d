#pragma once

#include "base/result.h"
#include "document/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita {

// PatchPath: where a patch operation works: /a/0/b, with ~1 for a slash and ~0 for a tilde within a name. In an array a step is a
// position, or - for the place behind the last element.
struct PatchPath {
  std::vector<std::string> steps;

  static Result<PatchPath> parse(std::string_view text);
  std::string text() const;
  // Whether this names the same place as `other`, or one above it.
  bool contains(const PatchPath& other) const;

  bool operator==(const PatchPath&) const = default;
};

struct PatchOperation {
  enum class Kind { kAdd, kSet, kReplace, kRemove, kIncrement, kMove };

  Kind kind;
  PatchPath path;
  PatchPath from;     // of kMove
  std::string value;  // stored form; of all but kRemove and kMove
};

inline constexpr size_t kPatchOperationsMax = 10;

// Patch: a few changes of a document, applied in order, all or none. Immutable once parsed.
struct Patch {
  std::vector<PatchOperation> operations;
  std::string condition;  // "from c where ..."; empty: none

  // {"condition":"...","operations":[{"op":"set","path":"/a","value":1},...]} or the operations alone. Errors are kInvalidInput.
  static Result<Patch> parse(const Value& body);
  // The changed document in stored form. Errors are kInvalidInput and name the operation, counted from one, that does not fit.
  Result<std::string> apply(const Value& document) const;
};

}  // namespace partita
