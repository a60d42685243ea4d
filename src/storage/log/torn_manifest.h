#pragma once

#include "base/event.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace partita {

// RocksDB's MANIFEST lists the current tables; every change of them is a record at its end, synced before it counts. A power cut
// can leave a record of which only the beginning was written, in a file that has its new size already: zeros follow. RocksDB
// takes that for damage, while it knows a record that ends with the file for one that was never finished. So the zeros are taken
// away.
//
// For a store that cannot be opened. Nothing when its MANIFEST does not end so.
struct TornManifest {
  std::string path;
  uint64_t end = 0;  // of what was written
};
std::optional<TornManifest> find_torn_manifest(const std::string& directory);

// A damaged length can look like the record that was never finished, too, and everything behind it would be dropped without a
// word. kCorruption when the last record that RocksDB would read so was whole, or has whole ones behind it.
Status check_manifest(const std::string& directory);

// False: it cannot be changed. Else it is told, unless `events` is null.
bool cut(const TornManifest& manifest, EventSink* events);

}  // namespace partita
