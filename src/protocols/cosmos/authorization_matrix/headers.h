#pragma once

#include "protocols/cosmos/in_process_service.h"

#include <map>
#include <string>
#include <vector>

namespace partita::cosmos::matrix {

// Headers that are part of what is signed, or of who asks.
inline const std::vector<std::string> kNotTried = {"authorization", "x-ms-date"};

// Values that switch on what a header can switch on. Every header that the server reads has a line.
inline const std::map<std::string, std::vector<std::string>> kHeaderValues = {
    {"date", {std::string(InProcessService::kNow), "yesterday"}},
    {"x-ms-version", {"2015-12-16", "2018-12-31", "2020-07-15"}},
    {"x-ms-activity-id", {"x"}},
    {"x-ms-documentdb-partitionkey", {R"(["a"])", R"(["b"])", "[]", "[{}]", R"(["a","b"])", R"({"a":1})", "a", R"([["a"]])"}},
    {"x-ms-documentdb-partitionkeyrangeid", {"0", "AAAAAYAAAAE=,0", "7"}},
    {"x-ms-start-epk", {"", "00"}},
    {"x-ms-end-epk", {"FF"}},
    {"x-ms-documentdb-isquery", {"true", "True"}},
    {"x-ms-cosmos-is-query-plan-request", {"true", "True"}},
    {"x-ms-documentdb-query-enablecrosspartition", {"true"}},
    {"x-ms-documentdb-query-parallelizecrosspartitionquery", {"true"}},
    {"x-ms-documentdb-query-iscontinuationexpected", {"true", "False"}},
    {"x-ms-cosmos-supported-query-features", {"Aggregate, OrderBy", "None"}},
    {"x-ms-cosmos-populateindexmetrics", {"true"}},
    {"x-ms-cosmos-populateindexmetrics-V2", {"true"}},
    {"x-ms-cosmos-index-utilization", {"true"}},
    {"x-ms-cosmos-populatequeryadvice", {"true"}},
    {"x-ms-cosmos-query-advice", {"true"}},
    {"x-partita-explain", {"true"}},
    {"x-partita-fidelity", {"service", "extended", "x"}},
    {"x-partita-key-of", {R"({"a":"a"})", "{}", "[]", "x", ""}},
    {"x-ms-documentdb-is-upsert", {"true", "TRUE"}},
    {"x-ms-documentdb-expiry-seconds", {"3600", "9223372036854775807"}},
    {"x-ms-cosmos-is-batch-request", {"true"}},
    {"x-ms-cosmos-batch-atomic", {"true"}},
    {"x-ms-cosmos-batch-continue-on-error", {"true"}},
    {"x-ms-max-item-count", {"-1", "1"}},
    {"x-ms-continuation", {R"({"token":"+RID:x","range":{"min":"","max":"FF"}})"}},
    {"x-ms-consistency-level", {"Eventual", "Strong"}},
    {"x-ms-session-token", {"0:-1#1"}},
    {"x-ms-cosmos-intended-collection-rid", {"AAAAAYAAAAE=", "AAAAAYAAAAI="}},
    {"x-ms-offer-throughput", {"400"}},
    {"x-ms-offer-type", {"S1", "Invalid", "anything"}},
    {"x-ms-cosmos-offer-autopilot-settings", {R"({"maxThroughput":4000})"}},
    {"x-ms-cosmos-migrate-offer-to-autopilot", {"true"}},
    {"x-ms-cosmos-migrate-offer-to-manual-throughput", {"true"}},
    {"x-ms-documentdb-populatequerymetrics", {"true"}},
    {"x-ms-documentdb-query-metrics", {"true"}},
    {"x-ms-documentdb-populatequotainfo", {"true"}},
    {"a-im", {"Incremental feed", "Full-Fidelity Feed", "anything"}},
    {"x-ms-cosmos-changefeed-wire-format-version", {"2021-09-15", "x"}},
    {"if-match", {"*", "\"0\""}},
    {"if-none-match", {"*", "\"0\""}},
    {"if-modified-since", {std::string(InProcessService::kNow)}},
    {"prefer", {"return=minimal", "wait=1"}},
    {"x-ms-cosmos-max-polling-interval", {"1", "x"}},
    {"x-ms-indexing-directive", {"Include", "Exclude", "1", "anything"}},
    {"x-ms-documentdb-pre-trigger-include", {"t"}},
    {"x-ms-documentdb-post-trigger-include", {"t"}},
    {"x-ms-documentdb-script-enable-logging", {"true"}},
    {"x-ms-documentdb-script-log-results", {"true"}},
    {"x-ms-cosmos-priority-level", {"Low", "High"}},
    {"host", {"localhost", "example.org"}},
    {"content-type", {"application/query+json", "application/json", "image/png"}},
    {"slug", {"name"}},
    // Not read, but sent by clients or by those who hope.
    {"x-ms-read-key-type", {"EffectivePartitionKeyRange"}},
    {"x-http-method-override", {"GET", "DELETE"}},
};

}  // namespace partita::cosmos::matrix
