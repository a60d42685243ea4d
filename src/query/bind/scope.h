#pragma once

#include "query/plan/plan.h"
#include "query/sql/ast.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace partita::query {

// Scope: one query while it is bound. Scopes of sub-queries hide the aliases of those around them.
struct Scope {
  // Which rows expressions are bound to: those of the sources, or those that grouping made of them.
  enum class Phase : uint8_t { kRows, kGroups };

  std::vector<std::string> aliases;  // what Aliases has for this scope
  Phase phase = Phase::kRows;
  bool allows_aggregates = false;
  bool is_in_order = false;                                                   // binding a sort key, for messages
  std::optional<Grouping> grouping;                                           // grows while groups are bound
  std::unordered_map<std::string, size_t> key_texts;                          // places in grouping->keys
  std::vector<uint64_t> key_prints;                                           // of those that expressions can be found to equal
  std::map<std::pair<AggregateKind, std::string>, uint32_t> aggregate_slots;  // by what they aggregate, as text
};

// Aliases: what names mean, over all scopes at once.
class Aliases {
 public:
  struct Meaning {
    size_t scope;
    uint32_t slot;
  };

  void add(std::string_view name, Meaning meaning) { meanings_[std::string(name)].push_back(meaning); }
  // REQUIRES: it was the last that was added with this name.
  void remove(const std::string& name) { meanings_.find(name)->second.pop_back(); }
  // That of the innermost scope; null when there is none.
  const Meaning* find(const std::string& name) const {
    const auto found = meanings_.find(name);
    return found == meanings_.end() || found->second.empty() ? nullptr : &found->second.back();
  }

 private:
  std::unordered_map<std::string, std::vector<Meaning>> meanings_;  // innermost scope last
};

}  // namespace partita::query
