#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace partita {

// ValuePath: where in a document values are: from the root down by property names and by "any element of the array here".
struct ValuePath {
  struct Step {
    bool is_element = false;
    std::string property = {};

    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;

  ValuePath property(std::string_view name) const;
  ValuePath element() const;
  // With an element step a document may have many values here, else at most one.
  bool has_element_step() const;

  bool operator==(const ValuePath&) const = default;
};

// As indexing policies write it, without a final /? or /*: /a/"b c"/[]. The root is a lone slash.
std::string to_text(const ValuePath& path);

}  // namespace partita
