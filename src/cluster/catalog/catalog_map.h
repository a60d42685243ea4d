#pragma once

#include "base/result.h"
#include "cluster/resources.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// CatalogMap: which databases there are and which containers each of them has, by number, by id and by resource id.
//
// Not thread-safe: CatalogChanges says who may look at it and who may alter it.
// Invariants: every container is in the entry of its database; ids are unique among databases, and among the containers of one;
// no id has the form of a resource id that means another.
class CatalogMap {
 public:
  using Containers = std::vector<std::shared_ptr<const Container>>;
  struct Entry {
    std::shared_ptr<const Database> database;
    std::map<uint32_t, std::shared_ptr<const Container>> containers;  // by number
    std::map<std::string, uint32_t, std::less<>> numbers_by_id;

    Containers list() const;
  };

  // What is the resource id of a database means that one, so that no id can stand in the way of "_self" links; the same for
  // containers. Null when there is none.
  const Entry* find(std::string_view id_or_rid) const;
  const Entry* find(uint32_t database) const;
  static std::shared_ptr<const Container> find(const Entry& entry, std::string_view id_or_rid);
  std::shared_ptr<const Container> find(uint32_t database, uint32_t container) const;
  bool has_id(std::string_view database_id) const { return numbers_by_id_.contains(database_id); }
  bool contains(const Container& container) const { return find(container.database->number, container.number) != nullptr; }

  std::vector<std::shared_ptr<const Database>> databases() const;
  // Of all databases, by number.
  Containers containers() const;
  void for_each_container(const std::function<void(const std::shared_ptr<const Container>&)>& visit) const;

  void put(std::shared_ptr<const Database> database);
  // In place of an earlier version, if there is one, whose holders find the new one through its lineage. REQUIRES: its database
  // is there.
  void put(std::shared_ptr<const Container> container);
  // With its containers.
  void erase(const Database& database);
  void erase(const Container& container);

 private:
  std::map<uint32_t, Entry> entries_;  // by number
  std::map<std::string, uint32_t, std::less<>> numbers_by_id_;
};

// Whether the id could be taken for the resource id of a database, or of a container of this one: then nobody may use it.
bool is_like_database_rid(std::string_view id);
bool is_like_container_rid(std::string_view id, uint32_t database);

std::unexpected<Error> id_is_rid(std::string_view id);
std::unexpected<Error> no_database(std::string_view id, ErrorCode code);
std::unexpected<Error> no_container(std::string_view id, ErrorCode code = ErrorCode::kNotFound);

// kOwnerNotFound when the container has been deleted since the caller got it.
Status check_is_current(const CatalogMap& map, const Container& container);

}  // namespace partita
