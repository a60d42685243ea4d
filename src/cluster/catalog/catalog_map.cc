#include "cluster/catalog/catalog_map.h"

#include "base/bytes.h"
#include "base/check.h"
#include "base/encodings.h"
#include "engine/item/resource_rid.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

// The number in a resource id that has `prefix` bytes before it; nothing when the text is not such a one.
std::optional<uint32_t> number_in_rid(std::string_view text, size_t prefix) {
  std::string plain(text);
  std::ranges::replace(plain, '-', '/');
  const auto bytes = from_base64(plain);
  if (!bytes || bytes->size() != prefix + sizeof(uint32_t)) return std::nullopt;
  return load_big_endian<uint32_t>(bytes->data() + prefix);
}

// Four bytes in base64. Asked on every request, so that only what can be a resource id is decoded.
std::optional<uint32_t> database_in_rid(std::string_view text) {
  const bool is_shaped = text.size() == 8 && text.ends_with("==");
  return is_shaped ? number_in_rid(text, 0) : std::nullopt;
}

// The number of the container of this database whose resource id the text is, or would be.
std::optional<uint32_t> container_in_rid(std::string_view text, uint32_t database) {
  const bool is_shaped = text.size() == 12 && text.ends_with('=');  // eight bytes in base64
  const auto in_rid = is_shaped ? number_in_rid(text, sizeof(uint32_t)) : std::nullopt;
  if (!in_rid) return std::nullopt;
  const uint32_t number = *in_rid & ~0x80000000U;
  return rid_text(container_rid_bytes(database, number)) == text ? std::optional(number) : std::nullopt;
}

}  // namespace

bool is_like_database_rid(std::string_view id) { return database_in_rid(id).has_value(); }
bool is_like_container_rid(std::string_view id, uint32_t database) { return container_in_rid(id, database).has_value(); }

std::unexpected<Error> id_is_rid(std::string_view id) {
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("The id '{}' is not allowed: it has the form of a resource id, by which clients may mean another.", id));
}

std::unexpected<Error> no_database(std::string_view id, ErrorCode code) {
  return fail(code, fmt::format("The database '{}' does not exist.", id));
}

std::unexpected<Error> no_container(std::string_view id, ErrorCode code) {
  return fail(code, fmt::format("The container '{}' does not exist.", id));
}

Status check_is_current(const CatalogMap& map, const Container& container) {
  if (map.contains(container)) return {};
  return no_container(container.definition.id, ErrorCode::kOwnerNotFound);
}

CatalogMap::Containers CatalogMap::Entry::list() const {
  Containers all;
  for (const auto& [number, container] : containers) all.push_back(container);
  return all;
}

const CatalogMap::Entry* CatalogMap::find(uint32_t database) const {
  const auto entry = entries_.find(database);
  return entry == entries_.end() ? nullptr : &entry->second;
}

const CatalogMap::Entry* CatalogMap::find(std::string_view id_or_rid) const {
  if (const auto in_rid = database_in_rid(id_or_rid)) {
    const Entry* by_rid = find(*in_rid);
    if (by_rid != nullptr && by_rid->database->rid() == id_or_rid) return by_rid;
  }
  const auto by_id = numbers_by_id_.find(id_or_rid);
  return by_id == numbers_by_id_.end() ? nullptr : find(by_id->second);
}

std::shared_ptr<const Container> CatalogMap::find(const Entry& entry, std::string_view id_or_rid) {
  if (const auto in_rid = container_in_rid(id_or_rid, entry.database->number)) {
    const auto by_rid = entry.containers.find(*in_rid);
    if (by_rid != entry.containers.end()) return by_rid->second;
  }
  const auto by_id = entry.numbers_by_id.find(id_or_rid);
  if (by_id == entry.numbers_by_id.end()) return nullptr;
  const auto container = entry.containers.find(by_id->second);
  return container == entry.containers.end() ? nullptr : container->second;
}

std::shared_ptr<const Container> CatalogMap::find(uint32_t database, uint32_t container) const {
  const Entry* entry = find(database);
  if (entry == nullptr) return nullptr;
  const auto found = entry->containers.find(container);
  return found == entry->containers.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const Database>> CatalogMap::databases() const {
  std::vector<std::shared_ptr<const Database>> all;
  for (const auto& [number, entry] : entries_) all.push_back(entry.database);
  return all;
}

CatalogMap::Containers CatalogMap::containers() const {
  Containers all;
  for_each_container([&](const std::shared_ptr<const Container>& container) { all.push_back(container); });
  return all;
}

void CatalogMap::for_each_container(const std::function<void(const std::shared_ptr<const Container>&)>& visit) const {
  for (const auto& [number, entry] : entries_) {
    for (const auto& [container_number, container] : entry.containers) visit(container);
  }
}

void CatalogMap::put(std::shared_ptr<const Database> database) {
  numbers_by_id_[database->id] = database->number;
  entries_[database->number].database = std::move(database);
}

void CatalogMap::put(std::shared_ptr<const Container> container) {
  const auto entry = entries_.find(container->database->number);
  CHECK(entry != entries_.end());
  entry->second.numbers_by_id[container->definition.id] = container->number;
  container->lineage->set_newest(container);
  entry->second.containers[container->number] = std::move(container);
}

void CatalogMap::erase(const Database& database) {
  numbers_by_id_.erase(database.id);
  entries_.erase(database.number);
}

void CatalogMap::erase(const Container& container) {
  const auto entry = entries_.find(container.database->number);
  if (entry == entries_.end()) return;
  entry->second.numbers_by_id.erase(container.definition.id);
  entry->second.containers.erase(container.number);
}

}  // namespace partita
