#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog_changes.h"
#include "cluster/catalog/catalog_map.h"
#include "cluster/script_resource.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace partita {

// A script as it was written, and whether it is new.
struct ScriptWritten {
  ScriptPtr script;
  bool was_created = false;
};

// Scripts: the stored procedures, triggers and user defined functions of all containers.
//
// Thread-safe: the protocol is that of CatalogChanges. Errors: kNotFound, kOwnerNotFound (the container has been deleted),
// kAlreadyExists, kInvalidInput, kPreconditionFailed, kStorageFailure.
class Scripts {
 public:
  Scripts(CatalogChanges& changes, const CatalogMap& map) : changes_(changes), map_(map) {}

  Result<ScriptPtr> find(const Container& container, ScriptType type, const ResourceName& name) const;
  // Whether any container has one.
  bool is_empty() const;
  // In the order of creation.
  std::vector<ScriptPtr> list(const Container& container, ScriptType type) const;
  Result<ScriptWritten> write(const Container& container, ScriptType type, ScriptDefinition definition, bool may_exist);
  // The id may change, if the new one is free.
  Result<ScriptPtr> replace(const Container& container, ScriptType type, const ResourceName& name, ScriptDefinition definition,
                            std::string_view if_match = {});
  Status erase(const Container& container, ScriptType type, const ResourceName& name, std::string_view if_match = {});

  // With their container. REQUIRES: called to publish.
  void forget(const Container& container);

  // For the start.
  Status load();

 private:
  ScriptPtr look_up(uint32_t container, ScriptType type, const ResourceName& name) const;
  Result<ScriptPtr> put(std::shared_ptr<ScriptResource> script, const ScriptPtr& before);
  // REQUIRES: called to publish, or at the start.
  void shelve(const ScriptPtr& script, const ScriptPtr& before);

  CatalogChanges& changes_;
  const CatalogMap& map_;
  std::map<uint32_t, ScriptShelf> shelves_;  // by container
  // The same scripts: whoever looks for a number looks at no others. Numbers are given once in a store.
  std::unordered_map<uint32_t, ScriptPtr> by_number_;
};

}  // namespace partita
