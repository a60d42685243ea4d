#include "base/bytes.h"
#include "base/check.h"
#include "document/json/utf8.h"
#include "document/key/murmur3.h"
#include "document/key/partition_key.h"

#include <algorithm>
#include <bit>
#include <ranges>

// Partition key to its place in the key space, exactly as the service and its SDKs compute it (docs/formats/partition-key.md).
namespace partita {

namespace {

__extension__ typedef unsigned __int128 Uint128;

enum class Marker : uint8_t { kUndefined = 0x00, kNull = 0x01, kFalse = 0x02, kTrue = 0x03, kNumber = 0x05, kString = 0x08 };

constexpr uint64_t kSign = uint64_t{1} << 63;
constexpr size_t kVersion1UnitsMax = 100;
constexpr uint32_t kReplacementCharacter = 0xFFFD;
// The service clears the two highest bits of a version 2 hash.
constexpr Uint128 kVersion2Max = (Uint128{1} << 126) - 1;

void append_marker(std::string& out, Marker marker) { out += static_cast<char>(marker); }

// The string as an SDK encodes it: cut after so many UTF-16 units, and each unpaired surrogate, also one that the cut made,
// replaced by U+FFFD.
void append_as_encoded_by_sdk(std::string& out, std::string_view text, size_t units_max) {
  constexpr char kSurrogateLead = '\xED';
  if (text.size() <= units_max && !text.contains(kSurrogateLead)) {
    out += text;
    return;
  }
  size_t units = 0;
  while (!text.empty() && units < units_max) {
    const auto [code_point, bytes] = first_code_point(text);
    text.remove_prefix(bytes);
    const size_t own_units = code_point < 0x10000 ? 1 : 2;
    const bool is_halved = units + own_units > units_max;
    append_code_point(out, is_halved || is_surrogate(code_point) ? kReplacementCharacter : code_point);
    units += own_units;
  }
}

// ComponentEncoder: one component as the bytes that are hashed, `string_end` behind a string.
struct ComponentEncoder {
  std::string& out;
  size_t units_max;
  char string_end;

  void operator()(UndefinedKey) const { append_marker(out, Marker::kUndefined); }
  void operator()(NullKey) const { append_marker(out, Marker::kNull); }
  void operator()(bool value) const { append_marker(out, value ? Marker::kTrue : Marker::kFalse); }
  void operator()(double value) const {
    append_marker(out, Marker::kNumber);
    append_little_endian(out, std::bit_cast<uint64_t>(value));
  }
  void operator()(const std::string& value) const {
    append_marker(out, Marker::kString);
    append_as_encoded_by_sdk(out, value, units_max);
    out += string_end;
  }
};

// Order-preserving: the top byte, then seven bits at a time with a "more" bit below them, until only zeros are left.
void append_ordered_number(std::string& out, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  uint64_t left = (bits & kSign) == 0 ? bits ^ kSign : ~bits + 1;
  append_marker(out, Marker::kNumber);
  out += static_cast<char>(left >> 56);
  left <<= 8;
  // Each byte waits until it is known whether another one follows.
  uint8_t waiting = 0;
  bool is_first = true;
  do {
    if (!is_first) out += static_cast<char>(waiting);
    waiting = static_cast<uint8_t>(left >> 56) | 0x01;
    left <<= 7;
    is_first = false;
  } while (left != 0);
  out += static_cast<char>(waiting & 0xFE);
}

// OrderedEncoder: one component as the readable tail of a version 1 key.
struct OrderedEncoder {
  std::string& out;

