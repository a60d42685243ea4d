#include "protocols/cosmos/authorization.h"

#include "base/encodings.h"
#include "base/fair_scheduler.h"
#include "cluster/test_account.h"
#include "protocols/cosmos/codec/resource_id.h"
#include "protocols/cosmos/resource_token.h"
#include "protocols/cosmos/router.h"
#include "protocols/cosmos/service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <regex>
#include <span>

// Every operation that the router serves, by every kind of credential, by names and by resource ids, with every header: who may
// do what. What is expected is written down here by itself, as simply as it can be said.
namespace partita::cosmos {
namespace {

constexpr std::string_view kKey = "VGhpcyBpcyBhIHNhbXBsZSBzdHJpbmc=";
constexpr std::string_view kReadOnlyKey = "cmVhZCBvbmx5";
constexpr std::string_view kWrongKey = "d3Jvbmcga2V5";
constexpr std::string_view kNow = "Tue, 14 Nov 2023 22:13:20 GMT";
constexpr int64_t kNowSeconds = 1'700'000'000;

// Who may do it, besides holders of keys.
enum class Reach {
  kAnyToken,    // whoever has a token at all
  kNobody,      // no token
  kMap,         // every token in the container: clients find their way by it
  kContainer,   // tokens for the whole container
  kItem,        // and those for the item, or for its key
  kKey,         // and those for the key of the request
  kPlan,        // and those for any key
  kAttachment,  // and those for the item, its key, or the attachment
  kAttachments,
  kScript,     // and those for the script
  kProcedure,  // and those for the script, or for the key
};

struct Row {
  ResourceKind kind;
  bool is_feed;
  Action action;
  bool writes;
  Reach reach;
};

// One for every operation of the router.
constexpr Row kRows[] = {
    {ResourceKind::kAccount, false, Action::kRead, false, Reach::kAnyToken},
    {ResourceKind::kDatabase, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kDatabase, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kDatabase, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kDatabase, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kDatabase, false, Action::kDelete, true, Reach::kNobody},
    {ResourceKind::kContainer, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kContainer, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kContainer, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kContainer, false, Action::kRead, false, Reach::kMap},
    {ResourceKind::kContainer, false, Action::kReplace, true, Reach::kContainer},
    {ResourceKind::kContainer, false, Action::kDelete, true, Reach::kContainer},
    {ResourceKind::kPartitionKeyRange, true, Action::kList, false, Reach::kMap},
    {ResourceKind::kPartitionKeyRange, false, Action::kRead, false, Reach::kMap},
    {ResourceKind::kConflict, true, Action::kList, false, Reach::kContainer},
    {ResourceKind::kConflict, true, Action::kQuery, false, Reach::kContainer},
    {ResourceKind::kConflict, false, Action::kRead, false, Reach::kContainer},
    {ResourceKind::kConflict, false, Action::kDelete, true, Reach::kContainer},
    {ResourceKind::kOffer, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kOffer, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kOffer, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kOffer, false, Action::kReplace, true, Reach::kNobody},
    {ResourceKind::kUser, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kUser, true, Action::kUpsert, true, Reach::kNobody},
    {ResourceKind::kUser, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kUser, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kUser, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kUser, false, Action::kReplace, true, Reach::kNobody},
    {ResourceKind::kUser, false, Action::kDelete, true, Reach::kNobody},
    {ResourceKind::kPermission, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kPermission, true, Action::kUpsert, true, Reach::kNobody},
    {ResourceKind::kPermission, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kPermission, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kPermission, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kPermission, false, Action::kReplace, true, Reach::kNobody},
    {ResourceKind::kPermission, false, Action::kDelete, true, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, true, Action::kUpsert, true, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, false, Action::kReplace, true, Reach::kNobody},
    {ResourceKind::kStoredProcedure, true, Action::kCreate, true, Reach::kContainer},
    {ResourceKind::kStoredProcedure, true, Action::kUpsert, true, Reach::kContainer},
    {ResourceKind::kStoredProcedure, true, Action::kList, false, Reach::kContainer},
    {ResourceKind::kStoredProcedure, true, Action::kQuery, false, Reach::kContainer},
    {ResourceKind::kStoredProcedure, false, Action::kRead, false, Reach::kScript},
    {ResourceKind::kStoredProcedure, false, Action::kReplace, true, Reach::kScript},
    {ResourceKind::kStoredProcedure, false, Action::kDelete, true, Reach::kScript},
    {ResourceKind::kStoredProcedure, false, Action::kExecute, true, Reach::kProcedure},
    {ResourceKind::kTrigger, true, Action::kCreate, true, Reach::kContainer},
    {ResourceKind::kTrigger, true, Action::kUpsert, true, Reach::kContainer},
    {ResourceKind::kTrigger, true, Action::kList, false, Reach::kContainer},
    {ResourceKind::kTrigger, true, Action::kQuery, false, Reach::kContainer},
    {ResourceKind::kTrigger, false, Action::kRead, false, Reach::kScript},
    {ResourceKind::kTrigger, false, Action::kReplace, true, Reach::kScript},
    {ResourceKind::kTrigger, false, Action::kDelete, true, Reach::kScript},
    {ResourceKind::kUserDefinedFunction, true, Action::kCreate, true, Reach::kContainer},
    {ResourceKind::kUserDefinedFunction, true, Action::kUpsert, true, Reach::kContainer},
    {ResourceKind::kUserDefinedFunction, true, Action::kList, false, Reach::kContainer},
    {ResourceKind::kUserDefinedFunction, true, Action::kQuery, false, Reach::kContainer},
    {ResourceKind::kUserDefinedFunction, false, Action::kRead, false, Reach::kScript},
    {ResourceKind::kUserDefinedFunction, false, Action::kReplace, true, Reach::kScript},
    {ResourceKind::kUserDefinedFunction, false, Action::kDelete, true, Reach::kScript},
    {ResourceKind::kPartitionKeyDelete, false, Action::kErasePartitionKey, true, Reach::kKey},
    {ResourceKind::kItem, true, Action::kCreate, true, Reach::kKey},
    {ResourceKind::kItem, true, Action::kUpsert, true, Reach::kKey},
    {ResourceKind::kItem, true, Action::kList, false, Reach::kKey},
    {ResourceKind::kItem, true, Action::kListChanges, false, Reach::kKey},
    {ResourceKind::kItem, true, Action::kQuery, false, Reach::kKey},
    {ResourceKind::kItem, true, Action::kPlanQuery, false, Reach::kPlan},
    {ResourceKind::kItem, true, Action::kBatch, true, Reach::kKey},
    {ResourceKind::kItem, true, Action::kBulk, true, Reach::kContainer},
    {ResourceKind::kItem, false, Action::kRead, false, Reach::kItem},
    {ResourceKind::kItem, false, Action::kReplace, true, Reach::kItem},
    {ResourceKind::kItem, false, Action::kPatch, true, Reach::kItem},
    {ResourceKind::kItem, false, Action::kDelete, true, Reach::kItem},
    {ResourceKind::kAttachment, true, Action::kCreate, true, Reach::kAttachments},
    {ResourceKind::kAttachment, true, Action::kUpsert, true, Reach::kAttachments},
    {ResourceKind::kAttachment, true, Action::kList, false, Reach::kAttachments},
    {ResourceKind::kAttachment, true, Action::kQuery, false, Reach::kAttachments},
    {ResourceKind::kAttachment, false, Action::kRead, false, Reach::kAttachment},
    {ResourceKind::kAttachment, false, Action::kReplace, true, Reach::kAttachment},
    {ResourceKind::kAttachment, false, Action::kDelete, true, Reach::kAttachment},
    {ResourceKind::kMedia, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kMedia, false, Action::kReplace, true, Reach::kNobody},
};

const Row* find_row(ResourceKind kind, bool is_feed, Action action) {
  const auto* row = std::ranges::find_if(
      kRows, [&](const Row& each) { return each.kind == kind && each.is_feed == is_feed && each.action == action; });
  return row == std::end(kRows) ? nullptr : row;
}

// How the path of a request names what is on the way.
enum class Addressing { kNames, kResourceIds, kDatabaseById, kContainerById };

// What a token's permission is on.
enum class Granted { kContainer, kItemById, kItemByRid, kAttachment, kProcedure, kTrigger, kFunction };

enum class Holder { kNobody, kUnknown, kKey, kReadOnlyKey, kOutdatedToken, kToken };

struct Credential {
  std::string name;
  Holder holder;
  std::string key = {};  // kKey, kReadOnlyKey, kUnknown
  // kToken:
  std::string token = {};
  Granted granted = Granted::kContainer;
  bool is_for_these = true;  // this container, item, attachment or script; else others
  bool is_in_container = true;
  bool may_write = true;
  std::string partition_key = {};  // JSON, or empty
};

// A request of an operation: what makes it that one.
struct Request {
  const Row* row = nullptr;
  Addressing addressing = Addressing::kNames;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  void set(const std::string& name, const std::string& value) {
    std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    headers.emplace_back(name, value);
  }
  std::string header(std::string_view name) const {
    for (const auto& [each, value] : headers) {
      if (each == name) return value;
    }
    return {};
  }
};

// Headers that are part of what is signed, or of who asks.
const std::vector<std::string> kNotTried = {"authorization", "x-ms-date"};

// Values that switch on what a header can switch on. Every header that the server reads has a line.
const std::map<std::string, std::vector<std::string>> kHeaderValues = {
    {"date", {std::string(kNow), "yesterday"}},
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
    {"x-ms-cosmos-populateindexmetrics", {"true"}},
    {"x-ms-cosmos-populateindexmetrics-V2", {"true"}},
    {"x-ms-cosmos-index-utilization", {"true"}},
    {"x-ms-cosmos-populatequeryadvice", {"true"}},
    {"x-ms-cosmos-query-advice", {"true"}},
    {"x-partita-explain", {"true"}},
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
    {"x-ms-cosmos-offer-autopilot-settings", {R"({"maxThroughput":4000})"}},
    {"x-ms-cosmos-migrate-offer-to-autopilot", {"true"}},
    {"x-ms-cosmos-migrate-offer-to-manual-throughput", {"true"}},
    {"x-ms-documentdb-populatequerymetrics", {"true"}},
    {"x-ms-documentdb-query-metrics", {"true"}},
    {"x-ms-documentdb-populatequotainfo", {"true"}},
    {"a-im", {"Incremental feed", "Full-Fidelity Feed", "anything"}},
    {"if-match", {"*", "\"0\""}},
    {"if-none-match", {"*", "\"0\""}},
    {"if-modified-since", {std::string(kNow)}},
    {"prefer", {"return=minimal"}},
    {"x-ms-indexing-directive", {"Include", "Exclude", "anything"}},
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

// What a request means, by the headers that it has.
Action expected_action(const Request& request) {
  const auto has = [&](std::string_view name) { return net::equal_without_case(request.header(name), "true"); };
  const Row& row = *request.row;
  const bool is_items = row.kind == ResourceKind::kItem && row.is_feed;
  if (is_items && (row.action == Action::kList || row.action == Action::kListChanges)) {
    return request.header("a-im").empty() ? Action::kList : Action::kListChanges;
  }
  const bool is_posted_to_feed = row.is_feed && row.action != Action::kList;
  if (!is_posted_to_feed) return row.action;
  if (is_items && has("x-ms-cosmos-is-query-plan-request")) return Action::kPlanQuery;
  if (has("x-ms-documentdb-isquery") || request.header("content-type") == "application/query+json") return Action::kQuery;
  if (is_items && has("x-ms-cosmos-is-batch-request")) return has("x-ms-cosmos-batch-atomic") ? Action::kBatch : Action::kBulk;
  const bool can_upsert = row.kind != ResourceKind::kDatabase && row.kind != ResourceKind::kContainer;
  return can_upsert && has("x-ms-documentdb-is-upsert") ? Action::kUpsert : Action::kCreate;
}

bool runs_triggers(const Request& request, const Row& meant) {
  const bool has_any = !request.header("x-ms-documentdb-pre-trigger-include").empty() ||
                       !request.header("x-ms-documentdb-post-trigger-include").empty();
  return has_any && meant.kind == ResourceKind::kItem && !meant.is_feed && meant.writes && meant.action != Action::kPatch;
}

bool is_by_rid(Addressing addressing) { return addressing == Addressing::kResourceIds; }

bool covers(const Credential& token, const Request& request, const Row& meant) {
  const bool is_whole = token.granted == Granted::kContainer;
  const bool is_item_token =
      token.granted == (is_by_rid(request.addressing) ? Granted::kItemByRid : Granted::kItemById) && token.is_for_these;
  const bool is_attachment_token = token.granted == Granted::kAttachment && token.is_for_these && !is_by_rid(request.addressing);
  const bool is_script_token =
      token.is_for_these && ((token.granted == Granted::kProcedure && meant.kind == ResourceKind::kStoredProcedure) ||
                             (token.granted == Granted::kTrigger && meant.kind == ResourceKind::kTrigger) ||
                             (token.granted == Granted::kFunction && meant.kind == ResourceKind::kUserDefinedFunction));
  switch (meant.reach) {
    case Reach::kContainer:
    case Reach::kKey:
    case Reach::kPlan: return is_whole;
    case Reach::kItem: return is_whole || (is_item_token && !runs_triggers(request, meant));
    case Reach::kAttachments: return is_whole || is_item_token;
    case Reach::kAttachment: return is_whole || is_item_token || is_attachment_token;
    case Reach::kScript:
    case Reach::kProcedure: return is_whole || is_script_token;
    default: return false;
  }
}

// Whether what the request says to be its key is the key that the token is for.
bool keeps_to_key(const Credential& token, const Request& request, const Row& meant) {
  std::string permitted = token.partition_key;
  const bool is_by_id = token.granted == Granted::kItemById || token.granted == Granted::kAttachment;
  if (permitted.empty() && is_by_id) permitted = "[{}]";  // the document without a key value
  if (permitted.empty()) return true;
  switch (meant.reach) {
    case Reach::kPlan: return true;
    case Reach::kContainer:
    case Reach::kScript: return false;
    default: break;
  }
  const std::string given = request.header("x-ms-documentdb-partitionkey");
  return given == permitted || (given == "[]" && permitted == "[{}]");
}

// The status of a refusal, or 0.
int expected_refusal(const Credential& credential, const Request& request) {
  const Row& meant = *find_row(request.row->kind, request.row->is_feed, expected_action(request));
  switch (credential.holder) {
    case Holder::kNobody:
    case Holder::kUnknown: return 401;
    case Holder::kKey: return 0;
    case Holder::kReadOnlyKey: return meant.writes || meant.kind == ResourceKind::kPermission ? 403 : 0;
    case Holder::kOutdatedToken: return 403;
    case Holder::kToken: break;
  }
  if (meant.reach == Reach::kAnyToken) return 0;
  if (meant.reach == Reach::kNobody || (meant.writes && !credential.may_write) || !credential.is_in_container) return 403;
  if (meant.reach == Reach::kMap) return 0;
  return covers(credential, request, meant) && keeps_to_key(credential, request, meant) ? 0 : 403;
}

// An account with two databases, and in each what the other has.
class AuthorizationMatrix : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string database : {"db", "other"}) {
      account_.catalog->create_database(database, std::nullopt).value();
      for (const std::string container : {"c", "d"}) make_container(database, container);
      create("/dbs/" + database + "/users", R"({"id":"u"})");
      create("/dbs/" + database + "/clientencryptionkeys", R"({"id":"k"})");
    }
    create("/dbs/db/users/u/permissions", R"({"id":"p","permissionMode":"All","resource":"dbs/db/colls/d"})");
    make_credentials();
  }

