#pragma once

#include "tools/advise/score/candidate_tally.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace partita::tools::advise {

// How queries of the workload meet a candidate.
struct RoutingFigures {
  double one_partition_share = 0;  // of the queries, by weight
  double mean_partitions = 0;      // that a query asks
  double mean_base_units = 0;      // what a query costs before it reads anything
};

// What is known of a candidate.
struct Figures {
  uint64_t documents = 0;
  double distinct = 0;
  double undefined_share = 0;      // of documents
  std::string largest_value = {};  // as the JSON of the key
  double largest_share = 0;        // of all bytes
  double largest_bytes = 0;
  double largest_projected_bytes = 0;  // when there is as much data as is expected
  Skew skew = {};
  double settled_skew = 1;    // when partitions have been split wherever there are several values: what the largest value forces
  bool is_monotonic = false;  // its values are moments: what is written now has the latest
  double documents_per_time = 0;  // when it is monotonic: how many share a value of its first part, at least
  size_t unasked_levels = 0;      // of a hierarchical key, below the first: that no query names
  bool is_measure = false;        // its first part is a number that names nothing
  bool has_date = false;          // one of its parts is a whole day, or longer
  bool is_of_time = false;        // the documents say when they were made
  double mean_lifetime = 1;       // of a value, as a share of the whole time
  bool is_hot_now = false;        // what is written at one time has few of its values
  double usable_throughput = 0;   // of the target, before the hottest partition refuses
  std::optional<RoutingFigures> routing = {};
  std::optional<TransactionFigures> transactions = {};
  std::string tenant_property = {};  // which part of the key is a tenant's; empty: none

  double documents_per_value() const { return distinct > 0 ? static_cast<double>(documents) / distinct : 0; }
};

struct RankedCandidate {
  Candidate candidate = {};
  double score = 0;  // 0 to 100
  Figures figures = {};
  std::string verdict = {};   // recommended, good, possible, avoid
  std::string reason = {};    // in words
  std::string textbook = {};  // which case of the guidance it is; empty: none
  std::vector<PartitionLoadSum> partitions = {};
  std::vector<uint32_t> window_counts = {};  // documents by time window (oldest first), then by partition; empty without time
};

// One top-level member of the documents.
struct FieldUse {
  std::string name = {};
  double byte_share = 0;
  double read_share = 0;  // of queries, by weight
};

// Members that the same queries read.
struct FieldGroup {
  std::vector<std::string> fields = {};
  double byte_share = 0;
  double read_share = 0;
};

// Whether documents should be divided by their members.
struct FieldAdvice {
  std::vector<FieldUse> fields = {};    // the largest first
  std::vector<FieldGroup> groups = {};  // the most read first; empty without queries
  std::vector<std::string> cold = {};   // large and hardly read
  double read_units_now = 0;            // of a point read
  double read_units_without_cold = 0;
};

struct Advice {
  uint64_t documents = 0;
  uint64_t bytes = 0;
  double expected_bytes = 0;
  double throughput = 0;
  size_t partitions = 0;
  std::string time_property = {};    // empty: none was found
  bool is_time_of_requests = false;  // what happens at one time is what a server noted of its requests
  int64_t first_second = 0;          // of the times in documents
  int64_t last_second = 0;
  size_t queries = 0;
  std::vector<RankedCandidate> candidates = {};  // best first
  FieldAdvice fields = {};
  std::vector<std::string> notes = {};  // sentences about the data as a whole
};

}  // namespace partita::tools::advise
