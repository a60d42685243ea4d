#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

// The whole key space of a store. ON DISK: any change here is a change of format (docs/formats/keyspace.md).
//
//   family    key                                                     value
//   catalog   'd' database                                            database record (JSON)
//             'c' database, container                                 container record (JSON)
//             'o' offer                                               offer record (JSON)
//             'r' database, container                                 reshape record (JSON)
//             'n' name of a counter                                   high-water mark (u64)
//             'p' partition                                           partition counters
//             'h' partition                                           heat record (JSON)
//   items     partition, document number                              item record: header and document in stored form
//   keys      partition, effective key, partition key, id             document number
//   index     index, path hash, value in key form, document number    (empty)
//   changes   partition, LSN, document number                         (empty)
//   unique    partition, effective key, partition key, unique value   document number
//   expiry    partition, second, document number                      (empty)
//   versions  partition, LSN, document number                         version record
//   attachments                                                       (docs/formats/keyspace.md)
//             partition, document number                              head: what the document has of them
//             partition, document number, 'a', attachment number      the attachment in stored form
//             partition, document number, 'i', id                     attachment number
//             partition, document number, 'm', attachment number      its media: bytes
//
// Integers are big-endian, so that memcmp order is their order. `partition` is the 4-byte number of a physical partition and
// `index` that of one generation of its index; both are unique in the store for ever, so what belongs together is one contiguous
// range in each family, and dropping it is one range deletion.
namespace partita {

enum class Family : uint8_t { kCatalog, kItems, kKeys, kIndex, kChanges, kUnique, kExpiry, kVersions, kAttachments };
inline constexpr size_t kFamilyCount = 9;
inline constexpr std::array<Family, kFamilyCount> kFamilies = {Family::kCatalog, Family::kItems,    Family::kKeys,
                                                               Family::kIndex,   Family::kChanges,  Family::kUnique,
                                                               Family::kExpiry,  Family::kVersions, Family::kAttachments};

// The name of the family on disk.
std::string_view name_of(Family family);

}  // namespace partita