  void make_container(const std::string& database, const std::string& name) {
    const std::string path = fmt::format("/dbs/{}/colls", database);
    create(path, fmt::format(R"({{"id":"{}","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}}}})", name));
    const std::string container = path + "/" + name;
    for (const std::string item : {"i", "j"}) {
      create(container + "/docs", fmt::format(R"({{"id":"{}","pk":"a"}})", item), R"(["a"])");
      create(container + "/docs/" + item + "/attachments", R"({"id":"x"})", R"(["a"])");
      create(container + "/docs/" + item + "/attachments", R"({"id":"y"})", R"(["a"])");
    }
    create(container + "/docs", R"({"id":"i","pk":"b"})", R"(["b"])");
    for (const std::string script : {"s", "t"}) {
      create(container + "/sprocs", fmt::format(R"({{"id":"{}","body":"function () {{}}"}})", script));
      create(container + "/udfs", fmt::format(R"({{"id":"{}","body":"function () {{}}"}})", script));
      create(container + "/triggers",
             fmt::format(R"({{"id":"{}","body":"function () {{}}","triggerType":"Pre","triggerOperation":"All"}})", script));
    }
  }

  void make_credentials() {
    credentials_ = {{.name = "nobody", .holder = Holder::kNobody},
                    {.name = "a wrong key", .holder = Holder::kUnknown, .key = std::string(kWrongKey)},
                    {.name = "the key", .holder = Holder::kKey, .key = std::string(kKey)},
                    {.name = "the read-only key", .holder = Holder::kReadOnlyKey, .key = std::string(kReadOnlyKey)}};
    const std::string all = permit("dbs/db/colls/c", "", true);
    add_token("an expired token", all, {.name = {}, .holder = Holder::kOutdatedToken}, -1);
    add_token("a token of nothing", "0", {.name = {}, .holder = Holder::kOutdatedToken});
    const std::string gone = permit("dbs/db/colls/c", R"(["gone"])", true);
    EXPECT_EQ(send("DELETE", newest_permission_, kKey, {}, {}).status, 204);
    add_token("a token of a deleted permission", gone, {.name = {}, .holder = Holder::kOutdatedToken});
    Credential forged{.name = "a forged token", .holder = Holder::kUnknown, .key = {}, .token = token_of(all)};
    forged.token[forged.token.find("sig=") + 6] ^= 1;
    credentials_.push_back(forged);
    add("container", "dbs/db/colls/c", {.name = {}, .holder = Holder::kToken});
    add("container by rid", "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/", {.name = {}, .holder = Holder::kToken});
    add("another container", "dbs/db/colls/d", {.name = {}, .holder = Holder::kToken, .is_in_container = false});
    add("another database", "dbs/other/colls/c", {.name = {}, .holder = Holder::kToken, .is_in_container = false});
    for (const char* key : {R"(["a"])", R"(["b"])", "[{}]"}) {
      add("container, one key", "dbs/db/colls/c", {.name = {}, .holder = Holder::kToken, .partition_key = key});
    }
    add("item, one key", "dbs/db/colls/c/docs/i",
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kItemById, .partition_key = R"(["a"])"});
    const std::string rid_link = "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/docs/AAAAAYAAAAEBAAAAAAAAAA==/";
    add("item by rid", rid_link, {.name = {}, .holder = Holder::kToken, .granted = Granted::kItemByRid});
    add("item by rid, one key", rid_link,
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kItemByRid, .partition_key = R"(["a"])"});
    add("item", "dbs/db/colls/c/docs/i", {.name = {}, .holder = Holder::kToken, .granted = Granted::kItemById});
    add("another item", "dbs/db/colls/c/docs/j",
        {.name = {},
         .holder = Holder::kToken,
         .granted = Granted::kItemById,
         .is_for_these = false,
         .partition_key = R"(["a"])"});
    add("attachment", "dbs/db/colls/c/docs/i/attachments/x",
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kAttachment, .partition_key = R"(["a"])"});
    add("another attachment", "dbs/db/colls/c/docs/i/attachments/y",
        {.name = {},
         .holder = Holder::kToken,
         .granted = Granted::kAttachment,
         .is_for_these = false,
         .partition_key = R"(["a"])"});
    add("procedure", "dbs/db/colls/c/sprocs/s", {.name = {}, .holder = Holder::kToken, .granted = Granted::kProcedure});
    add("procedure, one key", "dbs/db/colls/c/sprocs/s",
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kProcedure, .partition_key = R"(["a"])"});
    add("another procedure", "dbs/db/colls/c/sprocs/t",
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kProcedure, .is_for_these = false});
    add("trigger", "dbs/db/colls/c/triggers/s", {.name = {}, .holder = Holder::kToken, .granted = Granted::kTrigger});
    add("function", "dbs/db/colls/c/udfs/s", {.name = {}, .holder = Holder::kToken, .granted = Granted::kFunction});
  }

  // Both modes of a permission.
  void add(const std::string& name, const std::string& resource, Credential credential) {
    for (const bool may_write : {true, false}) {
      credential.may_write = may_write;
      add_token(fmt::format("{} {} ({})", name, credential.partition_key, may_write ? "All" : "Read"),
                permit(resource, credential.partition_key, may_write), credential);
    }
  }
  void add_token(const std::string& name, const std::string& number, Credential credential, int64_t seconds = 1000) {
    credential.name = name;
    credential.token = make_resource_token(keys_, static_cast<uint32_t>(std::stoul(number)), kNowSeconds + seconds);
    credentials_.push_back(std::move(credential));
  }
  std::string token_of(const std::string& number) {
    return make_resource_token(keys_, static_cast<uint32_t>(std::stoul(number)), kNowSeconds + 1000);
  }

  // Creates a permission of a new user, and says its number.
  std::string permit(const std::string& resource, const std::string& key, bool may_write) {
    const std::string users = resource.starts_with("dbs/other") ? "/dbs/other/users" : "/dbs/db/users";
    const std::string user = fmt::format("user{}", ++users_);
    create(users, fmt::format(R"({{"id":"{}"}})", user));
    const std::string permissions = users + "/" + user + "/permissions";
    create(permissions, fmt::format(R"({{"id":"p","permissionMode":"{}","resource":"{}"{}}})", may_write ? "All" : "Read",
                                    resource, key.empty() ? "" : R"(,"resourcePartitionKey":)" + key));
    newest_permission_ = permissions + "/p";
    const std::string body = send("GET", newest_permission_, kKey, {}, {}).body;
    const size_t at = body.find(R"("_rid":")") + 8;
    const auto rid = parse_resource_id_as<PermissionRid>(body.substr(at, body.find('"', at) - at));
    EXPECT_TRUE(rid) << body;
    return std::to_string(rid->ordinal);
  }

  void create(const std::string& path, const std::string& body, const std::string& key = {}) {
    const Answer answer = send("POST", path, kKey, {{"x-ms-documentdb-partitionkey", key}}, body);
    ASSERT_EQ(answer.status, 201) << path << " " << body << " " << answer.body;
  }

  using Headers = std::vector<std::pair<std::string, std::string>>;
  struct Answer {
    int status;
    std::string body;
  };

  static std::string signed_by(std::string_view key, std::string_view method, std::string_view path) {
    const Result<ResourcePath> parsed = ResourcePath::parse(path, "");
    const auth::SignedRequest request{.verb = method, .client_date = kNow, .date = {}};
    return auth::master_token(*auth::sign(key, request, parsed->signed_resources().front()));
  }
  Answer send(std::string_view method, std::string_view path, std::string_view key, const Headers& headers,
              std::string_view body) {
    const std::string token = signed_by(key, method, path);
    return send_with(token, method, path, headers, body);
  }
  static net::HttpRequest request_with(std::string_view token, std::string_view method, std::string_view path,
                                       const Headers& headers, std::string_view body) {
    net::HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    if (!token.empty()) request.headers.push_back({"authorization", token});
    request.headers.push_back({"x-ms-date", kNow});
    for (const auto& [name, value] : headers) request.headers.push_back({name, value});
    return request;
  }
  Answer send_with(std::string_view token, std::string_view method, std::string_view path, const Headers& headers,
                   std::string_view body) {
    const net::HttpRequest request = request_with(token, method, path, headers, body);
    net::HttpResponse response;
    std::promise<void> is_done;
    service_.handle(request, response, [&] { is_done.set_value(); });
    is_done.get_future().wait();
    return {response.status, std::move(response.body)};
  }

  // Everything that could have changed.
  std::string state() {
    std::string all;
    const auto list = [&](const std::string& path) {
      all +=
          send("GET", path, kKey, {{"x-ms-documentdb-partitionkey", path.ends_with("docs") ? "" : R"(["a"])"}}, {}).body + "\n";
    };
    list("/dbs");
    list("/offers");
    for (const std::string database : {"/dbs/db", "/dbs/other"}) {
      list(database + "/colls");
      list(database + "/users");
      list(database + "/clientencryptionkeys");
      list(database + "/users/u/permissions");
      for (const char* feed : {"docs", "sprocs", "triggers", "udfs"}) {
        list(database + "/colls/c/" + feed);
        list(database + "/colls/d/" + feed);
      }
    }
    list("/dbs/db/colls/c/docs/i/attachments");
    return all;
  }

  // A path to what the row is about.
  std::string path_to(const Row& row, Addressing addressing) {
    const bool all_rids = addressing == Addressing::kResourceIds;
    const bool database_rid = all_rids || addressing == Addressing::kDatabaseById;
    const bool container_rid = all_rids || addressing == Addressing::kContainerById;
    const std::string database = database_rid ? "/dbs/AAAAAQ==" : "/dbs/db";
    const std::string container = database + (container_rid ? "/colls/AAAAAYAAAAE=" : "/colls/c");
    const auto one = [&](const std::string& feed, const std::string& name, const std::string& rid) {
      return row.is_feed ? feed : feed + "/" + (all_rids ? rid : name);
    };
    switch (row.kind) {
      case ResourceKind::kAccount: return "/";
      case ResourceKind::kDatabase: return row.is_feed ? "/dbs" : database;
      case ResourceKind::kContainer: return row.is_feed ? database + "/colls" : container;
      case ResourceKind::kItem: return one(container + "/docs", "i", kItemRid);
      case ResourceKind::kAttachment:
        return one(container + "/docs/" + (all_rids ? kItemRid : "i") + "/attachments", "x", "AAAAAYAAAAEBAAAAAAAAAAAAAAE=");
      case ResourceKind::kStoredProcedure:
        return one(container + "/sprocs", "s", rid_of_script(ContainerChild::kStoredProcedure));
      case ResourceKind::kTrigger: return one(container + "/triggers", "s", rid_of_script(ContainerChild::kTrigger));
      case ResourceKind::kUserDefinedFunction:
        return one(container + "/udfs", "s", rid_of_script(ContainerChild::kUserDefinedFunction));
      case ResourceKind::kConflict: return one(container + "/conflicts", "x", "AAAAAYAAAAEBAAAAAAAAQA==");
      case ResourceKind::kPartitionKeyRange: return one(container + "/pkranges", "0", "0");
      case ResourceKind::kPartitionKeyDelete: return container + "/operations/partitionkeydelete";
      case ResourceKind::kUser: return one(database + "/users", "u", kUserRid);
      case ResourceKind::kPermission:
        return one(database + "/users/" + (all_rids ? kUserRid : "u") + "/permissions", "p", "AAAAAQAAAAEFAAAAAAAAAA==");
      case ResourceKind::kClientEncryptionKey: return one(database + "/clientencryptionkeys", "k", "AAAAAQAAAAACAAAAAgAAAA==");
      case ResourceKind::kOffer: return row.is_feed ? "/offers" : "/offers/" + offer_rid();
      case ResourceKind::kMedia: return "/media/AAAAAYAAAAEBAAAAAAAAAAAAAAEB";
      default: ADD_FAILURE() << "no path"; return "/";
    }
  }
  std::string rid_of_script(ContainerChild type) {
    const auto container = *account_.catalog->container("db", "c");
    const ScriptType script = type == ContainerChild::kTrigger               ? ScriptType::kTrigger
                              : type == ContainerChild::kUserDefinedFunction ? ScriptType::kUserFunction
                                                                             : ScriptType::kStoredProcedure;
    const uint64_t number = (*account_.catalog->script(*container, script, {.id = "s", .number = std::nullopt}))->number;
    return rid_text(ContainerChildRid{{container->database->number, container->number}, type, number});
  }
  std::string offer_rid() {
    const auto container = *account_.catalog->container("db", "c");
    return account_.catalog->offer_of(container->database->number, container->number)->rid();
  }

  Request request_of(const Row& row, Addressing addressing) {
    Request request{.row = &row, .addressing = addressing, .path = path_to(row, addressing), .headers = {}, .body = {}};
    request.set("x-ms-documentdb-partitionkey", R"(["a"])");
    if (row.action == Action::kQuery) request.set("x-ms-documentdb-isquery", "true");
    if (row.action == Action::kPlanQuery) request.set("x-ms-cosmos-is-query-plan-request", "true");
    if (row.action == Action::kListChanges) request.set("a-im", "Incremental feed");
    if (row.action == Action::kUpsert) request.set("x-ms-documentdb-is-upsert", "true");
    if (row.action == Action::kBatch || row.action == Action::kBulk) request.set("x-ms-cosmos-is-batch-request", "true");
    if (row.action == Action::kBatch) request.set("x-ms-cosmos-batch-atomic", "true");
    if (row.action == Action::kQuery || row.action == Action::kPlanQuery) request.body = R"({"query":"SELECT * FROM c"})";
    if (row.writes) request.body = R"({"id":"written","pk":"a"})";
    return request;
  }

  // Refused requests are sent. Of those that are not, only the verdict is asked for, so that nothing changes.
  void judge(const Request& request, const Credential& credential, const std::string& token) {
    const std::string_view method = method_of(request.row->action);
    const int expected = expected_refusal(credential, request);
    ++judged_;
    const net::HttpRequest http = request_with(token, method, request.path, request.headers, request.body);
    net::HttpResponse response;
    if (expected != 0) {
      bool is_done = false;  // at once: whoever is refused waits for nobody
      service_.handle(http, response, [&] { is_done = true; });
      EXPECT_TRUE(is_done && response.status == expected)
          << describe(request, credential) << expected << " expected: " << response.status << " " << response.body;
      return;
    }
    ResourcePath path = *ResourcePath::parse(http.path, "");
    const Operation operation = operation_of(http, path);
    EXPECT_EQ(operation.action, expected_action(request)) << describe(request, credential);
    const Exchange exchange(http, response, [] {}, "activity", std::move(path), operation);
    const Result<TokenLimits> verdict = authorize(exchange, keys_, *account_.catalog, account_.clock);
    EXPECT_TRUE(verdict) << describe(request, credential) << verdict.error().message;
  }
  static std::string describe(const Request& request, const Credential& credential) {
    std::string text = fmt::format("{}: {} {}\n", credential.name, method_of(request.row->action), request.path);
    for (const auto& [name, value] : request.headers) text += fmt::format("  {}: {}\n", name, value);
    return text;
  }

  std::string token_for(const Credential& credential, const Request& request) const {
    if (!credential.token.empty()) return credential.token;
    return credential.key.empty() ? "" : signed_by(credential.key, method_of(request.row->action), request.path);
  }

  const std::string kItemRid = "AAAAAYAAAAEBAAAAAAAAAA==";
  const std::string kUserRid = "AAAAAQAAAAE=";

  TestAccount account_{Durability::kRelaxed, RateLimits{.is_enforced = false}};
  Items items_{account_.clock, account_.etags, account_.random};
  auth::MasterKeyVerifier keys_ = auth::MasterKeyVerifier::create({.primary = std::string(kKey),
                                                                   .secondary = {},
                                                                   .primary_read_only = std::string(kReadOnlyKey),
                                                                   .secondary_read_only = {}},
                                                                  account_.clock)
                                      .value();
  script::ScriptEngine script_engine_{SCRIPT_HOST, {}, 1};
  ScriptRunner scripts_{items_, *account_.catalog, script_engine_, workers_};
  Service service_{{*account_.catalog, items_, keys_, account_.clock, account_.random, workers_, scripts_}};
  std::vector<Credential> credentials_;
  size_t judged_ = 0;
  size_t users_ = 0;
  std::string newest_permission_;
  // Last, so that it ends first: its jobs use all of the above.
  FairScheduler workers_{
      {.limits = {.slots = 1, .places = 1, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      account_.clock};
};

}  // namespace

