#include "protocols/cosmos/service_fixture.h"

#include "cluster/reshape/reshaper.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace partita::cosmos {
namespace {

// Partitions that are split and merged under clients who do not know.
class MovedRangesTest : public ServiceTest {
 protected:
  static constexpr int kDocuments = 60;

  MovedRangesTest() {
    account_.make_container("c", {"/pk"});
    for (int n = 0; n < kDocuments; ++n) {
      const std::string pk = fmt::format("key {}", n % 20);
      EXPECT_EQ(send_signed("POST", "/dbs/db/colls/c/docs", {{"x-ms-documentdb-partitionkey", fmt::format(R"(["{}"])", pk)}},
                            fmt::format(R"({{"id":"{:02}","pk":"{}","n":{}}})", n, pk, n * 37 % kDocuments))
                    .status,
                201);
    }
  }

  Answer read_page(std::string_view range_id, std::string_view continuation, const Headers& more = {}) {
    Headers headers{{"x-ms-documentdb-isquery", "true"},
                    {"content-type", "application/query+json"},
                    {"x-ms-documentdb-query-enablecrosspartition", "true"},
                    {"x-ms-max-item-count", "3"},
                    {"x-ms-documentdb-partitionkeyrangeid", std::string(range_id)}};
    if (!continuation.empty()) headers.emplace_back("x-ms-continuation", continuation);
    headers.insert(headers.end(), more.begin(), more.end());
    return send_signed("POST", "/dbs/db/colls/c/docs", headers, R"({"query":"SELECT VALUE c.id FROM c ORDER BY c.n"})");
  }
  // Adds what the page has to what was read; the continuation, which is empty at the end.
  std::string read(std::string_view range_id, std::string_view continuation = {}, const Headers& more = {}) {
    const Answer answer = read_page(range_id, continuation, more);
    EXPECT_EQ(answer.status, 200) << answer.body;
    for (size_t at = answer.body.find("[\"") + 1; at < answer.body.find(']'); at += 5) read_.push_back(answer.body.substr(at, 4));
    return answer.headers.contains("x-ms-continuation") ? answer.headers.at("x-ms-continuation") : "";
  }
  void read_rest(std::string_view range_id, std::string continuation) {
    while (!continuation.empty()) continuation = read(range_id, continuation);
  }
  void expect_all_read_once() {
    std::ranges::sort(read_);
    std::vector<std::string> all;
    for (int n = 0; n < kDocuments; ++n) all.push_back(fmt::format("\"{:02}\"", n));
    EXPECT_EQ(read_, all);
  }

  Reshaper reshaper_{*account_.store, *account_.catalog, account_.clock, {}};
  std::vector<std::string> read_;
};

}  // namespace

// Clients go on, in every partition that overlaps one that is gone, with the continuation they have from it. After a merge and a
// split elsewhere such a partition may have documents that the continuation was never about.
TEST_F(MovedRangesTest, AContinuationStaysWithinWhatItBegan) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  const std::string left = read("1");
  const std::string right = read("2");
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  ASSERT_TRUE(reshaper_.split("db", "c", "3", "\x10"));
  read_rest("4", left);
  read_rest("5", left);
  read_rest("5", right);
  expect_all_read_once();
}

TEST_F(MovedRangesTest, AContinuationIsGoodForARangeThatIsGone) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  const std::string left = read("1");
  const std::string right = read("2");
  ASSERT_TRUE(reshaper_.split("db", "c", "1", "\x10"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "4"));
  read_rest("1", left);
  read_rest("2", right);
  expect_all_read_once();
}

// A client has replaced a range by its halves, each with the continuation of the whole, and the halves are gone, too.
TEST_F(MovedRangesTest, AContinuationIsAboutNoMoreThanTheRangeThatIsGone) {
  const std::string whole = read("0");
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  read_rest("1", whole);
  read_rest("2", whole);
  expect_all_read_once();
}

TEST_F(MovedRangesTest, AChangeFeedGoesOnInARangeThatIsGone) {
  const auto changes = [this](std::string position) {
    Headers headers{{"a-im", "Incremental feed"}, {"x-ms-documentdb-partitionkeyrangeid", "0"}, {"x-ms-max-item-count", "100"}};
    if (!position.empty()) headers.emplace_back("if-none-match", std::move(position));
    return send_signed("GET", "/dbs/db/colls/c/docs", std::move(headers));
  };
  const Answer all = changes("");
  EXPECT_EQ(all.headers.at("x-ms-item-count"), "60");
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  const Answer nothing = changes(all.headers.at("etag"));
  EXPECT_EQ(nothing.status, 304);
  for (const char* pk : {"key 1", "key 2", "key 3"}) {
    const std::string body = fmt::format(R"({{"id":"new","pk":"{}"}})", pk);
    send_signed("POST", "/dbs/db/colls/c/docs", {{"x-ms-documentdb-partitionkey", fmt::format(R"(["{}"])", pk)}}, body);
  }
  EXPECT_EQ(changes(nothing.headers.at("etag")).headers.at("x-ms-item-count"), "3");
  EXPECT_EQ(changes("").headers.at("x-ms-item-count"), "63");
}

