#pragma once

#include "base/result.h"
#include "server/options/options.h"
#include "tools/advise/score/candidate_tally.h"
#include "tools/advise/survey/query_workload.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace partita::server {

// By the documents' rids.
using DocumentUses = std::unordered_map<std::string, tools::advise::DocumentUse>;

// What a server of ours keeps in mind of a container's requests.
struct WorkloadRecord {
  DocumentUses uses = {};
  std::vector<tools::advise::WeighedQuery> queries = {};
};

// From the answer's JSON.
Result<WorkloadRecord> parse_workload_record(std::string_view json);

// Asks the server; nothing of a server that is not ours.
Result<WorkloadRecord> read_workload(const AdviseOptions& options);

}  // namespace partita::server
