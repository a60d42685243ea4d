#include "cluster/catalog/number_leases.h"

#include "base/bytes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace partita {
namespace {

// ON DISK, with a value of eight bytes, big-endian: docs/formats/catalog.md.
std::string lease_key(uint32_t database, uint32_t container) {
  std::string key = "l";
  append_big_endian(key, database);
  append_big_endian(key, container);
  return key;
}

void put_lease(uint32_t database, uint32_t container, uint64_t leased, WriteBatch& batch) {
  std::string value;
  append_big_endian(value, leased);
  batch.put(Family::kCatalog, lease_key(database, container), value);
}

}  // namespace

std::shared_ptr<DocumentNumbers> NumberLeases::begin(uint32_t database, uint32_t container, WriteBatch& batch) {
  put_lease(database, container, DocumentNumbers::kLeased, batch);
  return std::make_shared<DocumentNumbers>(DocumentNumber{}, DocumentNumber{DocumentNumbers::kLeased});
}

void NumberLeases::erase(uint32_t database, uint32_t container, WriteBatch& batch) {
  batch.erase(Family::kCatalog, lease_key(database, container));
}

Result<std::shared_ptr<DocumentNumbers>> NumberLeases::open(uint32_t database, uint32_t container, DocumentNumber newest) const {
  std::string value;
  TRY_ASSIGN(const bool is_leased, changes_.store().get(Family::kCatalog, lease_key(database, container), value));
  if (is_leased && value.size() != sizeof(uint64_t)) {
    return fail(ErrorCode::kCorruption, "how many document numbers a container has leased cannot be decoded");
  }
  const DocumentNumber leased{is_leased ? load_big_endian<uint64_t>(value.data()) : 0};
  return std::make_shared<DocumentNumbers>(newest, std::max(leased, newest));
}

Status NumberLeases::extend() {
  const auto running_out = [this] {
    CatalogMap::Containers found;
    map_.for_each_container([&](const std::shared_ptr<const Container>& container) {
      if (container->numbers->is_running_out()) found.push_back(container);
    });
    return found;
  };
  {
    const auto lock = changes_.reading();
    if (running_out().empty()) return {};
  }
  TRY_ASSIGN(const auto changes, changes_.begin());
  std::vector<std::pair<std::shared_ptr<DocumentNumbers>, DocumentNumber>> extended;
  WriteBatch batch(changes_.store());
  for (const std::shared_ptr<const Container>& container : running_out()) {
    const DocumentNumber leased{container->numbers->leased().value + DocumentNumbers::kLeased};
    put_lease(container->database->number, container->number, leased.value, batch);
    extended.emplace_back(container->numbers, leased);
  }
  return changes_.commit(batch, [extended = std::move(extended)] {
    for (const auto& [numbers, leased] : extended) numbers->extend(leased);
  });
}

}  // namespace partita
