#pragma once

#include "tools/advise/score/advice.h"

#include <span>
#include <string>
#include <vector>

namespace partita::tools::advise {

struct JudgeTerms {
  size_t partitions = 1;
  double throughput = 0;
  double logical_partition_bytes = 0;
  bool is_time_of_requests = false;
  bool has_tenants = false;  // some property names tenants: a key should keep them apart
  bool has_groups = false;   // some property names things that several documents belong to
};

// What all candidates together say about the documents.
void look_around(std::span<const RankedCandidate> candidates, JudgeTerms& terms);

// What the names and kinds of the candidate's properties say.
void describe_names(const Candidate& candidate, std::span<const PropertyProfile> properties, Figures& figures);

// Gives the candidate its score, and says why in words.
void judge(RankedCandidate& candidate, const JudgeTerms& terms);

// Best first, without those that say the same as a simpler one.
void rank(std::vector<RankedCandidate>& candidates);

// What is to be said of the data as a whole.
std::vector<std::string> notes_on(const Advice& advice, const JudgeTerms& terms);

// "1.5 GB"
std::string bytes_text(double bytes);

}  // namespace partita::tools::advise
