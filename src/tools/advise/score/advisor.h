#pragma once

#include "tools/advise/score/advice.h"
#include "tools/advise/sketch/time_windows.h"
#include "tools/advise/survey/property_survey.h"
#include "tools/advise/survey/query_workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::tools::advise {

inline constexpr double kLogicalPartitionBytes = 20.0 * (1ULL << 30);

struct AdvisorTerms {
  double throughput = 100'000;
  double expected_bytes = 100.0 * (1ULL << 30);
  double logical_partition_bytes = kLogicalPartitionBytes;
  std::vector<WeighedQuery> queries = {};
};

// Advisor: reads documents once and scores every partition key that they could have.
//
// Memory is bounded, whatever the number of documents: the first kSurveyed are kept until it is known what to look at. Not
// thread-safe.
class Advisor {
 public:
  explicit Advisor(AdvisorTerms terms);

  void add(const Value& document, const DocumentUse* use = nullptr);
  // REQUIRES: at least one document. Once.
  Advice finish();
  uint64_t documents() const { return documents_; }

 private:
  static constexpr size_t kSurveyed = 5'000;
  static constexpr size_t kSurveyedBytes = 32 << 20;
  struct Kept {
    std::string stored;
    std::optional<DocumentUse> use;
  };
  void begin_scoring();
  void score(const Value& document, const DocumentUse* use);
  void place_in_time(const Value& document, DocumentLoad& load);
  void place_uses(const DocumentUse& use, DocumentLoad& load);
  // Whether documents say when they were made; their server's own time only says when it got them.
  bool has_own_time() const { return time_property_ && !is_system_property(*time_property_); }
  RankedCandidate ranked(const CandidateTally& tally) const;

  AdvisorTerms terms_;
  size_t partitions_;
  PropertySurvey survey_;
  std::vector<Kept> kept_;
  size_t kept_bytes_ = 0;
  bool is_scoring_ = false;
  uint64_t documents_ = 0;
  uint64_t bytes_ = 0;
  std::optional<DocumentPath> time_property_;
  TimeWindows windows_;
  TimeWindows use_windows_;
  std::vector<size_t> moved_;
  std::vector<WindowUse> uses_;
  std::vector<DocumentPath> paths_;  // of all candidates
  std::vector<PartitionKeyComponent> values_;
  std::vector<CandidateTally> tallies_;
  std::vector<std::vector<size_t>> sources_;  // of each tally, in paths_
  std::vector<const PartitionKeyComponent*> picked_;
};

}  // namespace partita::tools::advise
