#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog.h"
#include "storage/store.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace partita::tools {

struct CheckTotals {
  uint64_t containers = 0;
  uint64_t partitions = 0;
  uint64_t documents = 0;
  uint64_t index_entries = 0;
  uint64_t faults = 0;
};

// Compares documents, primary keys, index entries, change records and counters of every partition, and verifies all checksums.
// `print` gets a line for every partition and every fault. An error only when something cannot be read at all.
Result<CheckTotals> check_store(const Store& store, const Catalog& catalog, const std::function<void(std::string_view)>& print);

// The same for one container, without the checksums.
Result<CheckTotals> check_container(const Container& container, const std::function<void(std::string_view)>& print);

}  // namespace partita::tools
