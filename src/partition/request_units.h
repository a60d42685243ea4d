#pragma once

#include <cstddef>

namespace partita {

// What requests cost, from the work they did, in the service's request units (RU). Pure.

// A point read of a document with this many bytes of JSON: 1 RU per KB at first, following the service's published table.
double read_charge(size_t document_bytes);

// A write that stored (or removed) a document of this size and changed this many index entries. A 1 KB document with the
// twenty or so entries that such documents have costs about 5 RU.
double write_charge(size_t document_bytes, size_t index_terms_changed);

// A page of a feed: what was read, not what was left out.
double feed_charge(size_t documents, size_t document_bytes);

// Reading or writing a database, container or offer.
inline constexpr double kMetadataReadCharge = 1.0;
inline constexpr double kMetadataWriteCharge = 4.95;

}  // namespace partita
