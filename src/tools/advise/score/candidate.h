#pragma once

#include "document/key/partition_key.h"
#include "tools/advise/survey/property_survey.h"
#include "tools/advise/survey/query_workload.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace partita::tools::advise {

// The property that a synthetic key is stored in.
inline constexpr const char* kSyntheticProperty = "partitionKey";

// Candidate: a partition key that documents could have.
struct Candidate {
  enum class Kind { kPaths, kConcatenation, kRandomSuffix, kHashSuffix };

  Kind kind = Kind::kPaths;
  // Of kPaths, the key's; else what the synthetic key is made from: the parts, the property before the suffix, and for a hash
  // suffix the property that is hashed.
  std::vector<DocumentPath> sources = {};
  uint32_t buckets = 0;  // of a suffix: 1 to so many

  bool is_synthetic() const { return kind != Kind::kPaths; }
  // As a container would have it.
  PartitionKeyDefinition definition() const;
  // "/tenant, /user", "/device + '-' + /date", "/date + random suffix 1..100"
  std::string name() const;
  // The computed property that makes the synthetic key. REQUIRES: is_synthetic().
  std::string computed_query() const;
  // `values` are those of the sources; `draw` is the document's own random number.
  PartitionKey key_of(std::span<const PartitionKeyComponent* const> values, uint64_t draw) const;
  // How many partitions a query asks.
  double partitions_asked(const WeighedQuery& query, size_t partitions) const;
};

// What is worth being looked at: properties with enough values, pairs and triples of them from few values to many, and synthetic
// keys where a property has few values. Those that queries ask for come first; the number is bounded.
std::vector<Candidate> find_candidates(const PropertySurvey& survey, std::span<const WeighedQuery> queries, size_t partitions);

}  // namespace partita::tools::advise
