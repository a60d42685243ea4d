#pragma once

#include <string_view>

// The headers that this client sends and reads, by what they mean.
namespace partita::client::header {

inline constexpr std::string_view kAuthorization = "authorization";
inline constexpr std::string_view kDate = "x-ms-date";
inline constexpr std::string_view kApiVersion = "x-ms-version";
inline constexpr std::string_view kPartitionKey = "x-ms-documentdb-partitionkey";
inline constexpr std::string_view kRangeId = "x-ms-documentdb-partitionkeyrangeid";
inline constexpr std::string_view kStartEffectiveKey = "x-ms-start-epk";
inline constexpr std::string_view kEndEffectiveKey = "x-ms-end-epk";
inline constexpr std::string_view kReadKeyType = "x-ms-read-key-type";
inline constexpr std::string_view kIsQuery = "x-ms-documentdb-isquery";
inline constexpr std::string_view kIsQueryPlan = "x-ms-cosmos-is-query-plan-request";
inline constexpr std::string_view kSupportedFeatures = "x-ms-cosmos-supported-query-features";
inline constexpr std::string_view kQueryVersion = "x-ms-cosmos-query-version";
inline constexpr std::string_view kEnableCrossPartition = "x-ms-documentdb-query-enablecrosspartition";
inline constexpr std::string_view kFidelity = "x-partita-fidelity";  // of this server only
inline constexpr std::string_view kPopulateQueryMetrics = "x-ms-documentdb-populatequerymetrics";
inline constexpr std::string_view kQueryMetrics = "x-ms-documentdb-query-metrics";
inline constexpr std::string_view kPopulateQuota = "x-ms-documentdb-populatequotainfo";
inline constexpr std::string_view kIsUpsert = "x-ms-documentdb-is-upsert";
inline constexpr std::string_view kIsBatch = "x-ms-cosmos-is-batch-request";
inline constexpr std::string_view kIsBatchAtomic = "x-ms-cosmos-batch-atomic";
inline constexpr std::string_view kBatchContinueOnError = "x-ms-cosmos-batch-continue-on-error";
inline constexpr std::string_view kMaxItemCount = "x-ms-max-item-count";
inline constexpr std::string_view kContinuation = "x-ms-continuation";
inline constexpr std::string_view kSessionToken = "x-ms-session-token";
inline constexpr std::string_view kOfferThroughput = "x-ms-offer-throughput";
inline constexpr std::string_view kOfferAutopilot = "x-ms-cosmos-offer-autopilot-settings";
inline constexpr std::string_view kMigrateToAutopilot = "x-ms-cosmos-migrate-offer-to-autopilot";
inline constexpr std::string_view kMigrateToManual = "x-ms-cosmos-migrate-offer-to-manual-throughput";
inline constexpr std::string_view kIfMatch = "if-match";
inline constexpr std::string_view kIfNoneMatch = "if-none-match";
inline constexpr std::string_view kIfModifiedSince = "if-modified-since";
inline constexpr std::string_view kIncrementalFeed = "a-im";
inline constexpr std::string_view kPrefer = "prefer";
inline constexpr std::string_view kContentType = "content-type";
inline constexpr std::string_view kItemCount = "x-ms-item-count";
inline constexpr std::string_view kEtag = "etag";
inline constexpr std::string_view kActivityId = "x-ms-activity-id";
inline constexpr std::string_view kRequestCharge = "x-ms-request-charge";
inline constexpr std::string_view kSubStatus = "x-ms-substatus";
inline constexpr std::string_view kRetryAfter = "x-ms-retry-after-ms";

}  // namespace partita::client::header