TEST_F(AuthorizationMatrix, HasARowForEveryOperation) {
  for (const Operation& operation : operations()) {
    const Row* row = find_row(operation.kind, operation.is_feed, operation.action);
    EXPECT_NE(row, nullptr) << name_of(operation.action) << ", kind " << static_cast<int>(operation.kind)
                            << ": say here who may do it";
    if (row != nullptr) EXPECT_EQ(operation.is_write(), row->writes) << path_to(*row, Addressing::kNames);
  }
  EXPECT_EQ(operations().size(), std::size(kRows));
}

TEST_F(AuthorizationMatrix, HasValuesForEveryHeader) {
  std::ifstream file(TEST_DATA_DIR "/../codec/header_names.h");
  ASSERT_TRUE(file);
  std::string line;
  size_t headers = 0;
  while (std::getline(file, line) && line != "// Responses.") {
    std::smatch match;
    if (!std::regex_search(line, match, std::regex("= \"([^\"]+)\";"))) continue;
    const std::string name = match[1];
    ++headers;
    const bool is_tried = kHeaderValues.contains(name) || std::ranges::find(kNotTried, name) != kNotTried.end();
    // Pages are turned away before: server/request_guard.h.
    EXPECT_TRUE(is_tried || name == "origin") << name << ": give values that switch it on";
  }
  EXPECT_GT(headers, 40u);
}

