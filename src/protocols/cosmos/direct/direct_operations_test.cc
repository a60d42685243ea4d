#include "base/encodings.h"
#include "cluster/reshape/reshaper.h"
#include "document/json/json.h"
#include "protocols/cosmos/direct/direct_fixture.h"

// What is served in direct mode, and what clients are told beside.
namespace partita::cosmos::direct {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using DirectOperations = DirectTest;

struct StrongDirectOperations : DirectTest {
  StrongDirectOperations() : DirectTest({}, nullptr, {}, ConsistencyLevel::kStrong) {}
};

std::string text_of(const std::string& json, std::string_view member) {
  const Result<std::string> stored = stored_from_json(json);
  return stored && Value::view(*stored).find(member).is_string() ? std::string(Value::view(*stored).find(member).string()) : "";
}

}  // namespace

TEST_F(DirectOperations, OnItemsAreThoseOfHttp) {
  auto client = connect();
  const ParsedAnswer created = client->exchange(create(R"({"id":"x","pk":"a","n":1})"));
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.text(out::kEtag), text_of(created.payload, "_etag"));
  const ParsedAnswer found = client->exchange(read("x"));
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.payload, created.payload);
  const auto over_http = served_.send("GET", "/dbs/db/colls/c/docs/x", {{"x-ms-documentdb-partitionkey", R"(["a"])"}});
  EXPECT_EQ(over_http.body, found.payload);

  const std::string etag = found.text(out::kEtag);
  const ParsedAnswer unchanged = client->exchange(on_items(op::kRead, "GET", "x").text(in::kMatch, etag).build());
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.payload, "");
  const std::string next = R"({"id":"x","pk":"a","n":2})";
  EXPECT_EQ(client->exchange(on_items(op::kReplace, "PUT", "x").text(in::kMatch, "\"other\"").build(next)).status, 412);
  EXPECT_EQ(client->exchange(on_items(op::kReplace, "PUT", "x").text(in::kMatch, etag).build(next)).status, 200);
  EXPECT_EQ(client->exchange(on_items(op::kUpsert, "POST").build(R"({"id":"y","pk":"a"})")).status, 201);
  EXPECT_EQ(client->exchange(on_items(op::kUpsert, "POST").build(R"({"id":"y","pk":"a","n":3})")).status, 200);
  const ParsedAnswer patched =
      client->exchange(on_items(op::kPatch, "PATCH", "y").build(R"({"operations":[{"op":"incr","path":"/n","value":4}]})"));
  EXPECT_EQ(patched.status, 200);
  EXPECT_THAT(patched.payload, HasSubstr("\"n\":7"));
  EXPECT_EQ(client->exchange(create(R"({"id":"x","pk":"a"})")).status, 409);
  EXPECT_EQ(client->exchange(on_items(op::kDelete, "DELETE", "x").build()).status, 204);
  EXPECT_EQ(client->exchange(read("x")).status, 404);
}

TEST_F(DirectOperations, TellHowFarThePartitionIs) {
  auto client = connect();
  client->exchange(create(R"({"id":"x","pk":"a"})"));
  client->exchange(create(R"({"id":"y","pk":"a"})"));
  const ParsedAnswer answer = client->exchange(read("x"));
  EXPECT_EQ(answer.transport_id(), 7u);
  EXPECT_EQ(answer.activity_id, sample_activity_id());
  EXPECT_EQ(answer.number(out::kLsn), 3);
  EXPECT_EQ(answer.number(out::kLocalLsn), 3);
  EXPECT_EQ(answer.number(out::kItemLsn), 2);
  EXPECT_EQ(answer.number(0x3C), 2);
  EXPECT_EQ(answer.number(out::kGlobalLsn), 3);
  EXPECT_EQ(answer.number(out::kReadRegions), 0);
  EXPECT_EQ(answer.text(out::kSession), "-1#3");
  EXPECT_EQ(answer.text(out::kRange), "0");
  EXPECT_EQ(answer.real(out::kCharge), 1.0);
  EXPECT_GE(answer.real(out::kDuration), 0.0);
  EXPECT_EQ(answer.text(out::kOwnerName), "dbs/db/colls/c");
  EXPECT_NE(answer.text(out::kOwnerRid), "");
  EXPECT_EQ(answer.text(out::kSchema), "1.18");
  // The primary's.
  EXPECT_EQ(answer.number(out::kQuorumLsn), 3);
  EXPECT_EQ(answer.number(0x3B), 3);
  EXPECT_EQ(answer.number(out::kWriteQuorum), 3);
  EXPECT_EQ(answer.number(out::kReplicas), 4);
  const ParsedAnswer secondary = client->exchange(on_items(op::kRead, "GET", "x").text(in::kReplicaPath, kSecondary).build());
  for (const uint16_t id : {out::kQuorumLsn, uint16_t{0x3B}, out::kWriteQuorum, out::kReplicas}) {
    EXPECT_FALSE(secondary.has(id)) << id;
  }
  EXPECT_EQ(secondary.number(out::kLsn), 3);
}

