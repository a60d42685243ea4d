#include "engine/versions.h"

#include "base/bytes.h"

#include <fmt/format.h>

namespace partita {
namespace {

constexpr uint8_t kVersionFormat = 1;
constexpr size_t kKindOffset = 1;
constexpr size_t kExpiredOffset = 2;
constexpr size_t kPreviousOffset = 4;
constexpr size_t kSecondsOffset = 12;
constexpr size_t kVersionHeaderBytes = 20;
constexpr int64_t kRetentionMinutesMax = INT32_MAX;

}  // namespace

Result<VersionRetention> VersionRetention::parse(const Value& change_feed_policy) {
  VersionRetention retention;
  if (change_feed_policy.is_undefined() || change_feed_policy.is_null()) return retention;
  const auto invalid = [] {
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("'changeFeedPolicy' must be an object with 'retentionDuration', a whole number of minutes from 0 to {}.",
                    kRetentionMinutesMax));
  };
  if (!change_feed_policy.is_object()) return invalid();
  const Value minutes = change_feed_policy.find("retentionDuration");
  if (!minutes.is_undefined()) {
    const std::optional<int64_t> whole = minutes.is_number() ? minutes.integer() : std::nullopt;
    if (!whole || *whole < 0 || *whole > kRetentionMinutesMax) return invalid();
    retention.minutes = *whole;
  }
  const Value previous = change_feed_policy.find("previousImages");
  retention.gives_previous = previous.is_bool() && previous.boolean();
  return retention;
}

VersionKind ItemVersion::kind() const { return static_cast<VersionKind>(record[kKindOffset]); }

bool ItemVersion::has_expired() const { return record[kExpiredOffset] != 0; }

Lsn ItemVersion::previous() const { return {load_little_endian<uint64_t>(record.data() + kPreviousOffset)}; }

int64_t ItemVersion::seconds() const {
  return static_cast<int64_t>(load_little_endian<uint64_t>(record.data() + kSecondsOffset));
}

Value ItemVersion::document() const { return Value::view(std::string_view(record).substr(kVersionHeaderBytes)); }

std::string version_record(const VersionOrigin& origin, const Item& item) {
  const std::string_view document = item.document().bytes();
  std::string record;
  record.reserve(kVersionHeaderBytes + document.size());
  record += static_cast<char>(kVersionFormat);
  record += static_cast<char>(origin.kind);
  record += static_cast<char>(origin.has_expired);
  record += '\0';
  append_little_endian(record, origin.previous.value);
  append_little_endian(record, static_cast<uint64_t>(origin.seconds));
  record += document;
  return record;
}

Result<ItemVersion> version_from_row(std::string_view key, std::string_view record) {
  const bool has_header = record.size() > kVersionHeaderBytes && static_cast<uint8_t>(record[0]) == kVersionFormat;
  const auto kind = has_header ? static_cast<uint8_t>(record[kKindOffset]) : uint8_t{0};
  if (kind < static_cast<uint8_t>(VersionKind::kCreated) || kind > static_cast<uint8_t>(VersionKind::kErased)) {
    return fail(ErrorCode::kCorruption, fmt::format("a version of document number {} has no header of format {}",
                                                    trailing_number(key).value, kVersionFormat));
  }
  return ItemVersion{trailing_number(key), lsn_of_change_key(key), std::string(record)};
}

}  // namespace partita
