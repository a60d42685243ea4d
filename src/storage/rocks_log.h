#pragma once

#include <rocksdb/env.h>

#include <memory>

namespace partita::rocks {

// Where RocksDB's warnings and errors go: standard error, a line each. Not a file in the store's directory, as by default:
// writing that one fails together with everything else when the disk is full, and RocksDB takes that for a broken invariant and
// aborts.
std::shared_ptr<rocksdb::Logger> log_to_standard_error();

}  // namespace partita::rocks