TEST_F(DirectOperations, NeverSayThatAPartitionIsAtNothing) {
  const ParsedAnswer answer = connect()->exchange(read("x"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.number(out::kLsn), 1);
  EXPECT_EQ(answer.number(out::kLocalLsn), 1);
  EXPECT_EQ(answer.text(out::kSession), "-1#1");
}

TEST_F(DirectOperations, QueryPageByPage) {
  auto client = connect();
  for (int i = 0; i < 3; ++i) client->exchange(create(fmt::format(R"({{"id":"x{}","pk":"a"}})", i)));
  const std::string query = R"({"query":"SELECT VALUE c.id FROM c"})";
  const auto page = [&](std::string_view continuation) {
    FrameBuilder frame = on_items(op::kQuery, "POST").number(in::kPageSize, 2);
    if (!continuation.empty()) frame.text(in::kContinuation, continuation);
    return client->exchange(frame.build(query));
  };
  const ParsedAnswer first = page("");
  EXPECT_EQ(first.status, 200);
  EXPECT_THAT(first.payload, HasSubstr(R"("Documents":["x0","x1"])"));
  EXPECT_EQ(first.number(out::kItemCount), 2);
  EXPECT_THAT(first.text(out::kContinuation), testing::Not(HasSubstr(";")));
  const ParsedAnswer second = page(first.text(out::kContinuation));
  EXPECT_THAT(second.payload, HasSubstr(R"("Documents":["x2"])"));
  EXPECT_FALSE(second.has(out::kContinuation));
  const ParsedAnswer of_range = client->exchange(on_items(op::kQuery, "POST", {}, "").text(in::kRange, "0").build(query));
  EXPECT_EQ(of_range.number(out::kItemCount), 3);
  EXPECT_EQ(client->exchange(on_items(op::kReadFeed, "GET").build()).number(out::kItemCount), 3);
}

TEST_F(DirectOperations, TellOfChanges) {
  auto client = connect();
  client->exchange(create(R"({"id":"x","pk":"a"})"));
  const auto changes = [&](std::string_view since) {
    FrameBuilder frame = on_items(op::kReadFeed, "GET", {}, "").text(in::kChanges, "Incremental Feed").text(in::kRange, "0");
    if (!since.empty()) frame.text(in::kMatch, since);
    return client->exchange(frame.build());
  };
  const ParsedAnswer first = changes("");
  EXPECT_EQ(first.status, 200);
  EXPECT_THAT(first.payload, HasSubstr(R"("id":"x")"));
  const ParsedAnswer second = changes(first.text(out::kEtag));
  EXPECT_EQ(second.status, 304);
  EXPECT_EQ(second.payload, "");
  EXPECT_EQ(second.text(out::kEtag), first.text(out::kEtag));
}

TEST_F(DirectOperations, RunBatchesAndProcedures) {
  auto client = connect();
  const std::string steps =
      R"([{"operationType":"Create","resourceBody":{"id":"x","pk":"a"}},{"operationType":"Read","id":"x"}])";
  const ParsedAnswer batch = client->exchange(on_items(op::kBatch, "POST").byte(in::kAtomic, 1).build(steps));
  EXPECT_EQ(batch.status, 200);
  EXPECT_THAT(batch.payload, StartsWith("["));
  EXPECT_EQ(batch.number(out::kLsn), 2);
  const ParsedAnswer failed = client->exchange(on_items(op::kBatch, "POST").byte(in::kAtomic, 1).build(steps));
  EXPECT_EQ(failed.status, 207);
  EXPECT_EQ(failed.text(out::kRange), "0");

  make("/dbs/db/colls/c/sprocs", R"({"id":"s","body":"function (a) { getContext().getResponse().setBody(a + 1); }"})");
  FrameBuilder call = signed_frame(kind::kProcedure, op::kExecute, "POST", "/dbs/db/colls/c/sprocs/s");
  call.text(in::kProcedure, "s").text(in::kPartitionKey, R"(["a"])");
  const ParsedAnswer called = client->exchange(call.build("[41]"));
  EXPECT_EQ(called.status, 200) << called.payload;
  EXPECT_EQ(called.payload, "42");
  EXPECT_EQ(called.text(out::kRange), "0");
  EXPECT_EQ(client->exchange(call.build()).status, 200);  // no arguments, no payload
}

TEST_F(DirectOperations, ReadMetadataWhateverLevelTheyAskFor) {
  auto client = connect();
  const ParsedAnswer database =
      client->exchange(signed_frame(kind::kDatabase, op::kRead, "GET", "/dbs/db").byte(in::kConsistency, 0).build());
  EXPECT_EQ(database.status, 200) << database.payload;
  EXPECT_EQ(text_of(database.payload, "id"), "db");
  EXPECT_GE(database.number(out::kLsn), 1);
  EXPECT_FALSE(database.has(out::kSession));
  for (const FrameBuilder& list : {signed_frame(kind::kDatabase, op::kReadFeed, "GET", "/dbs"),
                                   signed_frame(kind::kContainer, op::kReadFeed, "GET", "/dbs/db/colls"),
                                   signed_frame(kind::kUser, op::kReadFeed, "GET", "/dbs/db/users"),
                                   signed_frame(kind::kConflict, op::kReadFeed, "GET", "/dbs/db/colls/c/conflicts")}) {
    const ParsedAnswer answer = client->exchange(FrameBuilder(list).byte(in::kConsistency, 0).build());
    EXPECT_EQ(answer.status, 200) << answer.payload;
    EXPECT_TRUE(answer.has(out::kItemCount));
    EXPECT_GE(answer.number(out::kLocalLsn), 1);
  }
  EXPECT_EQ(client->exchange(on_items(op::kRead, "GET", "x").byte(in::kConsistency, 0).build()).status, 400);
}

// Java sends the level BoundedStaleness with it, whatever the account's is.
TEST_F(DirectOperations, ReadWhatWasCommittedLastWhateverTheLevelOfTheAccount) {
  auto client = connect();
  const auto read = [&](uint8_t strategy) {
    return client->exchange(on_items(op::kRead, "GET", "x").byte(in::kConsistency, 1).byte(in::kReadStrategy, strategy).build());
  };
  EXPECT_EQ(read(3).status, 404);
  EXPECT_EQ(read(4).status, 400);  // of all regions: only a Strong account's level
}

TEST_F(DirectOperations, OfTheMetadataSeeItGrow) {
  auto client = connect();
  const std::string read_database = signed_frame(kind::kDatabase, op::kRead, "GET", "/dbs/db").build();
  const int64_t before = client->exchange(read_database).number(out::kLsn);
  EXPECT_EQ(client->exchange(read_database).number(out::kLsn), before);
  make("/dbs", R"({"id":"another"})");
  EXPECT_GT(client->exchange(read_database).number(out::kLsn), before);
}

TEST_F(DirectOperations, AnswerBarriersWithPositionsOnly) {
  auto client = connect();
  client->exchange(create(R"({"id":"x","pk":"a"})"));
  FrameBuilder barrier = signed_frame(kind::kContainer, op::kHead, "HEAD", "/dbs/db/colls/c");
  const ParsedAnswer answer = client->exchange(barrier.text(in::kPartitionKey, R"(["a"])").build());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.number(0x0000), 0);
  EXPECT_EQ(answer.payload, "");
  EXPECT_EQ(answer.number(out::kLsn), 2);
  EXPECT_EQ(answer.text(out::kSession), "-1#2");
  EXPECT_EQ(answer.real(out::kCharge), 0.0);
  const ParsedAnswer metadata = client->exchange(signed_frame(kind::kDatabase, op::kHeadFeed, "HEAD", "/dbs").build());
  EXPECT_EQ(metadata.status, 200);
  EXPECT_EQ(metadata.payload, "");
  EXPECT_GE(metadata.number(out::kLsn), 2);
  EXPECT_FALSE(metadata.has(out::kSession));
  // Not without a key.
  EXPECT_EQ(
      client->exchange(FrameBuilder(kind::kContainer, op::kHead).text(in::kDatabase, "db").text(in::kContainer, "c").build())
          .status,
      401);
}

