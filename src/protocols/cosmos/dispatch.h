#pragma once

#include "base/turn.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/service.h"

#include <cstddef>

// Where a request is answered. A connection's thread serves others too: it does what takes about 150 us at most, and never waits
// for a disk. Everything else is done by workers, in the turn of the database and container that it is about.
namespace partita::cosmos {

// Bodies up to so many bytes are parsed, and documents of that size checked and indexed, at once: 40 us for a kilobyte of small
// values. Stored documents are changed at once if they are no larger.
inline constexpr size_t kWriteBytesAtOnceMax = 4 << 10;
inline constexpr size_t kStoredBytesAtOnceMax = 4 << 10;
// So many partition key ranges are listed at once: each costs about 3 us.
inline constexpr size_t kRangesAtOnceMax = 50;
// Query texts with their parameters, which cost more: about 0.1 us a byte to compile.
inline constexpr size_t kQueryBytesAtOnceMax = 2 << 10;
// What describes a resource of the catalogue is written as JSON at once up to so many bytes.
inline constexpr size_t kDefinitionBytesAtOnceMax = 64 << 10;

// Decided by the operation, the size of its body and whether the store is slow, not by what it finds: queries begin on the
// connection's thread if their text is short, and go on elsewhere when they take long; what runs scripts goes to workers by
// itself.
bool belongs_to_workers(const Service& service, const Exchange& exchange);

// The handlers of two kinds of request find out that they belong to workers from what is stored. They begin again there with
// leave_to_worker(), unless they are there already.
//
// A query is compiled together with the computed properties of its container.
bool is_long_to_compile(const Exchange& exchange, const Container& container);
inline bool is_long_to_write(const Exchange& exchange, size_t definition_bytes) {
  return definition_bytes > kDefinitionBytesAtOnceMax && exchange.turn() == nullptr;
}
void leave_to_worker(const Service& service, ExchangePtr exchange);

// The container that the path names, or its database; the account when there is none.
Tenant tenant_of(const Service& service, const Exchange& exchange);

}  // namespace partita::cosmos
