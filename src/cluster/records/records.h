#pragma once

#include "base/result.h"
#include "cluster/database_child.h"
#include "cluster/resources.h"
#include "cluster/script_resource.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// How the catalog keeps resources: JSON records. ON DISK: docs/formats/catalog.md.
namespace partita {

inline constexpr int64_t kCatalogRecordFormat = 1;

std::string database_key(uint32_t database);
std::string container_key(uint32_t database, uint32_t container);
std::string offer_key(uint32_t offer);
std::string counter_key(std::string_view name);
std::string script_key(const ScriptResource& script);
// What the keys of a container's scripts begin with.
std::string script_key_prefix(uint32_t database, uint32_t container);

std::string child_key(const DatabaseChild& child);
// What the keys of a database's children begin with.
std::string child_key_prefix(uint32_t database);

std::string encode_database(const Database& database);
Result<Database> decode_database(std::string_view json);

// A container's record says where its partitions are; the partitions themselves are opened by the catalog.
struct PlaceRecord {
  PartitionId partition;
  IndexId index;
  // While the index of a new policy is built: the policy of the one that is read, and the one that grows.
  std::shared_ptr<const IndexingPolicy> former_policy = nullptr;
  std::optional<IndexId> growing = std::nullopt;
  std::string range_id;
  std::vector<std::string> parents;
  EffectiveKeyRange range;
};
struct ContainerRecord {
  uint32_t number = 0;
  uint32_t database = 0;
  ContainerDefinition definition;
  Revision revision;
  std::vector<PlaceRecord> places;
  std::vector<FormerRange> former;
};
std::string encode_container(const Container& container);
Result<ContainerRecord> decode_container(std::string_view json);

// The journal of one change of a container's map: which partitions are replaced by which others, and how far it has come.
struct Reshape {
  enum class Kind { kSplit, kMerge, kRekey };
  // As long as it is not published, the map has the parents and the children's rows are nobody's: after a crash it starts anew.
  // Published, the map has the children and the parents' rows are nobody's. The record goes when those are dropped.
  enum class State { kPrepared, kCopying, kFenced, kPublished };

  Kind kind = Kind::kSplit;
  State state = State::kPrepared;
  uint32_t database = 0;
  uint32_t container = 0;
  std::vector<std::string> parents;                     // range ids, neighbours
  std::vector<PlaceRecord> children;                    // cover the same hashes
  std::optional<PartitionKeyDefinition> partition_key;  // the new one; only when re-keyed
  // Of a new key that the server computes, stored form: the computed properties that are its paths. Else empty.
  std::string computed_properties = {};
  ContainerMode mode = ContainerMode::kOnline;  // of the container meanwhile
};
std::string_view name_of(ContainerMode mode);
// kInvalidInput when it is none's.
Result<ContainerMode> container_mode(std::string_view name);
std::string_view name_of(Reshape::Kind kind);
std::string_view name_of(Reshape::State state);
std::string reshape_key(uint32_t database, uint32_t container);
std::string encode_reshape(const Reshape& reshape);
Result<Reshape> decode_reshape(std::string_view json);

// The journal of a deletion of a whole logical partition that takes more than one transaction.
struct Erasure {
  uint32_t database = 0;
  uint32_t container = 0;
  uint32_t number = 0;  // unique in the store for ever
  PartitionKey key;
  PartitionKeyDefinition definition;  // what the key is of: another one makes the journal void
  Lsn newest;                         // documents that were written later stay
};
std::string erasure_key(const Erasure& erasure);
// For people.
std::string subject_of(const Erasure& erasure);
// What the keys of a container's erasures begin with.
std::string erasure_key_prefix(uint32_t database, uint32_t container);
std::string encode_erasure(const Erasure& erasure);
Result<Erasure> decode_erasure(std::string_view json);

std::string encode_offer(const Offer& offer);
Result<Offer> decode_offer(std::string_view json);

std::string encode_script(const ScriptResource& script);
Result<ScriptResource> decode_script(std::string_view json);

std::string encode_child(const DatabaseChild& child);
Result<DatabaseChild> decode_child(std::string_view json);

}  // namespace partita