TEST_F(DirectOperations, TellWhoeverMayNotAskNothing) {
  auto client = connect();
  client->exchange(create(R"({"id":"x","pk":"a"})"));
  const std::string stranger = "c29tZWJvZHkgZWxzZSdzIGtleQ==";
  const ParsedAnswer unknown = client->exchange(on_items(op::kRead, "GET", "x", R"(["a"])", stranger).build());
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(unknown.number(out::kWrongEverywhere), 1);
  EXPECT_EQ(unknown.number(out::kLsn), 1);
  EXPECT_FALSE(unknown.has(out::kSession));
  EXPECT_FALSE(unknown.has(out::kRange));
  net::HttpResponse response;  // of something that was refused before anybody was asked
  response.status = 400;
  EXPECT_EQ(told(service_, on_items(op::kRead, "GET", "x"), response).number(out::kLsn), 1);
  response.is_authorized = true;
  EXPECT_EQ(told(service_, on_items(op::kRead, "GET", "x"), response).number(out::kLsn), 2);
  const ParsedAnswer reader =
      client->exchange(on_items(op::kCreate, "POST", {}, R"(["a"])", kReadOnlyKey).build(R"({"id":"y","pk":"a"})"));
  EXPECT_EQ(reader.status, 403);
  EXPECT_EQ(reader.number(out::kWrongEverywhere), 1);
  EXPECT_EQ(client->exchange(on_items(op::kRead, "GET", "x", R"(["a"])", kReadOnlyKey).build()).status, 200);
}

