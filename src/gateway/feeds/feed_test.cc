#include "gateway/feeds/feed.h"

#include "cluster/test_account.h"
#include "gateway/items/items.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <numeric>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

constexpr int kDocuments = 60;

class FeedTest : public testing::Test {
 protected:
  using Ptr = std::shared_ptr<const Container>;

  void create(const Ptr& container, std::string_view json) {
    std::promise<bool> is_done;
    items_.create(container, json, std::nullopt, [&](Result<ItemOutcome> outcome) { is_done.set_value(outcome.has_value()); });
    ASSERT_TRUE(is_done.get_future().get()) << json;
  }
  // Documents 0 to kDocuments - 1, each in a logical partition of its own.
  Ptr filled(std::string_view id, int64_t throughput) {
    Ptr container = account_.make_container(id, {"/pk"}, throughput);
    for (int i = 0; i < kDocuments; ++i) create(container, fmt::format(R"({{"id":"{0}","pk":"{0}"}})", i));
    return container;
  }
  static FeedPage page(const Ptr& container, const FeedRequest& request) {
    std::promise<Result<FeedPage>> outcome;
    read_feed(container, request, [&](Result<FeedPage> result) { outcome.set_value(std::move(result)); });
    Result<FeedPage> result = outcome.get_future().get();
    EXPECT_TRUE(result);
    return *std::move(result);
  }
  static std::vector<std::string> ids(const FeedPage& page) {
    std::vector<std::string> ids;
    for (const Item& item : page.items) ids.emplace_back(item.id());
    return ids;
  }
  // Reads to the end; each page is read from the next container of the list.
  static std::vector<std::string> read_all(const std::vector<Ptr>& containers, FeedRequest request) {
    std::vector<std::string> all;
    for (size_t turn = 0; turn < 1000; ++turn) {
      const FeedPage next = page(containers[turn % containers.size()], request);
      EXPECT_LE(next.items.size(), request.items_max);
      std::ranges::move(ids(next), std::back_inserter(all));
      if (!next.next) return all;
      request.from = next.next;
    }
    ADD_FAILURE() << "no end";
    return all;
  }
  static std::vector<std::string> every_id() {
    std::vector<std::string> all;
    for (int i = 0; i < kDocuments; ++i) all.push_back(std::to_string(i));
    return all;
  }
  static FeedRequest request(size_t items_max) {
    FeedRequest request;
    request.items_max = items_max;
    return request;
  }
  static FeedRequest request_for_key(std::string_view json, const Container& container, size_t items_max = 100) {
    FeedRequest asked = request(items_max);
    asked.key = *PartitionKey::parse(json);
    asked.range = range_of_prefix(*asked.key, container.definition.partition_key);
    return asked;
  }

  TestAccount account_;
  Items items_{account_.clock, account_.documents, account_.random};
};

}  // namespace

