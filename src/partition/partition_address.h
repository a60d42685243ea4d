#pragma once

#include "document/key/partition_key.h"
#include "engine/item/identity.h"

#include <compare>
#include <cstdint>

namespace partita {

// A server that owns stores. There is one for now.
struct NodeId {
  uint32_t value = 0;
  auto operator<=>(const NodeId&) const = default;
};
inline constexpr NodeId kThisNode{1};

// How often a store has changed its owner: who speaks of an earlier epoch is refused. The epoch of a store on a local disk, which
// nobody else can open, never changes.
struct Epoch {
  uint64_t value = 0;
  auto operator<=>(const Epoch&) const = default;
};
inline constexpr Epoch kFirstEpoch{1};

// PartitionAddress: which physical partition is meant, and who had it when the map was read that says so.
//
// Owner and epoch are those of the partition's store, known to whoever has opened it; no record of the catalog has them.
struct PartitionAddress {
  PartitionId id;
  EffectiveKeyRange range;
  NodeId owner = kThisNode;
  Epoch epoch = kFirstEpoch;
};

}  // namespace partita