TEST_F(DirectOperations, SayThatACacheOfNamesIsStale) {
  auto client = connect();
  const ParsedAnswer stale = client->exchange(on_items(op::kRead, "GET", "x").text(in::kContainerRid, "AAAAAYAAAAk=").build());
  EXPECT_EQ(stale.status, 410);
  EXPECT_EQ(stale.number(out::kSubStatus), 1000);
  const ParsedAnswer by_bytes =
      client->exchange(on_items(op::kRead, "GET", "x").bytes(in::kResourceId, bytes_of("00 00 00 01 80 00 00 09")).build());
  EXPECT_EQ(by_bytes.status, 410);
  EXPECT_EQ(by_bytes.number(out::kSubStatus), 1000);
  const ParsedAnswer insisting = client->exchange(on_items(op::kRead, "GET", "x").text(in::kIntendedRid, "AAAAAYAAAAk=").build());
  EXPECT_EQ(insisting.status, 400);
  EXPECT_EQ(insisting.number(out::kSubStatus), 1024);
}

TEST_F(DirectOperations, SayThatARangeIsGoneOnlyToWhoeverNamesOne) {
  auto client = connect();
  const ParsedAnswer gone =
      client->exchange(on_items(op::kQuery, "POST", {}, "").text(in::kRange, "9").build(R"({"query":"SELECT * FROM c"})"));
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(gone.number(out::kSubStatus), 1002);
  EXPECT_GE(gone.number(out::kLsn), 1);
  // One without is sent to where its key is now, whatever replica it was sent to.
  EXPECT_EQ(client->exchange(create(R"({"id":"x","pk":"a"})")).status, 201);
}

