#pragma once

#include "cluster/resources.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace partita {

enum class ScriptType : uint8_t { kStoredProcedure, kTrigger, kUserFunction };

// What a client says about a script.
struct ScriptDefinition {
  std::string id;
  std::string body;        // JavaScript
  std::string properties;  // stored form: an object with all other members, as given
};

// ScriptResource: a stored procedure, trigger or user defined function of a container. Immutable once published.
struct ScriptResource {
  uint32_t database = 0;
  uint32_t container = 0;
  ScriptType type = ScriptType::kStoredProcedure;
  uint32_t number = 0;  // unique in the store for ever
  ScriptDefinition definition;
  Revision revision;
  CatalogLoanPtr loan = {};

  size_t memory_bytes() const { return kResourceMemoryBytes + definition.body.size() + definition.properties.size(); }
};
using ScriptPtr = std::shared_ptr<const ScriptResource>;

// The scripts of one container.
using ScriptShelf = std::map<std::pair<ScriptType, std::string>, ScriptPtr>;

}  // namespace partita
