#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog_changes.h"
#include "cluster/catalog/catalog_map.h"
#include "cluster/database_child.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace partita {

// Children: the users, permissions and client encryption keys of all databases.
//
// Thread-safe: the protocol is that of CatalogChanges. Errors: kNotFound, kOwnerNotFound (what they belong to is gone),
// kAlreadyExists, kInvalidInput, kPreconditionFailed, kStorageFailure.
class Children {
 public:
  Children(CatalogChanges& changes, const CatalogMap& map) : changes_(changes), map_(map) {}

  // Null when there is none.
  ChildPtr find(uint32_t number) const;
  Result<ChildPtr> find(const ChildPlace& place, const ResourceName& name) const;
  // In the order of creation.
  std::vector<ChildPtr> list(const ChildPlace& place) const;
  Result<ChildWritten> write(const ChildPlace& place, ChildDefinition definition, bool may_exist);
  // The id may change, if the new one is free.
  Result<ChildPtr> replace(const ChildPlace& place, const ResourceName& name, ChildDefinition definition,
                           std::string_view if_match = {});
  // A user goes with its permissions.
  Status erase(const ChildPlace& place, const ResourceName& name, std::string_view if_match = {});

  // With their database. REQUIRES: called to publish.
  void forget(const Database& database) { shelf_.erase_database(database.number); }

  // For the start.
  Status load();

 private:
  Status check_has_owner(const ChildPlace& place) const;
  Result<ChildPtr> put(const ChildPlace& place, ChildDefinition definition, const ChildPtr& before);

  CatalogChanges& changes_;
  const CatalogMap& map_;
  ChildShelf shelf_;
};

}  // namespace partita
