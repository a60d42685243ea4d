#pragma once

#include <cstdint>
#include <string_view>

namespace partita {

// CRC-32C in the disguise that RocksDB gives to checksums: one of bytes that contain checksums themselves is a good one, too.
uint32_t masked_checksum(std::string_view bytes);

}  // namespace partita
