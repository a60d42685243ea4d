#pragma once

#include "base/result.h"
#include "cluster/resources.h"
#include "engine/work_done.h"
#include "partition/charge/request_units.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace partita {

// On what terms a request is served: who gives way when a budget is used up, and what its reads cost.
struct RequestTerms {
  Priority priority = Priority::kHigh;
  ReadPrice reads = ReadPrice::kSingle;
  Partition::Length writes = Partition::Length::kShort;  // what a write may be: long, if the thread is one that may take its time
  bool takes_computed_key = false;                       // of a write: see ItemOperation
  bool may_wait = true;                                  // for the disk; else what would have to is left (base/must_not_wait.h)
  // If the document that is to be read has more, nothing is done, and the outcome says so: as ItemConditions::bytes_max.
  size_t read_bytes_max = SIZE_MAX;
};

// RequestCharge: what a request that reads many documents does in each partition, and what that costs. Not thread-safe.
class RequestCharge {
 public:
  // For a request that may touch all partitions of the range, or, when that is empty, the one where it begins. kThrottled, and
  // nothing is charged, while the budget of one of them is overdrawn.
  static Result<RequestCharge> open(const Container& container, const EffectiveKeyRange& range, RequestTerms terms);

  // Where work in this partition is noted.
  WorkDone& work_in(const PartitionClient& partition);
  // Work that was done in all of them alike.
  void spread(const WorkDone& work);
  // The same for what costs something beside that.
  void spread(double units);

  // While it goes on: charges the partitions for a part of what settle() will come to.
  void charge_ahead(double units);
  // What the partitions have for it, in units per second; RequestBudget::kUnlimited when that is not limited.
  double rate() const;
  // How long the one that is overdrawn most needs to recover.
  int64_t debt_us(int64_t now_us) const;

  // Charges every partition its part and returns the sum. Once. The key is that of the only logical partition that was read.
  double settle(std::string_view effective_key = {});

 private:
  struct Line {
    PartitionPtr partition;
    int64_t began_us;
    WorkDone work;
    double units = 0;  // beside the work
    double ahead = 0;  // was charged already
  };

  explicit RequestCharge(RequestTerms terms) : terms_(terms) {}

  RequestTerms terms_;
  std::vector<Line> lines_;
};

}  // namespace partita
