#pragma once

#include <string_view>

// The headers of this wire, by what they mean.
namespace partita::cosmos::header {

// Requests.
inline constexpr std::string_view kAuthorization = "authorization";
inline constexpr std::string_view kClientDate = "x-ms-date";
inline constexpr std::string_view kDate = "date";
inline constexpr std::string_view kApiVersion = "x-ms-version";
inline constexpr std::string_view kActivityId = "x-ms-activity-id";
inline constexpr std::string_view kPartitionKey = "x-ms-documentdb-partitionkey";
inline constexpr std::string_view kPartitionKeyRangeId = "x-ms-documentdb-partitionkeyrangeid";
inline constexpr std::string_view kStartEffectiveKey = "x-ms-start-epk";
inline constexpr std::string_view kEndEffectiveKey = "x-ms-end-epk";
inline constexpr std::string_view kIsQuery = "x-ms-documentdb-isquery";
inline constexpr std::string_view kIsQueryPlan = "x-ms-cosmos-is-query-plan-request";
inline constexpr std::string_view kEnableCrossPartition = "x-ms-documentdb-query-enablecrosspartition";
inline constexpr std::string_view kParallelizeCrossPartition = "x-ms-documentdb-query-parallelizecrosspartitionquery";
inline constexpr std::string_view kIsContinuationExpected = "x-ms-documentdb-query-iscontinuationexpected";
inline constexpr std::string_view kSupportedFeatures = "x-ms-cosmos-supported-query-features";
inline constexpr std::string_view kPopulateIndexMetrics = "x-ms-cosmos-populateindexmetrics";
inline constexpr std::string_view kPopulateIndexMetricsV2 = "x-ms-cosmos-populateindexmetrics-V2";
inline constexpr std::string_view kIndexUtilization = "x-ms-cosmos-index-utilization";
inline constexpr std::string_view kPopulateQueryAdvice = "x-ms-cosmos-populatequeryadvice";
inline constexpr std::string_view kQueryAdvice = "x-ms-cosmos-query-advice";
inline constexpr std::string_view kExplain = "x-partita-explain";    // ours
inline constexpr std::string_view kKeyOf = "x-partita-key-of";       // ours
inline constexpr std::string_view kFidelity = "x-partita-fidelity";  // ours
inline constexpr std::string_view kIsUpsert = "x-ms-documentdb-is-upsert";
inline constexpr std::string_view kTokenExpirySeconds = "x-ms-documentdb-expiry-seconds";
inline constexpr std::string_view kIsBatch = "x-ms-cosmos-is-batch-request";
inline constexpr std::string_view kIsBatchAtomic = "x-ms-cosmos-batch-atomic";
inline constexpr std::string_view kBatchContinueOnError = "x-ms-cosmos-batch-continue-on-error";
inline constexpr std::string_view kMaxItemCount = "x-ms-max-item-count";
inline constexpr std::string_view kContinuation = "x-ms-continuation";
inline constexpr std::string_view kConsistencyLevel = "x-ms-consistency-level";
inline constexpr std::string_view kSessionToken = "x-ms-session-token";
inline constexpr std::string_view kIntendedContainerRid = "x-ms-cosmos-intended-collection-rid";
inline constexpr std::string_view kOfferThroughput = "x-ms-offer-throughput";
inline constexpr std::string_view kOfferType = "x-ms-offer-type";
inline constexpr std::string_view kOfferAutopilot = "x-ms-cosmos-offer-autopilot-settings";
inline constexpr std::string_view kMigrateToAutopilot = "x-ms-cosmos-migrate-offer-to-autopilot";
inline constexpr std::string_view kMigrateToManual = "x-ms-cosmos-migrate-offer-to-manual-throughput";
inline constexpr std::string_view kPopulateQueryMetrics = "x-ms-documentdb-populatequerymetrics";
inline constexpr std::string_view kQueryMetrics = "x-ms-documentdb-query-metrics";
inline constexpr std::string_view kPopulateQuota = "x-ms-documentdb-populatequotainfo";
inline constexpr std::string_view kIncrementalFeed = "a-im";
inline constexpr std::string_view kChangeFeedFormat = "x-ms-cosmos-changefeed-wire-format-version";
inline constexpr std::string_view kIfMatch = "if-match";
inline constexpr std::string_view kIfNoneMatch = "if-none-match";
inline constexpr std::string_view kIfModifiedSince = "if-modified-since";
inline constexpr std::string_view kPrefer = "prefer";
inline constexpr std::string_view kMaxPollingInterval = "x-ms-cosmos-max-polling-interval";
inline constexpr std::string_view kIndexingDirective = "x-ms-indexing-directive";
inline constexpr std::string_view kPreTriggers = "x-ms-documentdb-pre-trigger-include";
inline constexpr std::string_view kPostTriggers = "x-ms-documentdb-post-trigger-include";
inline constexpr std::string_view kScriptLogging = "x-ms-documentdb-script-enable-logging";
inline constexpr std::string_view kScriptLog = "x-ms-documentdb-script-log-results";
inline constexpr std::string_view kPriorityLevel = "x-ms-cosmos-priority-level";
inline constexpr std::string_view kOrigin = "origin";
inline constexpr std::string_view kHost = "host";
inline constexpr std::string_view kContentType = "content-type";
inline constexpr std::string_view kSlug = "slug";  // the name of what is uploaded

// Responses.
inline constexpr std::string_view kRequestCharge = "x-ms-request-charge";
inline constexpr std::string_view kRetryAfter = "x-ms-retry-after-ms";
inline constexpr std::string_view kSubStatus = "x-ms-substatus";
inline constexpr std::string_view kEtag = "etag";
inline constexpr std::string_view kPreferenceApplied = "preference-applied";
inline constexpr std::string_view kItemCount = "x-ms-item-count";
inline constexpr std::string_view kOwnerFullName = "x-ms-alt-content-path";
inline constexpr std::string_view kOwnerRid = "x-ms-content-path";
inline constexpr std::string_view kLsn = "lsn";
inline constexpr std::string_view kItemLsn = "x-ms-item-lsn";
inline constexpr std::string_view kMinThroughput = "x-ms-cosmos-min-throughput";
inline constexpr std::string_view kReplacePending = "x-ms-offer-replace-pending";
inline constexpr std::string_view kIndexProgress = "x-ms-documentdb-collection-index-transformation-progress";
inline constexpr std::string_view kLazyIndexProgress = "x-ms-documentdb-collection-lazy-indexing-progress";
inline constexpr std::string_view kResourceQuota = "x-ms-resource-quota";
inline constexpr std::string_view kResourceUsage = "x-ms-resource-usage";

}  // namespace partita::cosmos::header