TEST_F(MovedRangesTest, ARangeThatWasSplitIsGone) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  const Answer answer = send_signed("GET", "/dbs/db/colls/c/docs", {{"x-ms-documentdb-partitionkeyrangeid", "0"}});
  EXPECT_EQ(answer.status, 410);
  EXPECT_EQ(answer.headers.at("x-ms-substatus"), "1002");
  EXPECT_EQ(read_page("9", "").status, 410);
}

// A client that merges partitions begins with the map that it has kept.
TEST_F(MovedRangesTest, AQueryOfARangeThatWasSplitIsServedInOrder) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_.split("db", "c", "1", "\x10"));
  read_rest("0", read("0"));
  const auto place_of = [](const std::string& id) { return std::stoi(id.substr(1)) * 37 % kDocuments; };
  EXPECT_TRUE(std::ranges::is_sorted(read_, {}, place_of));
  expect_all_read_once();
}

// A client that looked for the partitions which overlap the ones it knows would read some of them twice.
TEST_F(MovedRangesTest, ARangeThatWasMergedIsStillServed) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  read_rest("1", read("1"));
  read_rest("2", read("2"));
  expect_all_read_once();
}

// The partitions have the old edges now, but may have others when the client looks.
TEST_F(MovedRangesTest, ARangeThatWasMergedIsStillServedWhenItsEdgesAreBack) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  ASSERT_TRUE(reshaper_.split("db", "c", "3", "\x20"));
  read_rest("1", read("1"));
  read_rest("2", read("2"));
  expect_all_read_once();
}

// The Java SDK has known the halves of a partition and knows that they were merged, but not yet that they were split again
// elsewhere. Sent away, it would read the new halves as a whole, beside the old one.
TEST_F(MovedRangesTest, ARangeThatIsGoneIsServedToWhoeverSaysWhichHashes) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x20"));
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  ASSERT_TRUE(reshaper_.split("db", "c", "3", "\x10"));
  const Headers left{{"x-ms-start-epk", ""}, {"x-ms-end-epk", "20"}};
  const Headers right{{"x-ms-start-epk", "20"}, {"x-ms-end-epk", "FF"}};
  read_rest("3", read("3", {}, left));
  read_rest("3", read("3", {}, right));
  expect_all_read_once();
}

// Hashes of another version lie elsewhere, so that old and new ranges have hardly an edge in common. Sent away, a client would
// read all ranges that overlap its old ones, and documents in several of them more than once.
TEST_F(MovedRangesTest, RangesFromBeforeAnotherPartitionKeyAreServed) {
  ASSERT_TRUE(reshaper_.split("db", "c", "0", "\x05\xC1\xA0"));
  ASSERT_TRUE(reshaper_.rekey("db", "c", key_definition({"/n"})));
  for (const char* range : {"1", "2"}) read_rest(range, read(range));
  expect_all_read_once();
}

TEST_F(MovedRangesTest, AClosedContainerSaysSo) {
  const Headers key{{"x-ms-documentdb-partitionkey", R"(["key 1"])"}};
  const auto& lineage = account_.catalog->container("db", "c").value()->lineage;
  lineage->set_mode(ContainerMode::kReadOnly);
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/docs/01", key).status, 200);
  EXPECT_EQ(send_signed("DELETE", "/dbs/db/colls/c/docs/01", key).status, 403);
  lineage->set_mode(ContainerMode::kOffline);
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/docs/01", key).status, 503);
  EXPECT_EQ(send_signed("GET", "/dbs/db/colls/c/pkranges").status, 200);
}

TEST_F(MovedRangesTest, AnEmptyRangeHasNoDocuments) {
  const Headers headers{{"x-ms-documentdb-isquery", "true"},
                        {"content-type", "application/query+json"},
                        {"x-ms-documentdb-query-enablecrosspartition", "true"},
                        {"x-ms-start-epk", "FF"},
                        {"x-ms-end-epk", "FFFF"}};
  const Answer answer = send_signed("POST", "/dbs/db/colls/c/docs", headers, R"({"query":"SELECT * FROM c"})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("x-ms-item-count"), "0");
}

}  // namespace partita::cosmos
