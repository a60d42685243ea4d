#include "gateway/feeds/change_feed.h"

#include "cluster/reshape/reshaper.h"
#include "cluster/test_account.h"
#include "gateway/items/batches.h"
#include "gateway/items/items.h"
#include "gateway/items/reclaimer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <set>
#include <thread>

namespace partita {
namespace {

class ChangeFeedTest : public testing::Test {
 protected:
  template <typename Outcome, typename Call>
  static Result<Outcome> wait(Call call) {
    std::promise<Result<Outcome>> outcome;
    call([&](Result<Outcome> result) { outcome.set_value(std::move(result)); });
    return outcome.get_future().get();
  }
  void upsert(std::string_view key, std::string_view id, int n = 0) {
    const std::string json = fmt::format(R"({{"id":"{}","pk":"{}","n":{}}})", id, key, n);
    ASSERT_TRUE(wait<ItemOutcome>(
        [&](Items::Callback callback) { items_.upsert(container_, json, std::nullopt, {}, std::move(callback)); }));
  }
  void erase(std::string_view key, std::string_view id) {
    const ItemName name{.id = id, .number = std::nullopt, .key = PartitionKey{{std::string(key)}}};
    ASSERT_TRUE(wait<ItemOutcome>([&](Items::Callback callback) { items_.erase(container_, name, {}, std::move(callback)); }));
  }
  ChangePage read(const ChangeFeedRequest& request) {
    Result<ChangePage> page = wait<ChangePage>([&](auto callback) { read_changes(container_, request, std::move(callback)); });
    EXPECT_TRUE(page);
    return *std::move(page);
  }
  std::string error(const ChangeFeedRequest& request) {
    return wait<ChangePage>([&](auto callback) { read_changes(container_, request, std::move(callback)); }).error().message;
  }
  ChangePage read_from(const ChangePosition& position) {
    ChangeFeedRequest request;
    request.from = position;
    return read(request);
  }
  static std::string ids(const ChangePage& page) {
    std::string out;
    for (const Item& item : page.items) out += fmt::format("{}{}", out.empty() ? "" : " ", item.id());
    return out;
  }

  static ChangeFeedRequest all_versions_now() {
    ChangeFeedRequest request;
    request.mode = ChangeFeedMode::kAllVersions;
    request.starts_now = true;
    return request;
  }
  static ChangeFeedRequest all_versions_from(const ChangePosition& position) {
    ChangeFeedRequest request;
    request.mode = ChangeFeedMode::kAllVersions;
    request.from = position;
    return request;
  }
  static std::string told(const ItemVersion& version) {
    const char* const kind = version.has_expired()                      ? "expired"
                             : version.kind() == VersionKind::kErased   ? "erased"
                             : version.kind() == VersionKind::kReplaced ? "replaced"
                                                                        : "created";
    return fmt::format("{} {} {}", kind, version.document().find("id").string(),
                       version.document().find("n").integer().value_or(-1));
  }
  static std::string versions(const ChangePage& page) {
    std::string out;
    for (const ChangeVersion& change : page.versions) out += (out.empty() ? "" : ", ") + told(change.version);
    return out;
  }
  std::shared_ptr<const Container> replaced_with(std::string_view properties) {
    return account_.catalog
        ->replace_container("db", container_->definition.id,
                            container_definition(container_->definition.id, {"/pk"}, "{}", properties), {})
        .value();
  }
  void split() {
    Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
    const Result<ReshapeReport> report =
        reshaper.split("db", container_->definition.id, container_->places[0].range_id, std::nullopt);
    ASSERT_TRUE(report) << report.error().message;
    container_ = account_.catalog->container("db", container_->definition.id).value();
    ASSERT_EQ(container_->places.size(), 2u);
  }

