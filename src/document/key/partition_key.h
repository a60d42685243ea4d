#pragma once

#include "base/result.h"
#include "document/path.h"
#include "document/value.h"

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace partita {

// How a container derives a document's place from its content. Immutable after creation.
struct PartitionKeyDefinition {
  enum class Kind { kHash, kMultiHash };

  std::vector<DocumentPath> paths;  // empty: a container without partition key
  Kind kind = Kind::kHash;
  int version = 1;  // of the hash; kMultiHash is always 2
  bool is_system_key = false;
  bool names_version = false;  // version 1 is shown where it was given; it means nothing else

  bool operator==(const PartitionKeyDefinition& other) const {
    return paths == other.paths && kind == other.kind && version == other.version && is_system_key == other.is_system_key;
  }
};

inline constexpr size_t kPartitionKeyPathsMax = 3;

struct UndefinedKey {
  auto operator<=>(const UndefinedKey&) const = default;
};
struct NullKey {
  auto operator<=>(const NullKey&) const = default;
};
using PartitionKeyComponent = std::variant<UndefinedKey, NullKey, bool, double, std::string>;

// PartitionKey: the values of a document at its container's partition key paths. All documents with equal keys form one
// logical partition. Fewer components than paths is a prefix of a hierarchical key; none at all is the key of every document
// in a container without partition key.
struct PartitionKey {
  std::vector<PartitionKeyComponent> components;

  // The JSON array of the request header: ["a",1,true,null,{}] where {} is undefined.
  static Result<PartitionKey> parse(std::string_view json);
  // One component per path; objects, arrays and missing values are undefined. -0.0 is 0.
  static PartitionKey of(const Value& document, const PartitionKeyDefinition& definition);
  // The first path along which the document repeats a property, so that readers may disagree about its value; null when none.
  static const DocumentPath* repeated_in(const Value& document, const PartitionKeyDefinition& definition);

  // Back to the header's form, all characters ASCII.
  std::string to_json() const;
  // Injective and prefix-free: the part of the primary key that names the logical partition.
  void append_key_form(std::string& out) const;

  bool operator==(const PartitionKey&) const = default;
};

// EffectivePartitionKey: the hash that places a logical partition in the key space; raw bytes, compared bytewise. Its upper-case
// hexadecimal text is what SDKs compute and compare, bit for bit.
using EffectivePartitionKey = std::string;

// The key space is [kEffectiveKeyMin, kEffectiveKeyMax).
inline const EffectivePartitionKey kEffectiveKeyMin = "";
inline const EffectivePartitionKey kEffectiveKeyMax = "\xFF";

EffectivePartitionKey effective_partition_key(const PartitionKey& key, const PartitionKeyDefinition& definition);

// The half-open range of hashes that a key prefix covers (one hash and its successors for a whole key).
struct EffectiveKeyRange {
  EffectivePartitionKey min = kEffectiveKeyMin;  // inclusive
  EffectivePartitionKey max = kEffectiveKeyMax;  // exclusive

  bool contains(std::string_view key) const { return key >= min && key < max; }
  bool operator==(const EffectiveKeyRange&) const = default;
};
EffectiveKeyRange range_of_prefix(const PartitionKey& prefix, const PartitionKeyDefinition& definition);

// `count` ranges of about equal share of hashes that cover the whole key space: what a new container starts with.
std::vector<EffectiveKeyRange> even_ranges(size_t count, const PartitionKeyDefinition& definition);

// A hash in the middle of those in the range, by their share and not by their bytes. Nothing when the range is less than a
// millionth of the key space.
std::optional<EffectivePartitionKey> middle_of(const EffectiveKeyRange& range, const PartitionKeyDefinition& definition);

}  // namespace partita
