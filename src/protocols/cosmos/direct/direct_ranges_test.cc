#include "cluster/reshape/reshaper.h"
#include "protocols/cosmos/direct/direct_fixture.h"

// What clients are told whose map of ranges is old.
namespace partita::cosmos::direct {
namespace {

using testing::HasSubstr;

const std::string kQueryAll = R"({"query":"SELECT VALUE c.id FROM c"})";

class DirectRanges : public DirectTest {
 protected:
  static constexpr int kDocuments = 24;

  DirectRanges() {
    for (int n = 0; n < kDocuments; ++n) add(fmt::format("key {}", n));
  }

  void add(const std::string& key) {
    make("/dbs/db/colls/c/docs", fmt::format(R"({{"id":"x","pk":"{}"}})", key), fmt::format(R"(["{}"])", key));
  }
  std::shared_ptr<const Container> container() { return account_.catalog->container("db", "c").value(); }
  const PartitionPlace& place(std::string_view range) { return *container()->find_place(range); }
  // Halves of "0" at the hash 20, named "1" and "2", with different positions, of which none is the metadata's.
  void split() {
    ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
    for (int n = 0; lsn("2") < lsn("1") + 5; ++n) {
      const std::string key = fmt::format("more {}", n);
      if (range_of_key(key) == "2") add(key);
    }
    ASSERT_NE(static_cast<uint64_t>(lsn("1")), account_.catalog->version());
    ASSERT_NE(static_cast<uint64_t>(lsn("2")), account_.catalog->version());
  }
  std::string range_of_key(const std::string& key) {
    auto client = connect();
    FrameBuilder frame = on_items(op::kRead, "GET", "none", fmt::format(R"(["{}"])", key));
    return client->exchange(frame.build()).text(out::kRange);
  }
  int64_t lsn(std::string_view range) { return static_cast<int64_t>(place(range).partition->durable_lsn().value); }

  static FrameBuilder query(std::string_view range) { return on_items(op::kQuery, "POST", {}, "").text(in::kRange, range); }
  static FrameBuilder barrier(std::string_view range) {
    return signed_frame(kind::kContainer, op::kHead, "HEAD", "/dbs/db/colls/c").text(in::kRange, range);
  }
  void expect_position(const ParsedAnswer& answer, std::string_view range) {
    EXPECT_EQ(answer.text(out::kRange), range) << answer.payload;
    EXPECT_EQ(answer.text(out::kSession), fmt::format("-1#{}", lsn(range)));
    EXPECT_EQ(answer.number(out::kLsn), lsn(range));
    EXPECT_EQ(answer.number(out::kLocalLsn), lsn(range));
  }