// There are none, and clients are told so as of items: with how far the partition is.
TEST_F(DirectOperations, FindNoConflicts) {
  auto client = connect();
  client->exchange(create(R"({"id":"x","pk":"a"})"));
  const auto frame = [](uint16_t operation, std::string_view method, std::string_view path) {
    FrameBuilder built = signed_frame(kind::kConflict, operation, method, path);
    if (path.ends_with("/x")) built.text(in::kConflict, "x");
    return built.text(in::kPartitionKey, R"(["a"])");
  };
  const std::string feed = "/dbs/db/colls/c/conflicts";
  const ParsedAnswer listed = client->exchange(frame(op::kReadFeed, "GET", feed).build());
  const ParsedAnswer queried = client->exchange(frame(op::kQuery, "POST", feed).build(R"({"query":"SELECT * FROM c"})"));
  for (const ParsedAnswer& answer : {std::cref(listed), std::cref(queried)}) {
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.number(out::kItemCount), 0);
    EXPECT_THAT(answer.payload, HasSubstr(R"("Conflicts":[])"));
    EXPECT_EQ(answer.text(out::kSession), "-1#2");
    EXPECT_EQ(answer.text(out::kRange), "0");
  }
  const ParsedAnswer read = client->exchange(frame(op::kRead, "GET", feed + "/x").build());
  const ParsedAnswer deleted = client->exchange(frame(op::kDelete, "DELETE", feed + "/x").build());
  for (const ParsedAnswer& answer : {std::cref(read), std::cref(deleted)}) {
    EXPECT_EQ(answer.status, 404);
    EXPECT_THAT(answer.payload, HasSubstr("There is no conflict 'x'"));
    EXPECT_EQ(answer.text(out::kSession), "-1#2");
  }
  // Of a range, and of all of them.
  FrameBuilder of_range = signed_frame(kind::kConflict, op::kReadFeed, "GET", feed);
  EXPECT_EQ(client->exchange(of_range.text(in::kRange, "0").build()).text(out::kSession), "-1#2");
  FrameBuilder of_all = signed_frame(kind::kConflict, op::kQuery, "POST", feed);
  EXPECT_EQ(client->exchange(of_all.build(R"({"query":"SELECT * FROM c"})")).status, 200);
  FrameBuilder unsigned_delete(kind::kConflict, op::kDelete);
  unsigned_delete.text(in::kDatabase, "db").text(in::kContainer, "c").text(in::kConflict, "x");
  EXPECT_EQ(client->exchange(unsigned_delete.build()).status, 401);
}

TEST_F(DirectOperations, QueryRangesFromBeforeAnotherPartitionKey) {
  auto client = connect();
  for (int n = 0; n < 20; ++n)
    EXPECT_EQ(client->exchange(create(fmt::format(R"({{"id":"x{}","pk":"a","n":{}}})", n, n))).status, 201);
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  ASSERT_TRUE(reshaper.split("db", "c", "0", "\x05\xC1\xA0"));
  ASSERT_TRUE(reshaper.rekey("db", "c", key_definition({"/n"})));
  int64_t found = 0;
  for (const char* range : {"1", "2"}) {
    const ParsedAnswer answer = client->exchange(
        on_items(op::kQuery, "POST", {}, "").text(in::kRange, range).build(R"({"query":"SELECT VALUE c.id FROM c"})"));
    EXPECT_EQ(answer.status, 200) << answer.payload;
    found += answer.number(out::kItemCount);
  }
  EXPECT_EQ(found, 20);
}

