#pragma once

#include "cluster/catalog_memory.h"
#include "cluster/document_numbers.h"
#include "document/key/partition_key.h"
#include "engine/index/indexing_policy.h"
#include "engine/item/document_form.h"
#include "engine/item/document_rules.h"
#include "engine/item/identity.h"
#include "partition/partition_client.h"
#include "query/synthetic/synthetic_key.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// A fixed throughput that clients ask for by its name, instead of by a number: S1, S2 or S3.
enum class PerformanceLevel { kNone, kS1, kS2, kS3 };
std::string_view name_of(PerformanceLevel level);
// kInvalidInput when there is none of that name; kNone has none.
Result<PerformanceLevel> performance_level(std::string_view name);
int64_t units_per_second(PerformanceLevel level);

// What can be asked of a database or a container per second, in request units.
struct Throughput {
  int64_t provisioned = 400;             // with autoscale: the least it falls to
  std::optional<int64_t> autoscale_max;  // autoscale only
  // Autoscale only: when more is stored than the maximum allows for, it is raised by this many percent.
  std::optional<int64_t> increment_percent = std::nullopt;
  // Without autoscale only: where `provisioned` comes from.
  PerformanceLevel level = PerformanceLevel::kNone;

  // What the number of partitions is planned for.
  int64_t planned() const { return autoscale_max.value_or(provisioned); }
  bool operator==(const Throughput&) const = default;
};

// When and as which version a resource was last written.
struct Revision {
  int64_t unix_seconds = 0;
  std::string etag;  // with its quotes
};

// Which resource of its owner a request means: by the number in its resource id, else by id.
struct ResourceName {
  std::string_view id;
  std::optional<uint64_t> number;
};

// The id with everything percent-encoded that is not printable ASCII, and the percent sign.
std::string printable_id(std::string_view id);

struct Database {
  uint32_t number = 0;
  std::string id;
  Revision revision;
  CatalogLoanPtr loan = {};

  std::string rid() const;
  std::string self_link() const;
};

// What a client says about a container.
struct ContainerDefinition {
  std::string id;
  PartitionKeyDefinition partition_key;
  DocumentForm form = {};                                                                // for ever
  std::shared_ptr<const IndexingPolicy> indexing;                                        // made for the form
  std::shared_ptr<const DocumentRules> rules = std::make_shared<const DocumentRules>();  // part of the properties
  std::string properties;  // stored form: an object with all other members, as given
  // Of a partition key that names computed properties, else null. It follows from the properties, but for containers that
  // are older than this feature: their documents have at the key's paths what clients gave them.
  std::shared_ptr<const query::SyntheticKey> synthetic_key = nullptr;

  // What the properties mean for a query: those that are stored in documents are none that it computes.
  const std::string& properties_for_queries() const { return synthetic_key ? synthetic_key->other_properties() : properties; }
};

struct Container;

// PartitionPlace: one physical partition in its container's map, and how it is reached.
struct PartitionPlace {
  std::string range_id;  // what clients call it; unique in the container for ever
  std::vector<std::string> parents;
  PartitionPtr partition;

  // Partition, owner and epoch.
  const PartitionAddress& address() const { return partition->address(); }
  const EffectiveKeyRange& range() const { return partition->range(); }
  // For people: dbs/{id}/colls/{id}/pkranges/{id}, printable.
  std::string name_in(const Container& container) const;
};

// FormerRange: of a partition that was split, merged or moved to another key; clients with an old map still name it.
struct FormerRange {
  std::string range_id;
  EffectiveKeyRange range;
};

// What clients may do with a container's documents; less than everything only while its partitions are changed in that mode.
enum class ContainerMode : uint8_t { kOnline, kReadOnly, kOffline };

// ContainerLineage: what a container is now, for those who hold an earlier version of it. Thread-safe.
class ContainerLineage {
 public:
  void set_newest(const std::shared_ptr<const Container>& container);
  // Null when the container was deleted and nobody holds its last version.
  std::shared_ptr<const Container> newest() const;

  // Writes of documents without a value at a path that the server computes, because a source is missing.
  void note_undefined_key() { undefined_keys_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t undefined_keys() const { return undefined_keys_.load(std::memory_order_relaxed); }

  void set_mode(ContainerMode mode) { mode_ = mode; }
  ContainerMode mode() const { return mode_; }

  // What all versions of the container take. Guarded by the lock of the catalog's changes.
  CatalogLoan& loan() { return loan_; }

 private:
  std::atomic<ContainerMode> mode_ = ContainerMode::kOnline;
  std::atomic<uint64_t> undefined_keys_ = 0;
  mutable std::mutex mutex_;
  std::weak_ptr<const Container> newest_;  // guarded by mutex_
  CatalogLoan loan_;
};

// ContainerIdentity: what clients of the service call a container.
struct ContainerIdentity {
  std::string rid_bytes;  // eight bytes: database and container number
  std::string self_link;  // with its trailing slash

  std::string document_rid(DocumentNumber number) const;
};

// Container: immutable once published; a change publishes a new one that shares the partitions.
// Invariant: places are sorted by range, touch without gap or overlap and cover the whole key space.
struct Container {
  uint32_t number = 0;
  std::shared_ptr<const Database> database;
  ContainerDefinition definition;
  Revision revision;
  ContainerIdentity identity;
  std::string rid_text;
  std::string name_link;  // dbs/{id}/colls/{id}, printable ASCII: other bytes percent-encoded
  std::vector<PartitionPlace> places;
  std::vector<FormerRange> former;  // of earlier maps
  std::shared_ptr<DocumentNumbers> numbers;
  std::shared_ptr<ContainerLineage> lineage;

  const std::string& rid() const { return rid_text; }
  ContainerNumbers own_numbers() const { return {database->number, number}; }
  bool has_partition_key() const { return !definition.partition_key.paths.empty(); }
  const PartitionPlace& place_of(std::string_view effective_key) const;
  // Null when there is no such range (any more).
  const PartitionPlace* find_place(std::string_view range_id) const;
  // Null when no partition was ever called that, or too long ago.
  const FormerRange* find_former(std::string_view range_id) const;
  // Of memory, about, as long as it exists.
  size_t memory_bytes() const;
};

struct Offer {
  uint32_t number = 0;
  uint32_t database = 0;
  uint32_t container = 0;  // 0: the database's own
  Throughput throughput;
  int64_t provisioned_max_ever = 0;
  Revision revision;
};

}  // namespace partita
