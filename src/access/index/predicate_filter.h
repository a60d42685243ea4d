#pragma once

#include "access/partition_view.h"
#include "base/result.h"
#include "partition/predicate_cache.h"
#include "query/execute/execution.h"
#include "query/optimise/access.h"
#include "query/optimise/index_order.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita {

// PredicateFilter: tells by their numbers that documents of a view do not match index predicates of a filter, as far as the
// partition knows the sets of those that do.
//
// A set that is not known is read from the index once documents were loaded in vain about as long as that takes: a query that
// comes once costs no more than without, and one that comes often at most twice as much before it becomes cheap. Not thread-safe.
class PredicateFilter {
 public:
  // For a reader of the entries of an order, in the range and with the prefix that the access leaves of them.
  static Result<PredicateFilter> of(const query::Access& access, const query::IndexOrder& order, const PartitionView& view,
                                    const query::Environment& environment);

  // For a reader of the documents that one predicate of the access, or the access itself, has led to.
  static Result<PredicateFilter> beside(const query::Access& driver, const query::Access& access, const PartitionView& view,
                                        const query::Environment& environment);

  bool may_pass(DocumentNumber number) const;
  // Nothing, or that every predicate of the access is known, and how many documents match the rarest.
  std::optional<uint64_t> documents_max() const;
  // Rows that were read to know what it knows: none when the partition knew it already.
  uint64_t entries_read() const { return entries_read_; }
  // How many of the documents that it let pass did not pass.
  void note_vain_loads(uint64_t loads) const;
  // The predicates that it knows, one after the other.
  const std::string& text() const { return text_; }

 private:
  PredicateFilter(const PartitionView& view, const query::Environment& environment)
      : partition_(view.partition), environment_(&environment) {}

  Status add(const query::Access& predicate, const PartitionView& view);
  Result<std::optional<PredicateCache::Matches>> find(const std::string& name, const PartitionView& view);
  Result<std::optional<PredicateCache::Matches>> learn(const std::string& name, const query::Access& predicate,
                                                       const PartitionView& view);

  PartitionPtr partition_;
  const query::Environment* environment_;
  std::vector<PredicateCache::Matches> known_;
  std::vector<std::string> unknown_;  // names of predicates that a set would help with
  bool knows_all_ = true;
  uint64_t entries_read_ = 0;
  std::string text_;
};

}  // namespace partita