TEST_F(DirectOperations, TellTheSessionOfErrorsToo) {
  auto client = connect();
  client->exchange(create(R"({"id":"x","pk":"a"})"));
  for (const std::string& frame :
       {create(R"({"id":"x","pk":"a"})"), create("no json"), read("y"), create(R"({"id":"y","pk":"b"})")}) {
    const ParsedAnswer answer = client->exchange(frame);
    EXPECT_GE(answer.status, 400);
    EXPECT_EQ(answer.text(out::kSession), "-1#2") << answer.payload;
    EXPECT_EQ(answer.text(out::kRange), "0");
    EXPECT_EQ(answer.number(out::kLsn), 2);
    EXPECT_EQ(answer.has(out::kWrongEverywhere), answer.status == 400);
    EXPECT_THAT(answer.payload, StartsWith("{\"code\":"));
  }
  const ParsedAnswer later = client->exchange(on_items(op::kRead, "GET", "x").text(in::kSession, "0:-1#99").build());
  EXPECT_EQ(later.status, 404);
  EXPECT_EQ(later.number(out::kSubStatus), 1002);
  EXPECT_EQ(later.text(out::kSession), "-1#2");
}

TEST_F(DirectOperations, OfUnknownContainersTellOfTheMetadata) {
  const ParsedAnswer answer =
      connect()->exchange(signed_frame(kind::kItem, op::kRead, "GET", "/dbs/db/colls/none/docs/x").build());
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.number(out::kSubStatus), 1003);
  EXPECT_GE(answer.number(out::kLsn), 1);
  EXPECT_FALSE(answer.has(out::kSession));
}

TEST_F(DirectOperations, WorkByResourceIds) {
  auto client = connect();
  const ParsedAnswer created = client->exchange(create(R"({"id":"x","pk":"a"})"));
  const std::string rid = text_of(created.payload, "_rid");
  std::string standard = rid;
  std::ranges::replace(standard, '-', '/');
  const std::string path =
      "/dbs/" + text_of(served_.send("GET", "/dbs/db").body, "_rid") + "/colls/" + created.text(out::kOwnerRid) + "/docs/" + rid;
  FrameBuilder frame(kind::kItem, op::kRead);
  frame.text(in::kAuthorization, InProcessService::signature(kKey, "GET", path));
  frame.small_text(in::kDate, InProcessService::kNow).bytes(in::kResourceId, *from_base64(standard));
  const ParsedAnswer found = client->exchange(frame.text(in::kPartitionKey, R"(["a"])").build());
  EXPECT_EQ(found.status, 200) << found.payload;
  EXPECT_EQ(found.payload, created.payload);
}

// A client asks two replicas and adds up what they charge.
TEST_F(StrongDirectOperations, ChargeForOneReplica) {
  auto client = connect();
  client->exchange(create(R"({"id":"x","pk":"a"})"));
  EXPECT_EQ(client->exchange(read("x")).real(out::kCharge), 1.0);
  net::HttpRequest request;
  const std::string signature = InProcessService::signature(kKey, "GET", "/dbs/db/colls/c/docs/x");
  request.method = "GET";
  request.path = "/dbs/db/colls/c/docs/x";
  request.headers = {
      {"authorization", signature}, {"x-ms-date", InProcessService::kNow}, {"x-ms-documentdb-partitionkey", R"(["a"])"}};
  net::HttpResponse response;
  bool is_done = false;
  service_.handle(request, response, [&] { is_done = true; });
  EXPECT_TRUE(is_done);
  EXPECT_THAT(std::string(response.header_block()), HasSubstr("x-ms-request-charge: 2\r\n"));
}

// Names come as they are, and clients look sessions up by the names that they know.
TEST_F(DirectOperations, KeepNamesAsTheyAre) {
  make("/dbs/db/colls", R"({"id":"a b%20é+&=","partitionKey":{"paths":["/pk"]}})");
  FrameBuilder frame = signed_frame(kind::kItem, op::kCreate, "POST", "/dbs/db/colls/a%20b%2520%C3%A9%2B%26%3D/docs");
  const ParsedAnswer created = connect()->exchange(frame.text(in::kPartitionKey, R"(["a"])").build(R"({"id":"ü /","pk":"a"})"));
  EXPECT_EQ(created.status, 201) << created.payload;
  EXPECT_EQ(created.text(out::kOwnerName), "dbs/db/colls/a b%20é+&=");
}

}  // namespace partita::cosmos::direct
