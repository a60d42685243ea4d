#include "gateway/items/items.h"

#include "cluster/reshape/reshaper.h"
#include "cluster/test_account.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace partita {
namespace {

using testing::HasSubstr;

std::optional<PartitionKey> key(std::string_view json) { return *PartitionKey::parse(json); }

class ItemsTest : public testing::Test {
 protected:
  using Ptr = std::shared_ptr<const Container>;

  template <typename Call>
  static Result<ItemOutcome> wait(Call call) {
    std::promise<Result<ItemOutcome>> outcome;
    call([&](Result<ItemOutcome> result) { outcome.set_value(std::move(result)); });
    return outcome.get_future().get();
  }
  Result<ItemOutcome> create(const Ptr& container, std::string_view json, std::optional<PartitionKey> given = std::nullopt) {
    return wait([&](Items::Callback callback) { items_.create(container, json, given, std::move(callback)); });
  }
  Result<ItemOutcome> upsert(const Ptr& container, std::string_view json, std::string_view if_match = {}) {
    return wait([&](Items::Callback callback) { items_.upsert(container, json, std::nullopt, {if_match}, std::move(callback)); });
  }
  Result<ItemOutcome> replace(const Ptr& container, const ItemName& name, std::string_view json, std::string_view if_match = {}) {
    return wait([&](Items::Callback callback) { items_.replace(container, name, json, {if_match}, std::move(callback)); });
  }
  Result<ItemOutcome> erase(const Ptr& container, const ItemName& name, std::string_view if_match = {}) {
    return wait([&](Items::Callback callback) { items_.erase(container, name, {if_match}, std::move(callback)); });
  }
  Result<ItemOutcome> read(const Ptr& container, const ItemName& name, uint64_t demanded = 0) {
    return wait([&](Items::Callback callback) {
      items_.read(container, name, [&](const PartitionPlace&) { return demanded; }, std::move(callback));
    });
  }
  static ItemName by_id(std::string_view id, std::optional<PartitionKey> given) {
    return {.id = id, .number = std::nullopt, .key = std::move(given)};
  }
  static ItemName by_number(uint64_t number) { return {.id = "the rid", .number = DocumentNumber{number}, .key = std::nullopt}; }

  static std::string text(const Result<ItemOutcome>& outcome) {
    if (!outcome) return fmt::format("{}", name_of(outcome.error().code));
    if (outcome->item.record.empty()) return "empty";
    const Value document = outcome->item.document();
    std::string out;
    for (size_t i = 0; i < document.size() && !document.member(i).key.starts_with('_'); ++i) {
      out += fmt::format("{}{}={}", i == 0 ? "" : " ", document.member(i).key, to_json(document.member(i).value));
    }
    return out;
  }

  TestAccount account_{Durability::kSynced};
  Items items_{account_.clock, account_.documents, account_.random};
};

}  // namespace