  TestAccount account_{Durability::kSynced};
  Items items_{account_.clock, account_.documents, account_.random};
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
};

}  // namespace

TEST_F(ChangeFeedTest, GivesEachDocumentOnceInTheOrderOfItsLastWrite) {
  upsert("p", "a");
  upsert("q", "b");
  upsert("p", "c");
  upsert("p", "a", 1);
  erase("q", "b");
  const ChangePage page = read({});
  EXPECT_EQ(ids(page), "c a");
  EXPECT_EQ(page.items[1].document().find("n").integer(), 1);
  EXPECT_FALSE(page.has_more);
  EXPECT_EQ(ids(read_from(page.next)), "");
  upsert("p", "c", 2);
  EXPECT_EQ(ids(read_from(page.next)), "c");
}

TEST_F(ChangeFeedTest, PagesGoOnWhereTheLastOneEnded) {
  for (int i = 0; i < 10; ++i) upsert("p", fmt::format("{}", i));
  ChangeFeedRequest request;
  request.items_max = 4;
  std::string all;
  for (int pages = 0; pages < 3; ++pages) {
    const ChangePage page = read(request);
    all += ids(page) + (page.has_more ? " | " : ".");
    request.from = page.next;
  }
  EXPECT_EQ(all, "0 1 2 3 | 4 5 6 7 | 8 9.");
}

TEST_F(ChangeFeedTest, ATransactionComesOnOnePage) {
  std::vector<BatchStep> steps;
  std::vector<std::string> bodies;
  for (int i = 0; i < 5; ++i) bodies.push_back(fmt::format(R"({{"id":"{}","pk":"p"}})", i));
  for (const std::string& body : bodies) {
    BatchStep& step = steps.emplace_back();
    step.operation.verb = ItemVerb::kCreate;
    step.operation.body = body;
  }
  upsert("p", "first");
  ASSERT_TRUE(wait<BatchOutcome>([&](BatchCallback callback) {
    run_batch(items_, container_, PartitionKey{{std::string("p")}}, std::move(steps), std::move(callback));
  }));
  upsert("p", "last");
  ChangeFeedRequest request;
  request.items_max = 2;
  const ChangePage page = read(request);
  EXPECT_EQ(ids(page), "first 0 1 2 3 4");
  EXPECT_EQ(ids(read_from(page.next)), "last");
}

TEST_F(ChangeFeedTest, StartsNow) {
  upsert("p", "a");
  ChangeFeedRequest request;
  request.starts_now = true;
  const ChangePage page = read(request);
  EXPECT_EQ(ids(page), "");
  upsert("p", "b");
  EXPECT_EQ(ids(read_from(page.next)), "b");
}

TEST_F(ChangeFeedTest, StartsAtATime) {
  const int64_t first = account_.clock.unix_seconds();
  for (int i = 0; i < 50; ++i) {
    upsert("p", fmt::format("{}", i));
    account_.clock.advance_ms(10'000);
  }
  for (const int start : {0, 1, 7, 30, 49, 50}) {
    ChangeFeedRequest request;
    request.since_seconds = first + start * 10;
    const ChangePage page = read(request);
    ASSERT_EQ(page.items.size(), static_cast<size_t>(50 - start));
    if (start < 50) EXPECT_EQ(page.items[0].id(), fmt::format("{}", start));
  }
}

TEST_F(ChangeFeedTest, IsLimitedToAKeyOrARange) {
  container_ = account_.make_container("wide", {"/pk"}, 30'000);
  std::map<std::string, std::string> ids_by_key;
  for (int i = 0; i < 30; ++i) {
    const std::string key = fmt::format("k{}", i % 5);
    upsert(key, fmt::format("{}", i));
    ids_by_key[key] += fmt::format("{}{}", ids_by_key[key].empty() ? "" : " ", i);
  }
  for (const auto& [key, expected] : ids_by_key) {
    ChangeFeedRequest request;
    request.key = PartitionKey{{key}};
    request.range = range_of_prefix(*request.key, container_->definition.partition_key);
    EXPECT_EQ(ids(read(request)), expected);
  }
  size_t found = 0;
  for (const PartitionPlace& place : container_->places) {
    ChangeFeedRequest request;
    request.range = place.range();
    const ChangePage page = read(request);
    EXPECT_TRUE(page.is_of_one_place);
    found += page.items.size();
  }
  EXPECT_EQ(found, 30u);
  const ChangePage all = read({});
  EXPECT_FALSE(all.is_of_one_place);
  EXPECT_EQ(all.items.size(), 30u);
  EXPECT_EQ(ids(read_from(all.next)), "");
}

TEST_F(ChangeFeedTest, GivesAllVersionsAndDeletions) {
  container_ = account_.make_container("kept", {"/pk"}, std::nullopt, "{}", R"({"changeFeedPolicy":{"retentionDuration":1}})");
  upsert("p", "before");
  const ChangePosition now = read(all_versions_now()).next;
  upsert("p", "a", 1);
  upsert("q", "b", 1);
  upsert("p", "a", 2);
  erase("p", "a");
  upsert("p", "a", 3);
  ChangeFeedRequest request = all_versions_from(now);
  const ChangePage page = read(request);
  EXPECT_EQ(versions(page), "created a 1, created b 1, replaced a 2, erased a 2, created a 3");
  EXPECT_EQ(page.versions[2].version.previous(), page.versions[0].version.lsn);
  EXPECT_EQ(page.versions[3].version.previous(), page.versions[2].version.lsn);
  EXPECT_FALSE(page.versions[2].previous);
  EXPECT_EQ(versions(read(all_versions_from(page.next))), "");
  request.key = PartitionKey{{std::string("q")}};
  request.range = range_of_prefix(*request.key, container_->definition.partition_key);
  EXPECT_EQ(versions(read(request)), "created b 1");
  request = all_versions_from(now);
  request.items_max = 2;
  const ChangePage first = read(request);
  EXPECT_EQ(versions(first), "created a 1, created b 1");
  EXPECT_TRUE(first.has_more);
  account_.expect_consistent(*container_);
}

TEST_F(ChangeFeedTest, GivesWhatDocumentsWereBeforeWhereThatIsWanted) {
  container_ = account_.make_container("kept", {"/pk"}, std::nullopt, "{}",
                                       R"({"changeFeedPolicy":{"retentionDuration":1,"previousImages":true}})");
  const ChangePosition now = read(all_versions_now()).next;
  upsert("p", "a", 1);
  upsert("p", "a", 2);
  erase("p", "a");
  const ChangePage page = read(all_versions_from(now));
  ASSERT_EQ(page.versions.size(), 3u);
  EXPECT_FALSE(page.versions[0].previous);
  EXPECT_EQ(page.versions[1].previous->document().find("n").integer(), 1);
  EXPECT_EQ(page.versions[2].previous->document().find("n").integer(), 2);
}

TEST_F(ChangeFeedTest, OneTransactionLeavesOneVersionOfADocument) {
  container_ = account_.make_container("kept", {"/pk"}, std::nullopt, "{}", R"({"changeFeedPolicy":{"retentionDuration":1}})");
  upsert("p", "old", 1);
  const ChangePosition now = read(all_versions_now()).next;
  std::vector<BatchStep> steps(4);
  steps[0].operation = {.verb = ItemVerb::kReplace,
                        .id = "old",
                        .key = {},
                        .body = std::string_view(R"({"id":"new","pk":"p","n":2})"),
                        .if_match = {}};
  steps[1].operation = {.verb = ItemVerb::kCreate,
                        .id = {},
                        .key = {},
                        .body = std::string_view(R"({"id":"brief","pk":"p","n":0})"),
                        .if_match = {}};
  steps[2].operation = {.verb = ItemVerb::kErase, .id = "brief", .key = {}, .body = {}, .if_match = {}};
  steps[3].operation = {.verb = ItemVerb::kReplace,
                        .id = "new",
                        .key = {},
                        .body = std::string_view(R"({"id":"new","pk":"p","n":3})"),
                        .if_match = {}};
  ASSERT_FALSE(wait<BatchOutcome>([&](BatchCallback callback) {
                 run_batch(items_, container_, PartitionKey{{std::string("p")}}, std::move(steps), std::move(callback));
               })->has_failed());
  EXPECT_EQ(versions(read(all_versions_from(now))), "replaced new 3");
  account_.expect_consistent(*container_);
}

TEST_F(ChangeFeedTest, GivesAllVersionsOnlyWhereAllAreKept) {
  EXPECT_NE(error(all_versions_now()).find("must be enabled"), std::string::npos);
  container_ = account_.make_container("kept", {"/pk"}, std::nullopt, "{}", R"({"changeFeedPolicy":{"retentionDuration":1}})");
  ChangeFeedRequest from_beginning;
  from_beginning.mode = ChangeFeedMode::kAllVersions;
  EXPECT_NE(error(from_beginning).find("within the retention period"), std::string::npos);
  const ChangePosition begin = read(all_versions_now()).next;
  upsert("p", "a", 1);
  account_.clock.advance_ms(59'000);
  upsert("p", "a", 2);
  const ChangePosition middle = read(all_versions_from(begin)).next;
  upsert("p", "a", 3);
  account_.clock.advance_ms(2'000);
  Reclaimer reclaimer(*account_.catalog, account_.clock);
  EXPECT_EQ(reclaimer.run_round(), 1u);
  EXPECT_EQ(reclaimer.run_round(), 0u);
  EXPECT_NE(error(all_versions_from(begin)).find("within the retention period"), std::string::npos);
  EXPECT_EQ(versions(read(all_versions_from(middle))), "replaced a 3");
  account_.expect_consistent(*container_);
  // What was not kept is not there later, either.
  EXPECT_GT(container_->places.front().partition->counters().version_bytes, 0u);
  container_ = replaced_with("{}");
  EXPECT_EQ(reclaimer.run_round(), 2u);
  EXPECT_EQ(container_->places.front().partition->counters().version_bytes, 0u);
  upsert("p", "a", 4);
  container_ = replaced_with(R"({"changeFeedPolicy":{"retentionDuration":1}})");
  upsert("p", "a", 5);
  EXPECT_NE(error(all_versions_from(middle)).find("within the retention period"), std::string::npos);
  account_.expect_consistent(*container_);
}

TEST_F(ChangeFeedTest, AllVersionsSayThatADocumentHasExpired) {
  container_ = account_.make_container("kept", {"/pk"}, std::nullopt, "{}",
                                       R"({"defaultTtl":10,"changeFeedPolicy":{"retentionDuration":1}})");
  const ChangePosition now = read(all_versions_now()).next;
  upsert("p", "a", 1);
  upsert("p", "b", 1);
  account_.clock.advance_ms(11'000);
  upsert("p", "a", 2);
  EXPECT_EQ(Reclaimer(*account_.catalog, account_.clock).run_round(), 1u);
  EXPECT_EQ(versions(read(all_versions_from(now))), "created a 1, created b 1, expired a 1, created a 2, expired b 1");
}

TEST_F(ChangeFeedTest, AllVersionsSurviveASplit) {
  container_ = account_.make_container("kept", {"/pk"}, std::nullopt, "{}", R"({"changeFeedPolicy":{"retentionDuration":1}})");
  const ChangePosition now = read(all_versions_now()).next;
  for (int i = 0; i < 20; ++i) upsert(fmt::format("k{}", i), "a", 1);
  for (int i = 0; i < 20; i += 2) erase(fmt::format("k{}", i), "a");
  std::multiset<std::string> before;
  for (const ChangeVersion& change : read(all_versions_from(now)).versions) before.insert(told(change.version));
  split();
  upsert("k1", "a", 2);
  std::multiset<std::string> after;
  for (const ChangeVersion& change : read(all_versions_from(now)).versions) after.insert(told(change.version));
  before.insert("replaced a 2");
  EXPECT_EQ(before.size(), 31u);
  EXPECT_EQ(after, before);
  account_.expect_consistent(*container_);
}

// Documents get their LSNs anew, in an order that has nothing to do with their history: whoever wants that is told that it is
// over.
TEST_F(ChangeFeedTest, AChangeOfThePartitionKeyBeginsAllVersionsAnew) {
  container_ = account_.make_container("kept", {"/pk"}, std::nullopt, "{}", R"({"changeFeedPolicy":{"retentionDuration":1}})");
  const ChangePosition before = read(all_versions_now()).next;
  for (int i = 0; i < 5; ++i) upsert("p", fmt::format("d{}", i), i);
  EXPECT_EQ(read(all_versions_from(before)).versions.size(), 5u);
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  ASSERT_TRUE(reshaper.rekey("db", "kept", key_definition({"/id"})));
  container_ = account_.catalog->container("db", "kept").value();
  EXPECT_NE(error(all_versions_from(before)).find("within the retention period"), std::string::npos);
  const ChangePosition after = read(all_versions_now()).next;
  upsert("p", "d0", 9);
  EXPECT_EQ(versions(read(all_versions_from(after))), "replaced d0 9");
  account_.expect_consistent(*container_);
}

// A reader that follows the feed while others write misses nothing.
TEST_F(ChangeFeedTest, AFollowerSeesEveryDocument) {
  constexpr int kWriters = 4;
  constexpr int kDocuments = 50;
  std::vector<std::jthread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([this, w] {
      for (int i = 0; i < kDocuments; ++i) upsert(fmt::format("k{}", w), fmt::format("{}-{}", w, i));
    });
  }
  std::set<std::string> seen;
  ChangeFeedRequest request;
  request.items_max = 7;
  while (seen.size() < static_cast<size_t>(kWriters * kDocuments)) {
    const ChangePage page = read(request);
    EXPECT_TRUE(page.place->partition->is_durable(page.lsn));
    for (const Item& item : page.items) EXPECT_TRUE(seen.emplace(item.id()).second) << item.id();
    request.from = page.next;
  }
}

TEST(ChangePosition, ChildrenGoOnFromTheirParents) {
  ChangePosition position{.everywhere = Lsn{3}, .by_range = {{"0", Lsn{10}}, {"1", Lsn{20}}}};
  const PartitionPlace child{.range_id = "3", .parents = {"0", "1"}, .partition = nullptr};
  const PartitionPlace stranger{.range_id = "4", .parents = {"2"}, .partition = nullptr};
  EXPECT_EQ(position.of(child), Lsn{10});
  EXPECT_EQ(position.of(stranger), Lsn{3});
  position.note(child, Lsn{30});
  EXPECT_EQ(position.of(child), Lsn{30});
}

}  // namespace partita