  Reshaper reshaper_{*account_.store, *account_.catalog, account_.clock, {}};
};

// Of an answer that some handler has given.
int64_t sub_status_told(const Service& service, const FrameBuilder& frame, int status, std::string_view sub_status) {
  net::HttpResponse response;
  response.status = status;
  response.header(header::kSubStatus, sub_status);
  return told(service, frame, response).number(out::kSubStatus);
}

}  // namespace

TEST_F(DirectRanges, ThatWereSplitGoOnWithTheSequenceOfTheirFirstPart) {
  split();
  auto client = connect();
  const ParsedAnswer gone = client->exchange(query("0").build(kQueryAll));
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(gone.number(out::kSubStatus), 1002);
  expect_position(gone, "1");
  const ParsedAnswer head = client->exchange(barrier("0").build());
  EXPECT_EQ(head.status, 200);
  expect_position(head, "1");
  const std::string rid = container()->rid();
  expect_position(client->exchange(barrier(rid + ",0").build()), "1");
}

TEST_F(DirectRanges, ThatWereMergedGoOnWithTheSequenceOfTheWhole) {
  split();
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  auto client = connect();
  for (const char* range : {"0", "1", "2"}) {
    const ParsedAnswer head = client->exchange(barrier(range).build());
    EXPECT_EQ(head.status, 200);
    expect_position(head, "3");
    const ParsedAnswer wrong = client->exchange(query(range).build("no query"));
    EXPECT_EQ(wrong.status, 400);
    expect_position(wrong, "3");
  }
  const ParsedAnswer served = client->exchange(query("1").build(kQueryAll));
  EXPECT_EQ(served.status, 200);
  expect_position(served, "3");
  const ParsedAnswer changes = client->exchange(
      on_items(op::kReadFeed, "GET", {}, "").text(in::kRange, "2").text(in::kChanges, "Incremental Feed").build());
  EXPECT_EQ(changes.status, 200);
  expect_position(changes, "3");
}

// Without the session's token Java would ask all replicas, and then its program would be told 404/1002.
TEST_F(DirectRanges, ThatAreGoneAreThrottledWithTheirSession) {
  split();
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  Meter& meter = place("3").partition->local().meter();
  meter.budget().set_rate(400);
  meter.charge(400 + 100);
  auto client = connect();
  for (const char* range : {"0", "1", "2", "3"}) {
    const ParsedAnswer refused =
        client->exchange(query(range).text(in::kStartHash, "").text(in::kEndHash, "10").build(kQueryAll));
    EXPECT_EQ(refused.status, 429) << refused.payload;
    EXPECT_GT(refused.number(out::kRetryAfter), 0);
    expect_position(refused, "3");
  }
}

TEST_F(DirectRanges, ThatAreNarrowedGoOnWhereTheirHashesAre) {
  split();
  auto client = connect();
  const auto narrowed = [&](FrameBuilder frame, std::string_view begin, std::string_view end) {
    return client->exchange(frame.bytes(in::kStartHash, begin).bytes(in::kEndHash, end).build());
  };
  expect_position(narrowed(barrier("0"), "20", "FF"), "2");
  expect_position(narrowed(barrier("0"), "", "20"), "1");
  expect_position(narrowed(barrier("0"), "FF", "FF"), "1");  // no hashes at all
  expect_position(narrowed(barrier("1"), "30", "FF"), "1");  // a range of now has one sequence
  const FrameBuilder of_all = signed_frame(kind::kContainer, op::kHead, "HEAD", "/dbs/db/colls/c");
  expect_position(narrowed(of_all, "30", "FF"), "2");
}

// The metadata's number would be taken for one of a partition.
TEST_F(DirectRanges, ThatNobodyKnowsHaveNoBarrier) {
  const ParsedAnswer answer = connect()->exchange(barrier("9").build());
  EXPECT_EQ(answer.status, 410);
  EXPECT_EQ(answer.number(out::kSubStatus), 1002);
  EXPECT_THAT(answer.payload, HasSubstr(R"({"code":"Gone")"));
  EXPECT_FALSE(answer.has(out::kSession));
}

TEST_F(DirectRanges, AreNotLookedAtWhereThereIsAKey) {
  split();
  auto client = connect();
  const auto with_key = [&](uint16_t operation, std::string_view method, std::string_view of_range) {
    return on_items(operation, method, {}, R"(["key 1"])").text(in::kRange, of_range);
  };
  for (const char* of_range : {"0", "1", "2"}) {
    const ParsedAnswer queried = client->exchange(with_key(op::kQuery, "POST", of_range).build(kQueryAll));
    EXPECT_EQ(queried.status, 200) << queried.payload;
    EXPECT_THAT(queried.payload, HasSubstr(R"("Documents":["x"])"));
    expect_position(queried, range_of_key("key 1"));
    const ParsedAnswer listed = client->exchange(with_key(op::kReadFeed, "GET", of_range).build());
    EXPECT_EQ(listed.number(out::kItemCount), 1);
  }
}

// Programs would be told of the first, which clients only mend where a range was asked. They do mend the second everywhere.
TEST_F(DirectRanges, AreGoneForNobodyWhoNamesAKey) {
  auto client = connect();
  const ParsedAnswer unknown =
      client->exchange(on_items(op::kQuery, "POST", {}, R"(["key 1"])").text(in::kRange, "9").build(kQueryAll));
  EXPECT_EQ(unknown.status, 410);
  EXPECT_EQ(unknown.number(out::kSubStatus), 1007);
  expect_position(unknown, "0");

  const auto sub_status = [&](const FrameBuilder& frame) { return sub_status_told(service_, frame, 410, "1002"); };
  EXPECT_EQ(sub_status(on_items(op::kCreate, "POST")), 1007);
  EXPECT_EQ(sub_status(on_items(op::kRead, "GET", "x")), 1007);
  EXPECT_EQ(sub_status(on_items(op::kQuery, "POST")), 1007);
  EXPECT_EQ(sub_status(on_items(op::kBatch, "POST").text(in::kRange, "0")), 1007);
  EXPECT_EQ(sub_status(on_items(op::kQuery, "POST", {}, "")), 1007);
  EXPECT_EQ(sub_status(query("0")), 1002);
  EXPECT_EQ(sub_status(on_items(op::kBatch, "POST", {}, "").text(in::kRange, "0")), 1002);
  EXPECT_EQ(sub_status_told(service_, query("0"), 410, "1000"), 1000);
  EXPECT_EQ(sub_status_told(service_, on_items(op::kRead, "GET", "x"), 404, "1002"), 1002);
}

}  // namespace partita::cosmos::direct
