#pragma once

#include <rocksdb/file_system.h>

#include <memory>
#include <string>

// Private to this room.
namespace partita {

// A table for RocksDB to read, which a thread that must not wait (base/must_not_wait.h) reads only as far as the system has it in
// memory: else it gets would_wait(). Where the file system cannot tell, it gets that for everything. Thread-safe.
std::unique_ptr<rocksdb::FSRandomAccessFile> table_file(const std::string& path,
                                                        std::unique_ptr<rocksdb::FSRandomAccessFile> file);

// What RocksDB passes on for such a read; nothing else has this status (rocks.h).
rocksdb::IOStatus would_wait();

}  // namespace partita
