#pragma once

#include "protocols/cosmos/codec/header_names.h"

#include <array>
#include <string_view>

namespace partita::cosmos::fuzz {

// Every name in the first part of codec/header_names.h (a test compares them), and what browsers add, which the checks in front
// of the account read.
inline constexpr std::array kHeaderNames = {
    header::kAuthorization,
    header::kClientDate,
    header::kDate,
    header::kApiVersion,
    header::kActivityId,
    header::kPartitionKey,
    header::kPartitionKeyRangeId,
    header::kStartEffectiveKey,
    header::kEndEffectiveKey,
    header::kIsQuery,
    header::kIsQueryPlan,
    header::kEnableCrossPartition,
    header::kParallelizeCrossPartition,
    header::kIsContinuationExpected,
    header::kSupportedFeatures,
    header::kPopulateIndexMetrics,
    header::kPopulateIndexMetricsV2,
    header::kIndexUtilization,
    header::kPopulateQueryAdvice,
    header::kQueryAdvice,
    header::kExplain,
    header::kKeyOf,
    header::kFidelity,
    header::kIsUpsert,
    header::kTokenExpirySeconds,
    header::kIsBatch,
    header::kIsBatchAtomic,
    header::kBatchContinueOnError,
    header::kMaxItemCount,
    header::kContinuation,
    header::kConsistencyLevel,
    header::kSessionToken,
    header::kIntendedContainerRid,
    header::kOfferThroughput,
    header::kOfferType,
    header::kOfferAutopilot,
    header::kMigrateToAutopilot,
    header::kMigrateToManual,
    header::kPopulateQueryMetrics,
    header::kQueryMetrics,
    header::kPopulateQuota,
    header::kIncrementalFeed,
    header::kChangeFeedFormat,
    header::kIfMatch,
    header::kIfNoneMatch,
    header::kIfModifiedSince,
    header::kPrefer,
    header::kMaxPollingInterval,
    header::kIndexingDirective,
    header::kPreTriggers,
    header::kPostTriggers,
    header::kScriptLogging,
    header::kScriptLog,
    header::kPriorityLevel,
    header::kOrigin,
    header::kHost,
    header::kContentType,
    header::kSlug,
    std::string_view("sec-fetch-site"),
    std::string_view("sec-fetch-mode"),
    std::string_view("sec-fetch-dest"),
};

}  // namespace partita::cosmos::fuzz