  void operator()(double value) const { append_ordered_number(out, value); }
  void operator()(const std::string& value) const {
    append_marker(out, Marker::kString);
    std::string encoded;
    append_as_encoded_by_sdk(encoded, value, kVersion1UnitsMax);
    for (const char byte : encoded) out += byte == '\xFF' ? byte : static_cast<char>(byte + 1);
    out += '\0';
  }
  void operator()(const auto& other) const { ComponentEncoder{out, kVersion1UnitsMax, '\0'}(other); }
};

EffectivePartitionKey version1_key(const PartitionKey& key) {
  std::string hashed;
  for (const auto& component : key.components) std::visit(ComponentEncoder{hashed, kVersion1UnitsMax, '\0'}, component);
  EffectivePartitionKey out;
  append_ordered_number(out, murmur3_x86_32(hashed));
  for (const auto& component : key.components) std::visit(OrderedEncoder{out}, component);
  return out;
}

void append_hash128(EffectivePartitionKey& out, Uint128 hash) {
  append_big_endian(out, static_cast<uint64_t>(hash >> 64));
  append_big_endian(out, static_cast<uint64_t>(hash));
}

void append_version2_hash(EffectivePartitionKey& out, std::string_view encoded) {
  const Hash128 hash = murmur3_x64_128(encoded);
  append_hash128(out, (Uint128{hash.high} << 64 | hash.low) & kVersion2Max);
}

EffectivePartitionKey version2_key(const PartitionKey& key, bool is_each_hashed) {
  EffectivePartitionKey out;
  std::string hashed;
  for (const auto& component : key.components) {
    std::visit(ComponentEncoder{hashed, std::string::npos, '\xFF'}, component);
    if (!is_each_hashed) continue;
    append_version2_hash(out, hashed);
    hashed.clear();
  }
  if (!is_each_hashed) append_version2_hash(out, hashed);
  return out;
}

bool is_version1(const PartitionKeyDefinition& definition) {
  return definition.kind == PartitionKeyDefinition::Kind::kHash && definition.version < 2;
}

// share / shares of the space [0, max], without overflow.
Uint128 portion(Uint128 max, size_t share, size_t shares) { return max / shares * share + max % shares * share / shares; }

Uint128 greatest_hash(const PartitionKeyDefinition& definition) { return is_version1(definition) ? UINT32_MAX : kVersion2Max; }

EffectivePartitionKey key_at(Uint128 hash, const PartitionKeyDefinition& definition) {
  EffectivePartitionKey out;
  if (is_version1(definition)) {
    append_ordered_number(out, static_cast<double>(static_cast<uint64_t>(hash)));
  } else {
    append_hash128(out, hash);
  }
  return out;
}

EffectivePartitionKey boundary(size_t share, size_t shares, const PartitionKeyDefinition& definition) {
  return key_at(portion(greatest_hash(definition), share, shares), definition);
}

}  // namespace

EffectivePartitionKey effective_partition_key(const PartitionKey& key, const PartitionKeyDefinition& definition) {
  if (key.components.empty()) return kEffectiveKeyMin;
  if (is_version1(definition)) return version1_key(key);
  return version2_key(key, definition.kind == PartitionKeyDefinition::Kind::kMultiHash);
}

EffectiveKeyRange range_of_prefix(const PartitionKey& prefix, const PartitionKeyDefinition& definition) {
  if (prefix.components.empty()) return {};
  EffectivePartitionKey min = effective_partition_key(prefix, definition);
  EffectivePartitionKey max = min + '\xFF';
  return {std::move(min), std::move(max)};
}

std::vector<EffectiveKeyRange> even_ranges(size_t count, const PartitionKeyDefinition& definition) {
  CHECK(count > 0);
  std::vector<EffectiveKeyRange> ranges(count);
  // Of the same whole number of hashes each, as the service has them; what is left over is in the last one.
  const Uint128 hashes = greatest_hash(definition) / count;
  for (size_t i = 1; i < count; ++i) ranges[i].min = ranges[i - 1].max = key_at(hashes * i, definition);
  return ranges;
}

std::optional<EffectivePartitionKey> middle_of(const EffectiveKeyRange& range, const PartitionKeyDefinition& definition) {
  constexpr size_t kShares = 1 << 20;
  // The first share that begins at `key` or behind it.
  const auto first_at = [&](const EffectivePartitionKey& key) {
    const auto shares = std::views::iota(size_t{1}, kShares);
    return *std::ranges::partition_point(shares, [&](size_t share) { return boundary(share, kShares, definition) < key; });
  };
  const size_t first = first_at(range.min);
  const size_t last = range.max == kEffectiveKeyMax ? kShares : first_at(range.max);
  EffectivePartitionKey middle = boundary(first + (last - first) / 2, kShares, definition);
  if (first >= last || middle <= range.min || !range.contains(middle)) return std::nullopt;
  return middle;
}

}  // namespace partita
