#pragma once

#include <string>

namespace partita {

// RocksDB's MANIFEST lists the current tables; every change of them is a record at its end, synced before it counts. A power cut
// can leave a record of which only the beginning was written, in a file that has its new size already: zeros follow. RocksDB
// takes that for damage, while it knows a record that ends with the file for one that was never finished. So the zeros are taken
// away.
//
// For a store that cannot be opened. False: its MANIFEST does not end so, or cannot be changed.
bool cut_torn_manifest(const std::string& directory);

}  // namespace partita