TEST_F(AuthorizationMatrix, EveryRequestIsJudgedByItsOperation) {
  for (const Row& row : kRows) {
    const std::string before = state();
    for (const Addressing addressing : {Addressing::kNames, Addressing::kResourceIds}) {
      const Request plain = request_of(row, addressing);
      for (const Credential& credential : credentials_) {
        const std::string token = token_for(credential, plain);
        judge(plain, credential, token);
        for (const auto& [name, values] : kHeaderValues) {
          Request request = plain;
          const size_t count = addressing == Addressing::kNames ? values.size() : 1;
          for (const std::string& value : std::span(values).first(count)) {
            request.set(name, value);
            judge(request, credential, token);
          }
        }
      }
    }
    EXPECT_EQ(state(), before) << "changed by a refused request: " << path_to(row, Addressing::kNames);
    if (HasFailure()) break;  // one kind of mistake is shown often enough
  }
  RecordProperty("judged", static_cast<int>(judged_));
}

TEST_F(AuthorizationMatrix, NamesAndResourceIdsCanBeMixed) {
  for (const Row& row : kRows) {
    for (const Addressing addressing : {Addressing::kDatabaseById, Addressing::kContainerById}) {
      const Request request = request_of(row, addressing);
      for (const Credential& credential : credentials_) judge(request, credential, token_for(credential, request));
    }
  }
}

