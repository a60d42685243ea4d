#pragma once

#include "query/plan/plan.h"
#include "query/sql/ast.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::query {

// Scope: the aliases of one query. Scopes of sub-queries hide those around them.
struct Scope {
  // Which rows expressions are bound to: those of the sources, or those that grouping made of them.
  enum class Phase : uint8_t { kRows, kGroups };

  struct Alias {
    std::string name;
    uint32_t slot = 0;
  };

  std::vector<Alias> aliases;
  Phase phase = Phase::kRows;
  bool allows_aggregates = false;
  bool is_in_order = false;            // binding a sort key, for messages
  std::optional<Grouping> grouping;    // grows while groups are bound
  std::vector<std::string> key_texts;  // of grouping->keys
  uint32_t key_kinds = 0;              // bit set of the syntax kinds that a key has

  const Alias* find(std::string_view name) const {
    for (const Alias& alias : aliases) {
      if (alias.name == name) return &alias;
    }
    return nullptr;
  }
};

}  // namespace partita::query