TEST_F(FeedTest, OfAnEmptyContainerIsOnePage) {
  const FeedPage only = page(account_.make_container("c", {"/pk"}, 25'000), request(10));
  EXPECT_THAT(only.items, IsEmpty());
  EXPECT_FALSE(only.next);
}

TEST_F(FeedTest, GivesDocumentsInTheOrderOfInsertion) {
  const Ptr container = filled("c", 400);
  const FeedPage first = page(container, request(3));
  EXPECT_THAT(ids(first), ElementsAre("0", "1", "2"));
  ASSERT_TRUE(first.next);
  EXPECT_GT(first.charge, 1);
  EXPECT_EQ(read_all({container}, request(7)), every_id());
  EXPECT_EQ(ids(page(container, request(kDocuments))), every_id());
}

TEST_F(FeedTest, APageThatEndsWithTheLastDocumentIsTheLast) { EXPECT_FALSE(page(filled("c", 400), request(kDocuments)).next); }

TEST_F(FeedTest, GivesEveryDocumentOnceOverSeveralPartitions) {
  const Ptr container = filled("c", 35'000);
  ASSERT_EQ(container->places.size(), 4u);
  std::vector<std::string> expected;
  for (const PartitionPlace& place : container->places) {
    FeedRequest one = request(1000);
    one.range = place.range();
    const std::vector<std::string> part = ids(page(container, one));
    EXPECT_EQ(part.size(), place.partition->counters().documents);
    EXPECT_TRUE(std::ranges::is_sorted(part, {}, [](const std::string& id) { return std::stoi(id); }));
    expected.insert(expected.end(), part.begin(), part.end());
  }
  for (size_t items_max : {1u, 2u, 7u, 59u, 60u, 100u})
    EXPECT_EQ(read_all({container}, request(items_max)), expected) << items_max;
  EXPECT_THAT(expected, UnorderedElementsAreArray(every_id()));
}

// The same documents with the same numbers in containers that have one to four partitions: a reader who finds another map for
// every page is one whose container is split and merged all the time.
TEST_F(FeedTest, PositionsSurviveSplitsAndMerges) {
  const std::vector<Ptr> maps = {filled("one", 400), filled("two", 20'000), filled("three", 25'000), filled("four", 35'000)};
  std::vector<size_t> order = {0, 1, 2, 3};
  do {
    const std::vector<Ptr> turns = {maps[order[0]], maps[order[1]], maps[order[2]], maps[order[3]]};
    for (size_t items_max : {1u, 7u, 13u, 100u}) {
      for (const bool ends_with_partition : {false, true}) {
        FeedRequest asked = request(items_max);
        asked.ends_with_partition = ends_with_partition;
        std::vector<std::string> all = read_all(turns, asked);
        std::ranges::sort(all, {}, [](const std::string& id) { return std::stoi(id); });
        EXPECT_EQ(all, every_id()) << fmt::format("maps {} {} {} {}, pages of {}", order[0], order[1], order[2], order[3],
                                                  items_max);
      }
    }
  } while (std::ranges::next_permutation(order).found);
}

TEST_F(FeedTest, EndsAPageWithItsPartitionIfAsked) {
  const Ptr container = filled("c", 35'000);
  const std::vector<std::string> expected = read_all({container}, request(1000));
  FeedRequest asked = request(7);
  asked.ends_with_partition = true;
  EXPECT_EQ(read_all({container}, asked), expected);
  asked.items_max = 1000;
  for (const PartitionPlace& place : container->places) {
    const FeedPage next = page(container, asked);
    EXPECT_EQ(next.place, &place);
    EXPECT_EQ(next.items.size(), place.partition->counters().documents);
    EXPECT_EQ(next.next.has_value(), &place != &container->places.back());
    asked.from = next.next;
  }
}

TEST_F(FeedTest, APageOfAPartitionWithoutDocumentsIsEmpty) {
  const Ptr container = account_.make_container("c", {"/pk"}, 35'000);
  create(container, R"({"id":"a","pk":"a"})");
  FeedRequest asked = request(10);
  asked.ends_with_partition = true;
  size_t pages = 1;
  size_t documents = 0;
  for (FeedPage next = page(container, asked);; next = page(container, asked), ++pages) {
    documents += next.items.size();
    if (!next.next) break;
    asked.from = next.next;
  }
  EXPECT_EQ(pages, container->places.size());
  EXPECT_EQ(documents, 1U);
}

TEST_F(FeedTest, KeepsToARangeOfHashes) {
  const Ptr one = filled("one", 400);
  const Ptr three = filled("three", 25'000);
  std::vector<std::string> all;
  for (const PartitionPlace& place : three->places) {
    FeedRequest part = request(4);
    part.range = place.range();
    const std::vector<std::string> from_three = read_all({three}, part);
    EXPECT_EQ(read_all({one}, part), from_three);
    std::ranges::copy(from_three, std::back_inserter(all));
  }
  EXPECT_THAT(all, UnorderedElementsAreArray(every_id()));
  FeedRequest nothing = request(4);
  nothing.range = {std::string("\x10", 1), std::string("\x10", 1)};
  EXPECT_THAT(read_all({three}, nothing), IsEmpty());
}

TEST_F(FeedTest, OfOneKeyReadsOnlyIt) {
  const Ptr container = account_.make_container("c", {"/pk"}, 25'000);
  const std::vector<std::string> keys = {R"("a")", R"("b")", "1", "true", "null", "0"};
  for (int i = 0; i < 60; ++i)
    create(container, fmt::format(R"({{"id":"{}","pk":{}}})", i, keys[static_cast<size_t>(i) % keys.size()]));
  create(container, R"({"id":"minus zero","pk":-0.0})");
  create(container, R"({"id":"undefined"})");
  create(container, R"({"id":"array","pk":["a"]})");
  const auto of_key = [&](std::string_view key) { return read_all({container}, request_for_key(key, *container, 4)); };
  EXPECT_THAT(of_key(R"(["a"])"), ElementsAre("0", "6", "12", "18", "24", "30", "36", "42", "48", "54"));
  EXPECT_EQ(of_key("[1]").size(), 10u);
  EXPECT_EQ(of_key("[true]").size(), 10u);
  EXPECT_EQ(of_key("[null]").size(), 10u);
  EXPECT_EQ(of_key("[0]").size(), 11u);
  EXPECT_EQ(of_key("[0]").back(), "minus zero");
  EXPECT_THAT(of_key("[{}]"), ElementsAre("undefined", "array"));
  EXPECT_THAT(of_key(R"(["none"])"), IsEmpty());
}

TEST_F(FeedTest, OfALongKeyIsNotMistakenForAnother) {
  const Ptr container = account_.make_container("c", {"/pk"});
  const std::string start(1500, 'x');
  create(container, fmt::format(R"({{"id":"1","pk":"{}a"}})", start));
  create(container, fmt::format(R"({{"id":"2","pk":"{}b"}})", start));
  EXPECT_THAT(read_all({container}, request_for_key(fmt::format(R"(["{}b"])", start), *container)), ElementsAre("2"));
}

TEST_F(FeedTest, OfAPrefixReadsAllKeysBelowIt) {
  const Ptr container = account_.make_container("c", {"/a", "/b"}, 25'000);
  for (int i = 0; i < 40; ++i)
    create(container, fmt::format(R"({{"id":"{}","a":"{}","b":{}}})", i, i % 2 == 0 ? "even" : "odd", i / 4));
  create(container, R"({"id":"x","a":"even"})");
  EXPECT_EQ(read_all({container}, request_for_key(R"(["even"])", *container, 3)).size(), 21u);
  EXPECT_EQ(read_all({container}, request_for_key(R"(["odd"])", *container, 3)).size(), 20u);
  EXPECT_THAT(read_all({container}, request_for_key(R"(["odd",0])", *container, 3)), ElementsAre("1", "3"));
  EXPECT_THAT(read_all({container}, request_for_key(R"(["even",{}])", *container, 3)), ElementsAre("x"));
}

TEST_F(FeedTest, WorksWithoutAnIndex) {
  const Ptr container = account_.make_container("c", {"/pk"}, 25'000, R"({"indexingMode":"none"})");
  for (int i = 0; i < 20; ++i) create(container, fmt::format(R"({{"id":"{}","pk":{}}})", i, i % 2));
  EXPECT_EQ(read_all({container}, request_for_key("[1]", *container, 3)).size(), 10u);
}

TEST_F(FeedTest, OfAContainerWithoutKeyReadsAll) {
  const Ptr container = account_.make_container("c", {});
  for (int i = 0; i < 10; ++i) create(container, fmt::format(R"({{"id":"{}"}})", i));
  EXPECT_EQ(read_all({container}, request(3)).size(), 10u);
}

TEST_F(FeedTest, CutsPagesByBytes) {
  const Ptr container = account_.make_container("c", {"/pk"});
  for (int i = 0; i < 6; ++i) create(container, fmt::format(R"({{"id":"{}","pk":"p","s":"{}"}})", i, std::string(1 << 20, 'x')));
  const FeedPage first = page(container, request(100));
  EXPECT_EQ(first.items.size(), 4u);
  EXPECT_TRUE(first.next);
  EXPECT_EQ(read_all({container}, request(100)).size(), 6u);
}

TEST_F(FeedTest, DocumentsDeletedBetweenPagesAreNotMissedByOthers) {
  const Ptr container = filled("c", 400);
  FeedRequest asked = request(10);
  const FeedPage first = page(container, asked);
  for (int i : {9, 10, 11}) {
    std::promise<void> is_done;
    const std::string id = std::to_string(i);
    items_.erase(container, {.id = id, .number = std::nullopt, .key = PartitionKey{{id}}}, {}, [&](Result<ItemOutcome> outcome) {
      EXPECT_TRUE(outcome);
      is_done.set_value();
    });
    is_done.get_future().wait();
  }
  asked.from = first.next;
  EXPECT_EQ(ids(page(container, asked)).front(), "12");
}

}  // namespace partita
