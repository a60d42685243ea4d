#pragma once

#include <rocksdb/memtablerep.h>

#include <memory>

namespace partita {

// Memtables of a column family as EntryTrees or EntryRuns instead of RocksDB's skip lists. Every node of a skip list on the way
// costs a cache miss and a comparison through pointers; a node of an EntryTree answers fifteen comparisons from two cache lines.
// That is for rows that are looked up. EntryRuns are for the index: the twenty rows of a document fall into twenty places of a
// large memtable, and few of them will ever be searched for there.
//
// REQUIRES: the family's comparator is bytewise; DBOptions::allow_concurrent_memtable_write is off.
std::shared_ptr<rocksdb::MemTableRepFactory> tree_memtable_factory();
std::shared_ptr<rocksdb::MemTableRepFactory> run_memtable_factory();

}  // namespace partita
