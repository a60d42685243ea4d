#include "cluster/reshape/reshaper.h"
#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/items/items.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <thread>
#include <vector>

// What becomes of keys that the server computes when partitions and definitions change.
namespace partita {
namespace {

using testing::HasSubstr;

constexpr std::string_view kByDay =
    R"([{"name":"key","query":"SELECT VALUE CONCAT(c.day, '.', ToString(HASH_BUCKET(c.vin, 9))) FROM c"}])";
constexpr std::string_view kRandom =
    R"([{"name":"key","query":"SELECT VALUE CONCAT(c.day, '.', ToString(RANDOM_BUCKET(9))) FROM c"}])";

class SyntheticKeys : public testing::Test {
 protected:
  using Ptr = std::shared_ptr<const Container>;

  static std::string with(std::string_view computed) { return fmt::format(R"({{"computedProperties":{}}})", computed); }
  Ptr container() { return account_.catalog->container("db", "c").value(); }
  Status create(std::string_view json) {
    std::promise<Status> outcome;
    items_.create(container(), json, std::nullopt, [&](const Result<ItemOutcome>& result) {
      outcome.set_value(result ? Status() : std::unexpected(result.error()));
    });
    return outcome.get_future().get();
  }
  void fill(int count) {
    for (int i = 0; i < count; ++i) {
      const Status created = create(fmt::format(R"({{"id":"d{}","day":"day{}","vin":"vin{}"}})", i, i % 3, i));
      ASSERT_TRUE(created) << created.error().message;
    }
  }
  Result<ReshapeReport> rekey(std::initializer_list<std::string_view> paths, std::string_view computed = {},
                              ContainerMode mode = ContainerMode::kOnline) {
    Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
    const std::string stored = computed.empty() ? std::string() : *stored_from_json(computed);
    return reshaper.rekey("db", "c", key_definition(paths), mode, computed.empty() ? Value() : Value::view(stored));
  }
  // The key that each document has stored; all rows must be consistent with it.
  std::map<std::string, std::string> keys() {
    std::map<std::string, std::string> found;
    const Ptr now = container();
    TestAccount::expect_consistent(*now);
    for (const PartitionPlace& place : now->places) {
      Cursor cursor = place.partition->local().slice().cursor(Family::kItems);
      for (cursor.seek_first(); cursor.valid(); cursor.next()) {
        const Item item = item_from_record(trailing_number(cursor.key()), std::string(cursor.value())).value();
        EXPECT_TRUE(found.emplace(item.id(), to_json(item.document().find("key"))).second) << item.id();
      }
    }
    return found;
  }

  TestAccount account_;
  Items items_{account_.clock, account_.documents, account_.random};
};

}  // namespace

TEST_F(SyntheticKeys, StayThroughSplitsAndRestarts) {
  account_.make_container("c", {"/key"}, 20'000, "{}", with(kRandom));
  fill(60);
  const auto before = keys();
  {
    Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
    ASSERT_TRUE(reshaper.split("db", "c", "0"));
  }
  EXPECT_EQ(keys(), before);
  account_.reopen();
  EXPECT_EQ(keys(), before);
  EXPECT_EQ(container()->places.size(), 3);
  ASSERT_TRUE(create(R"({"id":"new","day":"day1","vin":"v"})"));
  EXPECT_THAT(keys()["new"], HasSubstr("day1."));
  EXPECT_FALSE(create(R"({"id":"wrong","day":"day1","key":"day2.1"})"));
}

TEST_F(SyntheticKeys, AreGivenToDocumentsWhenTheKeyChanges) {
  for (const ContainerMode mode : {ContainerMode::kOnline, ContainerMode::kOffline}) {
    account_.make_container("c", {"/vin"}, 20'000);
    fill(60);
    const Result<ReshapeReport> report = rekey({"/key"}, kByDay, mode);
    ASSERT_TRUE(report) << report.error().message;
    if (mode == ContainerMode::kOffline) EXPECT_EQ(report->verified, 60);
    const auto found = keys();
    ASSERT_EQ(found.size(), 60);
    for (const auto& [id, key] : found) EXPECT_THAT(key, HasSubstr("day"));
    account_.reopen();
    EXPECT_EQ(keys(), found);
    // What is created now would have got the same key.
    ASSERT_TRUE(create(R"({"id":"new","day":"day1","vin":"vin1"})"));
    EXPECT_EQ(keys()["new"], found.at("d1"));
    ASSERT_TRUE(account_.catalog->delete_container("db", "c", {}));
  }
}

TEST_F(SyntheticKeys, AreComputedAnewWhenTheDefinitionChanges) {
  account_.make_container("c", {"/key"}, 20'000, "{}", with(kByDay));
  fill(40);
  const auto before = keys();
  EXPECT_FALSE(rekey({"/key"}));
  EXPECT_FALSE(rekey({"/key"}, kByDay));
  const Result<ReshapeReport> report = rekey({"/key"}, kRandom);
  ASSERT_TRUE(report) << report.error().message;
  const auto after = keys();
  EXPECT_EQ(after.size(), 40);
  EXPECT_NE(after, before);
  ASSERT_TRUE(rekey({"/vin"}));
  EXPECT_EQ(keys(), after);
  EXPECT_EQ(container()->definition.synthetic_key, nullptr);
  EXPECT_EQ(to_json(Value::view(container()->definition.properties)), R"({"computedProperties":[]})");
}

TEST_F(SyntheticKeys, AreRefusedToDocumentsThatHaveAnotherValueThere) {
  account_.make_container("c", {"/vin"});
  ASSERT_TRUE(create(R"({"id":"odd","day":"day1","vin":"v","key":"mine"})"));
  const Result<ReshapeReport> report = rekey({"/key"}, kByDay);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("The document 'odd'"));
  EXPECT_THAT(report.error().message, HasSubstr("mine"));
  EXPECT_EQ(container()->definition.synthetic_key, nullptr);
  EXPECT_FALSE(rekey({"/other"}, kByDay));
}

// While documents are copied, others write: a random value must not be drawn anew for what is brought again.
TEST_F(SyntheticKeys, AreTheSameWhenADocumentIsBroughtAgain) {
  account_.make_container("c", {"/vin"}, 20'000);
  fill(60);
  std::vector<std::string> ids;
  for (int i = 0; i < 60; ++i) ids.push_back(fmt::format("d{}", i));
  std::promise<void> is_begun;
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    is_begun.set_value();
    for (size_t i = 0; !is_over; ++i) {
      const ItemName name{.id = ids[i % 60], .number = std::nullopt, .key = PartitionKey{{fmt::format("vin{}", i % 60)}}};
      const std::string json = fmt::format(R"([{{"op":"set","path":"/n","value":{}}}])", i);
      std::promise<void> is_done;
      items_.patch(container(), name, json, {}, [&](const Result<ItemOutcome>&) { is_done.set_value(); });
      is_done.get_future().get();
    }
  });
  is_begun.get_future().get();
  const Result<ReshapeReport> report = rekey({"/key"}, kRandom);
  is_over = true;
  writer.join();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(keys().size(), 60);
}

}  // namespace partita
