#include "storage/keyspace.h"

#include "base/check.h"

namespace partita {

std::string_view name_of(Family family) {
  switch (family) {
    case Family::kCatalog: return "default";  // the family that RocksDB always has
    case Family::kItems: return "items";
    case Family::kKeys: return "keys";
    case Family::kIndex: return "index";
    case Family::kChanges: return "changes";
  }
  return {};
}

std::string prefix_end(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<uint8_t>(end.back()) == 0xFF) end.pop_back();
  CHECK(!end.empty());
  end.back() = static_cast<char>(end.back() + 1);
  return end;
}

}  // namespace partita
