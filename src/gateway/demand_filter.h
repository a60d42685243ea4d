#pragma once

#include "base/result.h"
#include "gateway/place_reader.h"
#include "partition/known_sets.h"
#include "query/execute/execution.h"
#include "query/optimise/access.h"
#include "query/optimise/index_order.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita {

// DemandFilter: tells by their numbers that documents of a view do not meet demands of a filter, as far as the partition knows
// the sets of those that do.
//
// A set that is not known is read from the index once documents were loaded in vain about as long as that takes: a query that
// comes once costs no more than without, and one that comes often at most twice as much before it becomes cheap. Not thread-safe.
class DemandFilter {
 public:
  // For a reader of the entries of an order, in the range and with the prefix that the access leaves of them.
  static Result<DemandFilter> of(const query::Access& access, const query::IndexOrder& order, const PlaceView& view,
                                 const query::Environment& environment);

  // For a reader of the documents that one demand of the access, or the access itself, has led to.
  static Result<DemandFilter> beside(const query::Access& driver, const query::Access& access, const PlaceView& view,
                                     const query::Environment& environment);

  bool may_pass(DocumentNumber number) const;
  // Nothing, or that every demand of the access is known, and how many documents meet the rarest.
  std::optional<uint64_t> documents_max() const;
  // Rows that were read to know what it knows: none when the partition knew it already.
  uint64_t entries_read() const { return entries_read_; }
  // How many of the documents that it let pass did not pass.
  void note_vain_loads(uint64_t loads) const;
  // The demands that it knows, one after the other.
  const std::string& text() const { return text_; }

 private:
  DemandFilter(const PlaceView& view, const query::Environment& environment)
      : partition_(view.place->partition), environment_(&environment) {}

  Status add(const query::Access& demand, const PlaceView& view);
  Result<std::optional<KnownSets::Known>> find(const std::string& name, const PlaceView& view);
  Result<std::optional<KnownSets::Known>> learn(const std::string& name, const query::Access& demand, const PlaceView& view);

  std::shared_ptr<Partition> partition_;
  const query::Environment* environment_;
  std::vector<KnownSets::Known> known_;
  std::vector<std::string> unknown_;  // names of demands that a set would help with
  bool knows_all_ = true;
  uint64_t entries_read_ = 0;
  std::string text_;
};

}  // namespace partita
