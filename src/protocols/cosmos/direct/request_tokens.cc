#include "protocols/cosmos/direct/request_tokens.h"

#include "protocols/cosmos/codec/header_names.h"

#include <algorithm>
#include <array>

namespace partita::cosmos::direct {
namespace {

constexpr TokenType kB = TokenType::kByte;
constexpr TokenType kU16 = TokenType::kUnsigned16;
constexpr TokenType kU32 = TokenType::kUnsigned32;
constexpr TokenType kI32 = TokenType::kSigned32;
constexpr TokenType kI64 = TokenType::kSigned64;
constexpr TokenType kG = TokenType::kGuid;
constexpr TokenType kS8 = TokenType::kSmallString;
constexpr TokenType kS16 = TokenType::kString;
constexpr TokenType kB16 = TokenType::kBytes;
using enum RequestForm;

constexpr std::array kTokens = {
    RequestToken{0x0000, "ResourceId", kB16, kResourceId},
    RequestToken{0x0001, "AuthorizationToken", kS16, kText, header::kAuthorization},
    RequestToken{0x0002, "PayloadPresent", kB, kPayloadPresent},
    RequestToken{0x0003, "Date", kS8, kText, header::kClientDate},
    RequestToken{0x0004, "PageSize", kU32, kCount, header::kMaxItemCount},
    RequestToken{0x0005, "SessionToken", kS16, kText, header::kSessionToken},
    RequestToken{0x0006, "ContinuationToken", kS16, kText, header::kContinuation},
    RequestToken{0x0007, "IndexingDirective", kB, kChoice, header::kIndexingDirective},
    RequestToken{0x0008, "Match", kS16, kMatch},
    RequestToken{0x0009, "PreTriggerInclude", kS16, kText, header::kPreTriggers},
    RequestToken{0x000A, "PostTriggerInclude", kS16, kText, header::kPostTriggers},
    RequestToken{0x000B, "IsFanout", kB, kIgnored, "x-ms-is-fanout-request"},
    RequestToken{0x000C, "CollectionPartitionIndex", kU32, kIgnored},
    RequestToken{0x000D, "CollectionServiceIndex", kU32, kIgnored},
    RequestToken{0x000E, "PreTriggerExclude", kS16, kIgnored, "x-ms-documentdb-pre-trigger-exclude"},
    RequestToken{0x000F, "PostTriggerExclude", kS16, kIgnored, "x-ms-documentdb-post-trigger-exclude"},
    RequestToken{0x0010, "ConsistencyLevel", kB, kChoice, header::kConsistencyLevel},
    RequestToken{0x0011, "EntityId", kS16, kIgnored, "x-docdb-entity-id"},
    RequestToken{0x0012, "ResourceSchemaName", kS8, kIgnored},
    RequestToken{0x0013, "ReplicaPath", kS16, kReplicaPath},
    RequestToken{0x0014, "ResourceTokenExpiry", kU32, kNumber, header::kTokenExpirySeconds},
    RequestToken{0x0015, "DatabaseName", kS16, kName, "dbs"},
    RequestToken{0x0016, "CollectionName", kS16, kName, "colls"},
    RequestToken{0x0017, "DocumentName", kS16, kName, "docs"},
    RequestToken{0x0018, "AttachmentName", kS16, kIgnored},
    RequestToken{0x0019, "UserName", kS16, kName, "users"},
    RequestToken{0x001A, "PermissionName", kS16, kName, "permissions"},
    RequestToken{0x001B, "StoredProcedureName", kS16, kName, "sprocs"},
    RequestToken{0x001C, "UserDefinedFunctionName", kS16, kIgnored},
    RequestToken{0x001D, "TriggerName", kS16, kIgnored},
    RequestToken{0x001E, "EnableScanInQuery", kB, kIgnored, "x-ms-documentdb-query-enable-scan"},
    RequestToken{0x001F, "EmitVerboseTracesInQuery", kB, kIgnored, "x-ms-documentdb-query-emit-traces"},
    RequestToken{0x0020, "ConflictName", kS16, kName, "conflicts"},
    RequestToken{0x0026, "ProfileRequest", kB, kIgnored, "x-ms-profile-request"},
    RequestToken{0x0027, "EnableLowPrecisionOrderBy", kB, kIgnored, "x-ms-documentdb-query-enable-low-precision-order-by"},
    RequestToken{0x0028, "ClientVersion", kS8, kText, header::kApiVersion},
    RequestToken{0x0029, "CanCharge", kB, kIgnored, "x-ms-cancharge"},
    RequestToken{0x002A, "CanThrottle", kB, kIgnored, "x-ms-canthrottle"},
    RequestToken{0x002B, "PartitionKey", kS16, kText, header::kPartitionKey},
    RequestToken{0x002C, "PartitionKeyRangeId", kS16, kText, header::kPartitionKeyRangeId},
    RequestToken{0x0031, "MigrateCollectionDirective", kB, kIgnored},
    RequestToken{0x0033, "SupportSpatialLegacyCoordinates", kB, kIgnored, "x-ms-documentdb-supportspatiallegacycoordinates"},
    RequestToken{0x0034, "PartitionCount", kU32, kIgnored, "x-ms-documentdb-partitioncount"},
    RequestToken{0x0035, "CollectionRid", kS16, kContainerRid, "x-ms-documentdb-collection-rid"},
    RequestToken{0x0036, "PartitionKeyRangeName", kS16, kIgnored},
    RequestToken{0x003A, "SchemaName", kS16, kIgnored},
    RequestToken{0x003B, "FilterBySchemaRid", kS16, kIgnored},
    RequestToken{0x003C, "UsePolygonsSmallerThanAHemisphere", kB, kIgnored, "x-ms-documentdb-usepolygonssmallerthanahemisphere"},
    RequestToken{0x003D, "GatewaySignature", kS16, kIgnored},
    RequestToken{0x003E, "EnableLogging", kB, kFlag, header::kScriptLogging},
    RequestToken{0x003F, "A_IM", kS16, kText, header::kIncrementalFeed},
    RequestToken{0x0040, "PopulateQuotaInfo", kB, kFlag, header::kPopulateQuota},
    RequestToken{0x0041, "DisableRUPerMinuteUsage", kB, kIgnored},
    RequestToken{0x0042, "PopulateQueryMetrics", kB, kFlag, header::kPopulateQueryMetrics},
    RequestToken{0x0043, "ResponseContinuationTokenLimitInKb", kU32, kIgnored,
                 "x-ms-documentdb-responsecontinuationtokenlimitinkb"},
    RequestToken{0x0044, "PopulatePartitionStatistics", kB, kIgnored, "x-ms-documentdb-populatepartitionstatistics"},
    RequestToken{0x0045, "RemoteStorageType", kB, kIgnored},
    RequestToken{0x0046, "CollectionRemoteStorageSecurityIdentifier", kS16, kIgnored},
    RequestToken{0x0047, "IfModifiedSince", kS16, kText, header::kIfModifiedSince},
    RequestToken{0x0048, "PopulateCollectionThroughputInfo", kB, kIgnored, "x-ms-documentdb-populatecollectionthroughputinfo"},
    RequestToken{0x0049, "RemainingTimeInMsOnClientRequest", kU32, kIgnored},
    RequestToken{0x004A, "ClientRetryAttemptCount", kU32, kIgnored},
    // Barriers are answered at once: whatever a client has heard of has happened here.
    RequestToken{0x004B, "TargetLsn", kI64, kIgnored},
    RequestToken{0x004C, "TargetGlobalCommittedLsn", kI64, kIgnored},
    RequestToken{0x004D, "TransportRequestID", kU32, kTransportId},
    RequestToken{0x0052, "IsReadOnlyScript", kB, kIgnored, "x-ms-is-readonly-script"},
    RequestToken{0x0054, "ForceQueryScan", kB, kIgnored, "x-ms-documentdb-force-query-scan"},
    RequestToken{0x0057, "ExcludeSystemProperties", kB, kIgnored, "x-ms-exclude-system-properties"},
    RequestToken{0x0058, "BinaryId", kB16, kIgnored, "x-ms-binary-id"},
    RequestToken{0x0059, "TimeToLiveInSeconds", kI32, kIgnored, "x-ms-time-to-live-in-seconds"},
    RequestToken{0x005A, "EffectivePartitionKey", kB16, kIgnored},
    RequestToken{0x005B, "BinaryPassthroughRequest", kB, kIgnored},
    RequestToken{0x005C, "UserDefinedTypeName", kS16, kIgnored},
    RequestToken{0x005E, "EnumerationDirection", kB, kIgnored, "x-ms-enumeration-direction"},
    RequestToken{0x005F, "StartId", kB16, kIgnored, "x-ms-start-id"},
    RequestToken{0x0060, "EndId", kB16, kIgnored, "x-ms-end-id"},
    RequestToken{0x0061, "FanoutOperationState", kB, kIgnored},
    // Hexadecimal texts.
    RequestToken{0x0062, "StartEpk", kB16, kText, header::kStartEffectiveKey},
    RequestToken{0x0063, "EndEpk", kB16, kText, header::kEndEffectiveKey},
    RequestToken{0x0064, "ReadFeedKeyType", kB, kIgnored, "x-ms-read-key-type"},
    RequestToken{0x0065, "ContentSerializationFormat", kB, kIgnored},
    RequestToken{0x0066, "AllowTentativeWrites", kB, kIgnored, "x-ms-cosmos-allow-tentative-writes"},
    RequestToken{0x0067, "IsUserRequest", kB, kIgnored},
    RequestToken{0x0068, "SharedOfferThroughput", kU32, kIgnored},
    RequestToken{0x0069, "PreserveFullContent", kB, kIgnored},
    RequestToken{0x0070, "IncludeTentativeWrites", kB, kIgnored, "x-ms-cosmos-include-tentative-writes"},
    RequestToken{0x0073, "IsBatchAtomic", kB, kFlag, header::kIsBatchAtomic},
    RequestToken{0x0074, "ShouldBatchContinueOnError", kB, kFlag, header::kBatchContinueOnError},
    RequestToken{0x0075, "IsBatchOrdered", kB, kIgnored, "x-ms-cosmos-batch-ordered"},
    RequestToken{0x0080, "ClientEncryptionKeyName", kS16, kIgnored},
    RequestToken{0x0082, "ReturnPreference", kB, kChoice, header::kPrefer},
    RequestToken{0x0087, "IsClientEncrypted", kB, kIgnored, "x-ms-cosmos-is-client-encrypted"},
    RequestToken{0x009A, "ChangeFeedStartFullFidelityIfNoneMatch", kS16, kIgnored},
    RequestToken{0x009D, "IntendedCollectionRid", kS16, kText, header::kIntendedContainerRid},
    RequestToken{0x00A2, "SDKSupportedCapabilities", kU32, kIgnored},
    RequestToken{0x00A9, "PopulateIndexMetrics", kB, kFlag, header::kPopulateIndexMetrics},
    RequestToken{0x00B0, "CorrelatedActivityId", kG, kGuid, "x-ms-cosmos-correlated-activityid"},
    RequestToken{0x00B2, "ChangeFeedWireFormatVersion", kS16, kText, header::kChangeFeedFormat},
    RequestToken{0x00BF, "PriorityLevel", kB, kChoice, header::kPriorityLevel},
    RequestToken{0x00C2, "PopulateIndexMetricsV2", kB, kFlag, header::kPopulateIndexMetricsV2},
    // All of them contain JSON text, which is what is answered.
    RequestToken{0x00C4, "SupportedSerializationFormats", kB, kIgnored},
    RequestToken{0x00C8, "OptimisticDirectExecute", kB, kIgnored, "x-ms-cosmos-query-optimisticdirectexecute"},
    RequestToken{0x00CC, "TraceParent", kS16, kIgnored},
    RequestToken{0x00CD, "TraceState", kS16, kIgnored},
    RequestToken{0x00CE, "GlobalDatabaseAccountName", kS16, kIgnored},
    RequestToken{0x00D2, "StartEpkHash", kB16, kIgnored},
    RequestToken{0x00D3, "EndEpkHash", kB16, kIgnored},
    RequestToken{0x00DA, "PopulateQueryAdvice", kB, kFlag, header::kPopulateQueryAdvice},
    RequestToken{0x00DB, "ThroughputBucket", kB, kIgnored, "x-ms-cosmos-throughput-bucket"},
    RequestToken{0x00DC, "WorkloadId", kB, kIgnored},  // of Java; .NET means something else by it
    RequestToken{0x00E5, "ReadGlobalCommittedData", kB, kIgnored},
    RequestToken{0x00E7, "WorkloadId", kU16, kIgnored, "x-ms-cosmos-workload-id"},
    RequestToken{0x00EF, "HubRegionProcessingOnly", kB, kIgnored, "x-ms-cosmos-hub-region-processing-only"},
    // The level is sent along.
    RequestToken{0x00FE, "ReadConsistencyStrategy", kB, kReadStrategy},
    RequestToken{0x00FF, "SupportedQueryFeatures", kS16, kIgnored},
    RequestToken{0x0100, "QueryVersion", kS8, kIgnored},
    RequestToken{0x0101, "SupportedSerializationFeatures", kU16, kIgnored},
};

constexpr size_t kIds = kTokens.back().id + 1;
constexpr uint8_t kNone = 0xFF;
static_assert(kTokens.size() < kNone);
static_assert(std::ranges::is_sorted(kTokens, {}, &RequestToken::id));

// The place of each number in kTokens.
constexpr std::array<uint8_t, kIds> kPlaces = [] {
  std::array<uint8_t, kIds> places{};
  places.fill(kNone);
  for (size_t i = 0; i < kTokens.size(); ++i) places[kTokens[i].id] = static_cast<uint8_t>(i);
  return places;
}();

// By their numbers; empty: none.
constexpr std::array<std::string_view, 5> kConsistencyLevels = {"Strong", "BoundedStaleness", "Session", "Eventual",
                                                                "ConsistentPrefix"};
constexpr std::array<std::string_view, 3> kIndexingDirectives = {"Default", "Include", "Exclude"};
constexpr std::array<std::string_view, 2> kReturnPreferences = {"return=representation", "return=minimal"};
constexpr std::array<std::string_view, 3> kPriorityLevels = {"", "High", "Low"};

std::span<const std::string_view> choices_of(std::string_view header) {
  if (header == header::kConsistencyLevel) return kConsistencyLevels;
  if (header == header::kIndexingDirective) return kIndexingDirectives;
  if (header == header::kPrefer) return kReturnPreferences;
  return kPriorityLevels;
}

}  // namespace

std::span<const RequestToken> request_tokens() { return kTokens; }

const RequestToken* find_request_token(uint16_t id) {
  if (id >= kIds || kPlaces[id] == kNone) return nullptr;
  return &kTokens[kPlaces[id]];
}

std::string_view choice_text(const RequestToken& token, int64_t number) {
  const std::span<const std::string_view> choices = choices_of(token.header);
  if (number < 0 || static_cast<size_t>(number) >= choices.size()) return {};
  return choices[static_cast<size_t>(number)];
}

}  // namespace partita::cosmos::direct
