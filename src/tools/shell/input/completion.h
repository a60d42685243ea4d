#pragma once

#include "document/value.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools {

// PathTree: the properties that documents of a container have, as far as they were seen. Bounded in size; not thread-safe.
class PathTree {
 public:
  static constexpr size_t kNamesMax = 2'000;
  static constexpr size_t kDepthMax = 8;

  // All properties of an object, and of the objects in its arrays.
  void add_document(const Value& document);
  // A path of a policy or a partition key: /address/city/?, /tags/[]/name/*.
  void add_path(std::string_view path);
  // What can stand behind these steps. Names that need quotes are left out.
  std::vector<std::string> names_below(const std::vector<std::string>& steps, std::string_view prefix) const;

 private:
  struct Node {
    std::map<std::string, Node, std::less<>> children;
  };
  void add(Node& node, const Value& value, size_t depth);
  Node* child(Node& node, std::string_view name);

  Node root_;
  size_t names_ = 0;
};

// What completion draws upon.
struct Vocabulary {
  PathTree paths;
  std::vector<std::string> places;  // databases, and containers as database.container
  std::vector<std::string> procedures;
};

// Words that can stand instead of the one that ends at the end of the line.
struct Completion {
  size_t start = 0;  // of that word
  std::vector<std::string> words;
};
Completion complete(std::string_view line, const Vocabulary& vocabulary);

// How a function is called, when the line ends within its parentheses: "SUBSTRING(a, b, c)". Empty when it does not.
std::string signature_at(std::string_view line);

}  // namespace partita::tools
