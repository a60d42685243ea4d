#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace partita::server {

// The least of the machine's memory and what these files allow: the limits that a container or service manager sets, as text.
// Files that do not exist or hold no number set none.
uint64_t memory_limit(uint64_t machine_bytes, std::span<const std::string> limit_files);

// What this process may use.
uint64_t memory_limit();

// How much of that a cache gets when nobody says so: enough to matter, and never what a neighbour on a laptop would miss.
size_t default_cache_bytes(uint64_t memory_bytes);

}  // namespace partita::server