TEST_F(ItemsTest, CreatesReadsReplacesAndDeletes) {
  const Ptr container = account_.make_container("c", {"/pk"}, 25'000);
  const Result<ItemOutcome> created = create(container, R"({"id":"a","pk":"p","n":1})");
  EXPECT_EQ(text(created), R"(id="a" pk="p" n=1)");
  EXPECT_TRUE(created->was_created);
  EXPECT_GT(created->charge, 1);
  EXPECT_EQ(created->item.lsn(), created->lsn);
  EXPECT_TRUE(created->place->partition->is_durable(created->lsn));

  const Result<ItemOutcome> found = read(container, by_id("a", key(R"(["p"])")));
  EXPECT_EQ(found->item.record, created->item.record);
  EXPECT_EQ(found->place, created->place);
  EXPECT_DOUBLE_EQ(found->charge, 1);

  account_.clock.advance_ms(5000);
  const Result<ItemOutcome> replaced = replace(container, by_id("a", key(R"(["p"])")), R"({"id":"a","pk":"p","n":2})");
  EXPECT_EQ(text(replaced), R"(id="a" pk="p" n=2)");
  EXPECT_FALSE(replaced->was_created);
  EXPECT_EQ(replaced->item.number, created->item.number);
  EXPECT_NE(replaced->item.etag(), created->item.etag());
  EXPECT_EQ(replaced->item.document().find("_ts").number(), 1'700'000'005);
  EXPECT_EQ(replaced->item.document().find("_rid").string(), created->item.document().find("_rid").string());
  EXPECT_EQ(replaced->lsn.value, created->lsn.value + 1);

  EXPECT_EQ(text(erase(container, by_id("a", key(R"(["p"])")))), "empty");
  EXPECT_EQ(text(read(container, by_id("a", key(R"(["p"])")))), "NotFound");
  EXPECT_EQ(text(erase(container, by_id("a", key(R"(["p"])")))), "NotFound");
  EXPECT_EQ(text(replace(container, by_id("a", key(R"(["p"])")), R"({"id":"a","pk":"p"})")), "NotFound");
  account_.expect_consistent(*container);
}

TEST_F(ItemsTest, AnIdIsFreeUnderEveryPartitionKey) {
  const Ptr container = account_.make_container("c", {"/pk"});
  for (const char* pk : {R"("a")", R"("A")", "1", "1.5", "true", "false", "null", R"("1")", R"("")"}) {
    EXPECT_TRUE(create(container, fmt::format(R"({{"id":"x","pk":{}}})", pk))) << pk;
    EXPECT_EQ(text(create(container, fmt::format(R"({{"id":"x","pk":{}}})", pk))), "AlreadyExists") << pk;
    EXPECT_EQ(text(read(container, by_id("x", key(fmt::format("[{}]", pk))))), fmt::format(R"(id="x" pk={})", pk));
  }
  account_.expect_consistent(*container);
}

TEST_F(ItemsTest, ADocumentWithoutTheKeyHasTheUndefinedOne) {
  const Ptr container = account_.make_container("c", {"/a/b"});
  for (const char* json : {R"({"id":"1"})", R"({"id":"2","a":5})", R"({"id":"3","a":{"b":{}}})", R"({"id":"4","a":{"b":[1]}})"}) {
    EXPECT_TRUE(create(container, json, key("[{}]"))) << json;
  }
  EXPECT_EQ(text(read(container, by_id("1", key("[{}]")))), R"(id="1")");
  EXPECT_EQ(text(read(container, by_id("1", key("[]")))), R"(id="1")") << "how some clients say that there is none";
  EXPECT_EQ(text(read(container, by_id("1", key("[null]")))), "NotFound") << "null is a value";
}

TEST_F(ItemsTest, TheKeyOfTheRequestMustBeTheDocuments) {
  const Ptr container = account_.make_container("c", {"/pk"});
  EXPECT_EQ(text(create(container, R"({"id":"1","pk":"a"})", key(R"(["b"])"))), "PartitionKeyMismatch");
  EXPECT_EQ(text(create(container, R"({"id":"1","pk":"a"})", key("[{}]"))), "PartitionKeyMismatch");
  EXPECT_EQ(text(create(container, R"({"id":"1","pk":"1"})", key("[1]"))), "PartitionKeyMismatch");
  EXPECT_EQ(text(create(container, R"({"id":"1","pk":"a"})", key(R"(["a","b"])"))), "InvalidInput");
  EXPECT_TRUE(create(container, R"({"id":"1","pk":"a"})", key(R"(["a"])")));
  EXPECT_EQ(text(replace(container, by_id("1", key(R"(["a"])")), R"({"id":"1","pk":"b"})")), "PartitionKeyMismatch");
  EXPECT_EQ(text(read(container, by_id("1", key(R"(["b"])")))), "NotFound");
}

TEST_F(ItemsTest, ReadsAndDeletesNeedTheKey) {
  const Ptr container = account_.make_container("c", {"/pk"});
  ASSERT_TRUE(create(container, R"({"id":"1","pk":"a"})"));
  EXPECT_EQ(text(read(container, by_id("1", std::nullopt))), "InvalidInput");
  EXPECT_EQ(text(erase(container, by_id("1", std::nullopt))), "InvalidInput");
  EXPECT_EQ(text(replace(container, by_id("1", std::nullopt), R"({"id":"1","pk":"a"})")), "InvalidInput");
}

TEST_F(ItemsTest, AHierarchicalKeyMustBeWhole) {
  const Ptr container = account_.make_container("c", {"/a", "/b"});
  ASSERT_TRUE(create(container, R"({"id":"1","a":"x","b":"y"})", key(R"(["x","y"])")));
  ASSERT_TRUE(create(container, R"({"id":"2","a":"x"})", key(R"(["x",{}])")));
  EXPECT_EQ(text(read(container, by_id("1", key(R"(["x","y"])")))), R"(id="1" a="x" b="y")");
  EXPECT_EQ(text(read(container, by_id("2", key(R"(["x",{}])")))), R"(id="2" a="x")");
  EXPECT_EQ(text(read(container, by_id("1", key(R"(["x"])")))), "InvalidInput");
  EXPECT_EQ(text(read(container, by_id("1", key(R"(["x","y","z"])")))), "InvalidInput");
  EXPECT_EQ(text(create(container, R"({"id":"3","a":"x","b":"y"})", key(R"(["x"])"))), "InvalidInput");
}

TEST_F(ItemsTest, AContainerWithoutKeyTakesNone) {
  const Ptr container = account_.make_container("c", {});
  ASSERT_TRUE(create(container, R"({"id":"1","pk":"a"})"));
  EXPECT_EQ(text(create(container, R"({"id":"1","pk":"b"})", key("[]"))), "AlreadyExists");
  EXPECT_EQ(text(read(container, by_id("1", std::nullopt))), R"(id="1" pk="a")");
  EXPECT_EQ(text(read(container, by_id("1", key("[]")))), R"(id="1" pk="a")");
  EXPECT_EQ(text(read(container, by_id("1", key("[{}]")))), R"(id="1" pk="a")");
  EXPECT_EQ(text(read(container, by_id("1", key(R"(["a"])")))), "InvalidInput");
}

TEST_F(ItemsTest, UpsertCreatesOrReplaces) {
  const Ptr container = account_.make_container("c", {"/pk"});
  const Result<ItemOutcome> first = upsert(container, R"({"id":"1","pk":"a","n":1})");
  EXPECT_TRUE(first->was_created);
  const Result<ItemOutcome> second = upsert(container, R"({"id":"1","pk":"a","n":2})");
  EXPECT_FALSE(second->was_created);
  EXPECT_EQ(second->item.number, first->item.number);
  EXPECT_EQ(text(upsert(container, R"({"id":"1","pk":"a","n":3})", first->item.etag())), "PreconditionFailed");
  EXPECT_EQ(text(upsert(container, R"({"id":"1","pk":"a","n":3})", second->item.etag())), R"(id="1" pk="a" n=3)");
  account_.expect_consistent(*container);
}

TEST_F(ItemsTest, IfMatchGuardsReplaceAndDelete) {
  const Ptr container = account_.make_container("c", {"/pk"});
  const ItemName name = by_id("1", key(R"(["a"])"));
  const std::string old_etag(create(container, R"({"id":"1","pk":"a"})")->item.etag());
  const Result<ItemOutcome> replaced = replace(container, name, R"({"id":"1","pk":"a","n":1})", old_etag);
  ASSERT_TRUE(replaced);
  EXPECT_EQ(text(replace(container, name, R"({"id":"1","pk":"a","n":2})", old_etag)), "PreconditionFailed");
  EXPECT_EQ(text(erase(container, name, old_etag)), "PreconditionFailed");
  EXPECT_EQ(text(read(container, name)), R"(id="1" pk="a" n=1)");
  EXPECT_EQ(text(replace(container, name, R"({"id":"1","pk":"a","n":3})", "*")), R"(id="1" pk="a" n=3)");
  EXPECT_EQ(text(erase(container, name, "*")), "empty");
}

TEST_F(ItemsTest, ADocumentKeepsItsNumberWhenItsIdChanges) {
  const Ptr container = account_.make_container("c", {"/pk"});
  const Result<ItemOutcome> created = create(container, R"({"id":"old","pk":"a","n":1})");
  ASSERT_TRUE(create(container, R"({"id":"taken","pk":"a"})"));
  const ItemName name = by_id("old", key(R"(["a"])"));
  EXPECT_EQ(text(replace(container, name, R"({"id":"taken","pk":"a"})")), "AlreadyExists");
  const Result<ItemOutcome> renamed = replace(container, name, R"({"id":"new","pk":"a","n":2})");
  EXPECT_EQ(text(renamed), R"(id="new" pk="a" n=2)");
  EXPECT_EQ(renamed->item.number, created->item.number);
  EXPECT_EQ(text(read(container, name)), "NotFound");
  EXPECT_EQ(text(read(container, by_id("new", key(R"(["a"])")))), R"(id="new" pk="a" n=2)");
  EXPECT_EQ(text(replace(container, by_id("none", key(R"(["a"])")), R"({"id":"x","pk":"a"})")), "NotFound");
  account_.expect_consistent(*container);
}

TEST_F(ItemsTest, FindsDocumentsByNumberInWhicheverPartition) {
  const Ptr container = account_.make_container("c", {"/pk"}, 25'000);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(create(container, fmt::format(R"({{"id":"{0}","pk":"{0}"}})", i)));
  for (uint64_t number = 1; number <= 20; ++number) EXPECT_EQ(read(container, by_number(number))->item.number.value, number);
  EXPECT_EQ(text(replace(container, by_number(1), R"({"id":"0","pk":"0","n":1})")), R"(id="0" pk="0" n=1)");
  EXPECT_EQ(text(replace(container, by_number(1), R"({"id":"0","pk":"other"})")), "PartitionKeyMismatch");
  EXPECT_EQ(text(erase(container, by_number(1))), "empty");
  EXPECT_EQ(text(read(container, {.id = "the rid", .number = DocumentNumber{1}, .key = key(R"(["0"])")})), "NotFound");
}

TEST_F(ItemsTest, WaitsForNoSessionThatIsAhead) {
  const Ptr container = account_.make_container("c", {"/pk"});
  const ItemName name = by_id("1", key(R"(["a"])"));
  const Result<ItemOutcome> created = create(container, R"({"id":"1","pk":"a"})");
  EXPECT_TRUE(read(container, name, created->lsn.value));
  const Result<ItemOutcome> ahead = read(container, name, created->lsn.value + 1);
  EXPECT_EQ(text(ahead), "SessionNotAvailable");
  EXPECT_THAT(ahead.error().message, HasSubstr(fmt::format("demands LSN {}", created->lsn.value + 1)));
}

TEST_F(ItemsTest, LeavesADocumentThatIsTooLargeForTheThread) {
  const Ptr container = account_.make_container("c", {"/pk"}, 25'000);
  ASSERT_TRUE(create(container, fmt::format(R"({{"id":"a","pk":"p","text":"{}"}})", std::string(1000, 'x'))));
  const auto read_within = [&](size_t bytes_max) {
    return wait([&](Items::Callback callback) {
      const RequestTerms terms{.read_bytes_max = bytes_max};
      items_.read(container, by_id("a", key(R"(["p"])")), [](const PartitionPlace&) { return 0; }, std::move(callback), terms);
    });
  };
  const Result<ItemOutcome> left = read_within(1000);
  ASSERT_TRUE(left);
  EXPECT_TRUE(left->is_left);
  EXPECT_EQ(left->charge, 0);
  EXPECT_EQ(left->container, container);
  EXPECT_TRUE(left->item.record.empty());
  EXPECT_FALSE(read_within(2000)->is_left);
}

// Whoever does not read what he asks for would keep any number of them in memory.
TEST_F(ItemsTest, CountsLargeDocumentsUntilTheyAreAnswered) {
  const Ptr container = account_.make_container("c", {"/pk"}, 25'000);
  constexpr size_t kBytes = 2 * kUncountedReadBytesMax;
  ASSERT_TRUE(create(container, R"({"id":"small","pk":"p"})"));
  ASSERT_TRUE(create(container, fmt::format(R"({{"id":"large","pk":"p","text":"{}"}})", std::string(kBytes, 'x'))));
  FairMemory memory(3 * 2 * kBytes);  // one tenant alone gets three quarters
  const Items items(account_.clock, account_.documents, account_.random, &memory);
  const auto read_again = [&](std::string_view id) {
    return wait([&](Items::Callback callback) {
      items.read(container, by_id(id, key(R"(["p"])")), [](const PartitionPlace&) { return 0; }, std::move(callback));
    });
  };
  std::vector<Result<ItemOutcome>> unanswered;
  unanswered.push_back(read_again("large"));
  unanswered.push_back(read_again("large"));
  EXPECT_TRUE(unanswered[0] && unanswered[1]);
  EXPECT_GE(memory.taken(), 2 * 2 * kBytes);
  const Result<ItemOutcome> refused = read_again("large");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kThrottled);
  EXPECT_TRUE(read_again("small"));
  unanswered.clear();
  EXPECT_EQ(memory.taken(), 0u);
  EXPECT_TRUE(read_again("large"));
}

TEST_F(ItemsTest, RefusesDocumentsThatBreakTheRules) {
  const Ptr container = account_.make_container("c", {"/pk"});
  EXPECT_EQ(text(create(container, R"({"pk":"a"})")), "InvalidInput");
  EXPECT_EQ(text(create(container, "[]")), "InvalidInput");
  EXPECT_EQ(text(create(container, fmt::format(R"({{"id":"1","s":"{}"}})", std::string(3 << 20, 'x')))), "TooLarge");
}

TEST_F(ItemsTest, RefusesWritesToADeletedContainer) {
  const Ptr container = account_.make_container("c", {"/pk"});
  ASSERT_TRUE(create(container, R"({"id":"1","pk":"a"})"));
  ASSERT_TRUE(account_.catalog->delete_container("db", "c"));
  EXPECT_EQ(text(create(container, R"({"id":"2","pk":"a"})")), "OwnerNotFound");
  EXPECT_EQ(text(read(container, by_id("1", key(R"(["a"])")))), "NotFound");
}

// Everybody creates, replaces, reads and deletes the same few documents; what is left is whole.
TEST_F(ItemsTest, ManyThreadsLeaveAConsistentContainer) {
  const Ptr container = account_.make_container("c", {"/pk"}, 25'000);
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        const std::string id = std::to_string((i * 7 + t) % 5);
        const std::string json = fmt::format(R"({{"id":"{0}","pk":"{0}","by":{1},"n":[{2}]}})", id, t, i);
        const ItemName name = by_id(id, PartitionKey{{id}});
        switch ((i + t) % 4) {
          case 0: (void)create(container, json); break;
          case 1: (void)upsert(container, json); break;
          case 2: (void)erase(container, name); break;
          default:
            if (const Result<ItemOutcome> found = read(container, name)) {
              EXPECT_EQ(found->item.id(), id);
              EXPECT_TRUE(found->place->partition->is_durable(found->item.lsn()));
            }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  account_.expect_consistent(*container);
}

TEST(CompleteKey, FollowsTheDefinition) {
  const PartitionKeyDefinition one = key_definition({"/a"});
  const PartitionKeyDefinition two = key_definition({"/a", "/b"});
  EXPECT_EQ(complete_key(key("[1]"), one)->to_json(), "[1]");
  EXPECT_EQ(complete_key(key("[]"), one)->to_json(), "[{}]");
  EXPECT_EQ(complete_key(key("[]"), two)->to_json(), "[{},{}]");
  EXPECT_EQ(complete_key(key(R"(["x",null])"), two)->to_json(), R"(["x",null])");
  EXPECT_FALSE(complete_key(std::nullopt, one));
  EXPECT_FALSE(complete_key(key("[1]"), two));
  EXPECT_FALSE(complete_key(key("[1,2]"), one));
}

// Who holds a map for longer than its partitions are kept gets no wrong answer, but that of the partition which has the document.
TEST_F(ItemsTest, ReadsFromTheHeirWhatAnExpiredLeaseDoesNotShow) {
  const Ptr before = account_.make_container("c", {"/pk"});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(create(before, fmt::format(R"({{"id":"d{0}","pk":"k{0}","n":{0}}})", i)));
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  ASSERT_TRUE(reshaper.split("db", "c", "0"));
  account_.clock.advance_ms(kReaderLeaseUs / 1000);
  ASSERT_TRUE(reshaper.drop_retired());
  ASSERT_EQ(before->places[0].partition->load(DocumentNumber{1}).error().code, ErrorCode::kPartitionGone);
  for (int i = 0; i < 20; ++i) {
    const Result<ItemOutcome> found = read(before, by_id(fmt::format("d{}", i), key(fmt::format(R"(["k{}"])", i))));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_NE(found->container, before);
  }
  EXPECT_TRUE(read(before, by_number(1)));
  EXPECT_EQ(read(before, by_id("none", key(R"(["k1"])"))).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(replace(before, by_id("d1", key(R"(["k1"])")), R"({"id":"d1","pk":"k1","n":2})"));
}

}  // namespace partita
