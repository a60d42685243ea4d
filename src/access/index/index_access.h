#pragma once

#include "access/index/predicate_filter.h"
#include "access/partition_view.h"
#include "access/read_scope.h"
#include "base/result.h"
#include "query/execute/execution.h"
#include "query/optimise/access.h"
#include "query/optimise/index_order.h"
#include "query/optimise/vector_order.h"
#include "query/plan/plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita {

// Which documents of a partition are read, in the order of their numbers.
struct DocumentChoice {
  // Either all of them, or those with one of these numbers (sorted), or those that the index has for a value.
  struct Entry {
    ValuePath path;
    std::string key_form;
  };
  std::optional<std::vector<DocumentNumber>> numbers;
  std::vector<uint64_t> stand_for = {};  // how many documents each of these stands for; empty: itself
  std::optional<Entry> entry;
};

// What a reader of documents is going to do with them, so that the index may leave out those that it cannot need.
struct ReadPurpose {
  const query::Plan* plan = nullptr;  // null: all documents are wanted
  const query::Environment* environment = nullptr;
  std::optional<uint64_t> rows_wanted;  // about so many, if not all
  bool takes_representatives = true;    // one document may stand for others with the same values
  bool takes_passing = false;           // documents that the filter drops are of no use, whatever the plan is
  bool may_be_in_vain = false;          // fails where it would change what the partition has cached, for somebody who does read
};

// What the index was used for in one partition.
struct IndexUse {
  DocumentChoice choice;
  bool is_exact = false;                       // every chosen document passes the filter
  uint64_t entries_read = 0;                   // to choose
  std::string text;                            // what was read: "scan", or the predicate that the documents come from
  std::optional<PredicateFilter> filter = {};  // to be told how many documents were loaded in vain
};

// Chooses the documents of a partition that a plan has to see. `is_whole`: all of its documents are concerned, not only some
// hashes or numbers.
Result<IndexUse> choose_documents(const PartitionView& view, const ReadScope& scope, const ReadPurpose& purpose, bool is_whole);

// Which documents of a partition are in a scope.
struct ScopeInIndex {
  std::optional<std::vector<DocumentNumber>> numbers;  // sorted; nothing: all
  uint64_t entries_read = 0;                           // to know
};
// Nothing when only documents tell, or when some may have expired.
Result<std::optional<ScopeInIndex>> find_scope(const PartitionView& view, const ReadScope& scope,
                                               const query::Environment& environment);

// How a partition can be read in the order of a plan's sort key; nothing when it cannot, or when the filter leaves so few
// documents that sorting them is cheaper.
struct OrderedUse {
  query::IndexOrder order;
  std::optional<KeyFormRange> range;  // of its entries, when no document without one passes the filter
  PredicateFilter filter;
  uint64_t entries_read = 0;  // to choose
};
Result<std::optional<OrderedUse>> choose_order(const PartitionView& view, const ReadScope& scope, const ReadPurpose& purpose);

// How a partition can be read in the order of distances that its index knows the vectors of; nothing when it cannot.
struct VectorUse {
  query::VectorOrder order;
  std::optional<std::vector<DocumentNumber>> numbers;  // only documents with these, as the index knows, may pass the filter
  uint64_t entries_read = 0;                           // to find them
};
Result<std::optional<VectorUse>> choose_vectors(const PartitionView& view, const ReadScope& scope, const ReadPurpose& purpose);

}  // namespace partita
