#pragma once

#include <compare>
#include <cstdint>

namespace partita {

// Which container: its number among those of the store and that of its database. Neither is ever given twice.
struct ContainerNumbers {
  uint32_t database = 0;
  uint32_t container = 0;

  bool operator==(const ContainerNumbers&) const = default;
};

// A physical partition; unique in its store for ever.
struct PartitionId {
  uint32_t value = 0;
  auto operator<=>(const PartitionId&) const = default;
};

// One generation of a partition's index; unique in its store for ever. A new indexing policy builds a new generation.
struct IndexId {
  uint32_t value = 0;
  auto operator<=>(const IndexId&) const = default;
};

// A document's place in its container's order of insertion; never used twice. Below kEnd.
struct DocumentNumber {
  static constexpr uint64_t kEnd = uint64_t{1} << 56;

  uint64_t value = 0;
  auto operator<=>(const DocumentNumber&) const = default;
};

// Which attachment of its document; never used twice there. Above 0.
struct AttachmentNumber {
  uint32_t value = 0;
  auto operator<=>(const AttachmentNumber&) const = default;
};

// The position of a write in its partition's sequence of writes.
struct Lsn {
  uint64_t value = 0;
  auto operator<=>(const Lsn&) const = default;
};
// Of a partition to which nothing was written yet: clients take 0 for "unknown".
inline constexpr Lsn kFirstLsn{1};

}  // namespace partita
