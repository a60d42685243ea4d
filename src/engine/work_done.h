#pragma once

#include <cstdint>

namespace partita {

// WorkDone: what a request did in one physical partition, measured where it was done. What it costs is priced elsewhere
// (partition/request_units).
struct WorkDone {
  uint64_t lookups = 0;  // documents read by primary key, or looked for in vain
  uint64_t lookup_bytes = 0;
  uint64_t writes = 0;  // documents stored or removed
  uint64_t write_bytes = 0;
  uint64_t index_entries_written = 0;  // and removed
  uint64_t pages = 0;                  // of a feed or a query
  uint64_t documents_loaded = 0;       // for a page
  uint64_t loaded_bytes = 0;
  uint64_t index_entries_read = 0;
  uint64_t result_bytes = 0;
  uint64_t scripts = 0;    // procedures and triggers that were run
  uint64_t script_us = 0;  // of a processor

  void add_lookup(uint64_t bytes) {
    ++lookups;
    lookup_bytes += bytes;
  }
  void add_loaded(uint64_t bytes) {
    ++documents_loaded;
    loaded_bytes += bytes;
  }
  WorkDone& operator+=(const WorkDone& other) {
    lookups += other.lookups;
    lookup_bytes += other.lookup_bytes;
    writes += other.writes;
    write_bytes += other.write_bytes;
    index_entries_written += other.index_entries_written;
    pages += other.pages;
    documents_loaded += other.documents_loaded;
    loaded_bytes += other.loaded_bytes;
    index_entries_read += other.index_entries_read;
    result_bytes += other.result_bytes;
    scripts += other.scripts;
    script_us += other.script_us;
    return *this;
  }
  bool operator==(const WorkDone&) const = default;
};

}  // namespace partita
