#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace partita {

// What this process may use of the machine: all of it, or less in a container or on some processors only.
uint64_t memory_limit();
size_t processor_limit();

// What control groups (version 2) say in memory.max and cpu.max: "2147483648", "150000 100000" or "max". Parts of processors
// count as whole ones. nullopt: no limit.
std::optional<uint64_t> parse_memory_limit(std::string_view text);
std::optional<size_t> parse_processor_limit(std::string_view text);

}  // namespace partita
