#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// ValuePath: where in a document values are: from the root down by property names and by "any element of the array here". The
// last step may be to something that an index derives from the value.
struct ValuePath {
  struct Step {
    enum class Kind : uint8_t {
      kProperty,
      kElement,
      kCells,   // the cells that cover a shape
      kWords,   // the words of a text
      kVector,  // an array of numbers as a whole
    };

    Kind kind = Kind::kProperty;
    std::string property = {};

    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;

  static ValuePath of(std::span<const std::string> properties);
  ValuePath property(std::string_view name) const;
  ValuePath element() const { return with(Step::Kind::kElement); }
  ValuePath cells() const { return with(Step::Kind::kCells); }
  ValuePath words() const { return with(Step::Kind::kWords); }
  ValuePath vector() const { return with(Step::Kind::kVector); }
  // Whether a document may have many values here, not at most one.
  bool has_many_values() const;
  // Of the last step; the root is a property.
  Step::Kind kind() const { return steps.empty() ? Step::Kind::kProperty : steps.back().kind; }
  // Whether the last step is to something derived, and where the value is that it is derived from.
  bool is_derived() const { return kind() != Step::Kind::kProperty && kind() != Step::Kind::kElement; }
  ValuePath source() const;

  bool operator==(const ValuePath&) const = default;

 private:
  ValuePath with(Step::Kind kind) const;
};

// As indexing policies write it, without a final /? or /*: /a/"b c"/[]. What is derived follows in parentheses. The root is a
// lone slash.
std::string to_text(const ValuePath& path);

}  // namespace partita
