#pragma once

#include "base/result.h"
#include "document/partition_key.h"
#include "gateway/demand_filter.h"
#include "gateway/place_reader.h"
#include "query/execute/execution.h"
#include "query/optimise/access.h"
#include "query/optimise/index_order.h"
#include "query/optimise/vector_order.h"
#include "query/plan/plan.h"

#include <cstdint>
#include <optional>
#include <string>

namespace partita {

// PolicyPaths: what a policy indexes, as a plan sees it. The policy outlives it.
class PolicyPaths final : public query::IndexedPaths {
 public:
  explicit PolicyPaths(const IndexingPolicy& policy) : policy_(policy) {}
  bool is_indexed(const ValuePath& path) const override;
  bool has_words(const ValuePath& path, Language language) const override;
  std::optional<query::CompositeEntries> composite(std::span<const query::OrderedPath> paths,
                                                   std::span<const query::FixedPath> fixed) const override;
  std::optional<PlaneBox> cells_at(const ValuePath& path, Space space) const override;

 private:
  const IndexingPolicy& policy_;
};

// What a reader of documents is going to do with them, so that the index may leave out those that it cannot need.
struct ReadPurpose {
  const query::Plan* plan = nullptr;  // null: all documents are wanted
  const query::Environment* environment = nullptr;
  std::optional<uint64_t> rows_wanted;  // about so many, if not all
  bool takes_representatives = true;    // one document may stand for others with the same values
  bool takes_passing = false;           // documents that the filter drops are of no use, whatever the plan is
  bool is_whole = false;                // all documents of the place are concerned, not only some hashes or numbers
};

// What the index was used for in one place.
struct IndexUse {
  DocumentChoice choice;
  bool is_exact = false;                    // every chosen document passes the filter
  uint64_t entries_read = 0;                // to choose
  std::string text;                         // what was read: "scan", or the demand that the documents come from
  std::optional<DemandFilter> filter = {};  // to be told how many documents were loaded in vain
};

// Chooses the documents of a place that a plan over the logical partitions with this key (or prefix of one) has to see.
Result<IndexUse> choose_documents(const PlaceView& view, const PartitionKeyDefinition& definition,
                                  const std::optional<PartitionKey>& key, const ReadPurpose& purpose);

// Which documents of a place a request for a range and a key (or prefix of one) is about.
struct ScopeInPlace {
  std::optional<std::vector<DocumentNumber>> numbers;  // sorted; nothing: all
  uint64_t entries_read = 0;                           // to know
};
// Nothing when only documents tell, or when some may have expired.
Result<std::optional<ScopeInPlace>> find_scope(const PlaceView& view, const PartitionKeyDefinition& definition,
                                               const EffectiveKeyRange& range, const std::optional<PartitionKey>& key,
                                               const query::Environment& environment);

struct CountedDocuments {
  uint64_t count = 0;
  uint64_t entries_read = 0;
  std::string text;
};
// How many documents of a place lie in the range, have the key and pass the plan's filter; nothing when only reading them tells.
Result<std::optional<CountedDocuments>> count_documents(const PlaceView& view, const PartitionKeyDefinition& definition,
                                                        const EffectiveKeyRange& range, const std::optional<PartitionKey>& key,
                                                        const ReadPurpose& purpose);

// How a place can be read in the order of a plan's sort key; nothing when it cannot, or when the filter leaves so few documents
// that sorting them is cheaper.
struct OrderedUse {
  query::IndexOrder order;
  std::optional<KeyFormRange> range;  // of its entries, when no document without one passes the filter
  DemandFilter filter;
  uint64_t entries_read = 0;  // to choose
};
Result<std::optional<OrderedUse>> choose_order(const PlaceView& view, const PartitionKeyDefinition& definition,
                                               const std::optional<PartitionKey>& key, const ReadPurpose& purpose);

// How a place can be read in the order of distances that its index knows the vectors of; nothing when it cannot.
struct VectorUse {
  query::VectorOrder order;
  std::optional<std::vector<DocumentNumber>> numbers;  // only documents with these, as the index knows, may pass the filter
  uint64_t entries_read = 0;                           // to find them
};
Result<std::optional<VectorUse>> choose_vectors(const PlaceView& view, const PartitionKeyDefinition& definition,
                                                const std::optional<PartitionKey>& key, const ReadPurpose& purpose);

}  // namespace partita
