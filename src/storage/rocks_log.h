#pragma once

#include "base/event.h"

#include <rocksdb/env.h>

#include <memory>

namespace partita::rocks {

// RocksDB's errors as events; with null they are dropped, and whoever called has them as a status. Not a file in the store's
// directory, as by default: writing that one fails together with everything else when the disk is full, and RocksDB takes that
// for a broken invariant and aborts. The sink outlives the database.
std::shared_ptr<rocksdb::Logger> log_to(EventSink* events);

}  // namespace partita::rocks
