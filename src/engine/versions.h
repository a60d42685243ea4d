#pragma once

#include "base/result.h"
#include "engine/rows.h"

#include <cstdint>
#include <string>
#include <string_view>

// Versions: what every write of a container made of a document, kept for a while for readers who want more than the newest state.
namespace partita {

// For how long a container keeps versions; from its member changeFeedPolicy. A plain value.
struct VersionRetention {
  int64_t minutes = 0;          // 0: none are kept
  bool gives_previous = false;  // readers get what a document was before, too

  bool is_on() const { return minutes > 0; }
  // {"retentionDuration": minutes, "previousImages": true}; undefined or null is off.
  static Result<VersionRetention> parse(const Value& change_feed_policy);

  bool operator==(const VersionRetention&) const = default;
};

enum class VersionKind : uint8_t { kCreated = 1, kReplaced = 2, kErased = 3 };

// One version of a document. ON DISK (docs/formats/keyspace.md), under the key of its change:
//
//   byte 0       format, 1
//   byte 1       kind
//   byte 2       1: erased because it had expired, else 0
//   byte 3       zero
//   bytes 4-11   LSN of the version before, little-endian; 0 when there is none
//   bytes 12-19  when, Unix seconds, little-endian
//   bytes 20-    the document in stored form; of an erased one as it was before
struct ItemVersion {
  DocumentNumber number;
  Lsn lsn;
  std::string record;

  VersionKind kind() const;
  bool has_expired() const;
  Lsn previous() const;
  int64_t seconds() const;
  Value document() const;
};

struct VersionOrigin {
  VersionKind kind = VersionKind::kCreated;
  bool has_expired = false;
  Lsn previous;
  int64_t seconds = 0;
};
std::string version_record(const VersionOrigin& origin, const Item& item);
// `key` is that of its row. kCorruption when the record is none.
Result<ItemVersion> version_from_row(std::string_view key, std::string_view record);

}  // namespace partita
