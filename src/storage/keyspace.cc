#include "storage/keyspace.h"

namespace partita {

std::string_view name_of(Family family) {
  switch (family) {
    case Family::kCatalog: return "default";  // the family that RocksDB always has
    case Family::kItems: return "items";
    case Family::kKeys: return "keys";
    case Family::kIndex: return "index";
    case Family::kChanges: return "changes";
    case Family::kUnique: return "unique";
    case Family::kExpiry: return "expiry";
    case Family::kVersions: return "versions";
    case Family::kAttachments: return "attachments";
  }
  return {};
}

}  // namespace partita
