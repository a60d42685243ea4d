#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog_map.h"
#include "storage/store.h"

namespace partita {

// Drops rows of partitions and index generations that no container names: left over when the server was killed while it built an
// index or reshaped a container. REQUIRES: nobody else uses the store yet, and it can be written.
Status sweep_orphans(Store& store, const CatalogMap& map);

}  // namespace partita
