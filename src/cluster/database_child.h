#pragma once

#include "cluster/resources.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace partita {

enum class ChildType : uint8_t { kUser, kPermission, kEncryptionKey };

// Where a child is kept: all children of one type in a database, or the permissions of one of its users.
struct ChildPlace {
  uint32_t database = 0;
  ChildType type = ChildType::kUser;
  uint32_t user = 0;  // only of permissions

  auto operator<=>(const ChildPlace&) const = default;
};

// What a client says about a child.
struct ChildDefinition {
  std::string id;
  std::string properties;  // stored form: an object with all other members, as given
};

// DatabaseChild: what a database has besides containers: a user, a permission of a user, or a key of clients that encrypt.
// Immutable once published.
struct DatabaseChild {
  ChildPlace place;
  uint32_t number = 0;  // unique in the store for ever
  ChildDefinition definition;
  Revision revision;
  CatalogLoanPtr loan = {};

  size_t memory_bytes() const { return kResourceMemoryBytes + definition.properties.size(); }
};
using ChildPtr = std::shared_ptr<const DatabaseChild>;

// A child as it was written, and whether it is new.
struct ChildWritten {
  ChildPtr child;
  bool was_created = false;
};

// Every child, by number and by name. Not thread-safe.
class ChildShelf {
 public:
  // Null when there is none.
  ChildPtr find(uint32_t number) const;
  ChildPtr find(const ChildPlace& place, const ResourceName& name) const;
  // In the order of creation.
  std::vector<ChildPtr> list(const ChildPlace& place) const;

  // Replaces the one with the same number.
  void put(const ChildPtr& child);
  // A user goes with its permissions.
  void erase(const DatabaseChild& child);
  void erase_database(uint32_t database);

 private:
  std::map<uint32_t, ChildPtr> by_number_;
  std::map<std::pair<ChildPlace, std::string>, ChildPtr> by_name_;
};

}  // namespace partita
