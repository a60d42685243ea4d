#include "cluster/catalog/orphans.h"

#include "base/bytes.h"
#include "base/prefix_end.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace partita {
namespace {

// What the containers name, by number.
struct Named {
  std::set<uint32_t> partitions;
  std::set<uint32_t> indexes;
  std::set<uint32_t> growing;
};

Named named_in(const CatalogMap& map) {
  Named named;
  map.for_each_container([&](const std::shared_ptr<const Container>& container) {
    for (const PartitionPlace& place : container->places) {
      named.partitions.insert(place.partition->id().value);
      named.indexes.insert(place.partition->local().index().id.value);
      if (const std::optional<Partition::Growth> growth = place.partition->local().growth()) {
        named.indexes.insert(growth->index.id.value);
        named.growing.insert(growth->index.id.value);
      }
    }
  });
  return named;
}

}  // namespace

Status sweep_orphans(Store& store, const CatalogMap& map) {
  const auto [partitions, indexes, growing] = named_in(map);
  WriteBatch batch(store);
  for (Family family : kFamilies) {
    if (family == Family::kCatalog) continue;
    const std::set<uint32_t>& known = family == Family::kIndex ? indexes : partitions;
    Cursor cursor = store.cursor(family, "", std::string(sizeof(uint32_t), '\xFF'));
    cursor.seek_first();
    while (cursor.valid()) {
      const std::string prefix(cursor.key().substr(0, sizeof(uint32_t)));
      const std::string end = prefix_end(prefix);
      if (!known.contains(load_big_endian<uint32_t>(prefix.data()))) batch.erase_range(family, prefix, end);
      cursor.seek(end);
    }
    TRY(cursor.status());
  }
  for (const auto& [kind, known] : {std::pair("p", &partitions), std::pair("h", &partitions), std::pair("g", &growing)}) {
    Cursor rows = store.cursor(Family::kCatalog, kind, prefix_end(kind));
    for (rows.seek_first(); rows.valid(); rows.next()) {
      if (!known->contains(load_big_endian<uint32_t>(rows.key().data() + 1))) batch.erase(Family::kCatalog, rows.key());
    }
    TRY(rows.status());
  }
  TRY(store.apply(batch));
  return {};
}

}  // namespace partita