// A read that is permitted is answered; so the paths above lead to what they are meant to.
TEST_F(AuthorizationMatrix, WhatMayBeReadIsThere) {
  for (const Row& row : kRows) {
    if (row.writes || row.kind == ResourceKind::kConflict || row.kind == ResourceKind::kMedia) continue;
    for (const Addressing addressing :
         {Addressing::kNames, Addressing::kResourceIds, Addressing::kDatabaseById, Addressing::kContainerById}) {
      const Request request = request_of(row, addressing);
      const std::string_view method = method_of(row.action);
      const Answer answer = send(method, request.path, kKey, request.headers, request.body);
      EXPECT_EQ(answer.status, 200) << method << " " << request.path << " " << answer.body;
    }
  }
}

// A method or kind that nobody serves tells those who may not write nothing but that.
TEST_F(AuthorizationMatrix, WhatIsNotServedIsRefusedBeforeThatIsSaid) {
  for (const auto& [method, path] : std::vector<std::pair<std::string, std::string>>{{"PATCH", "/dbs/db/colls/c"},
                                                                                     {"PUT", "/dbs/db"},
                                                                                     {"POST", "/dbs/db/colls/c/docs/i"},
                                                                                     {"POST", "/dbs/db/colls/c/pkranges"},
                                                                                     {"TRACE", "/"},
                                                                                     {"PROPFIND", "/dbs/db/colls/c/docs"},
                                                                                     {"GET", "/dbs/db/colls/c/schemas"},
                                                                                     {"GET", "/addresses"}}) {
    for (const Credential& credential : credentials_) {
      const std::string token = !credential.token.empty() ? credential.token
                                : credential.key.empty()  ? ""
                                                          : signed_by(credential.key, method, path);
      const int expected = credential.holder == Holder::kKey                                               ? 405
                           : credential.holder == Holder::kNobody || credential.holder == Holder::kUnknown ? 401
                                                                                                           : 403;
      EXPECT_EQ(send_with(token, method, path, {}, {}).status, expected) << credential.name << " " << method << " " << path;
    }
  }
}

}  // namespace partita::cosmos
