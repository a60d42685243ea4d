#include "protocols/cosmos/service_fixture.h"

#include "cluster/reshape/reshaper.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace partita::cosmos {
namespace {

using testing::HasSubstr;
using testing::Not;

// A request that is not answered yet. At its end, whatever waits is ended.
struct Waiting {
  explicit Waiting(ChangeSubscriptions& all) : changes(all) {}
  ~Waiting() {
    if (!is_answered()) changes.stop();
    done.wait();
  }
  bool is_answered() const { return done.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

  ChangeSubscriptions& changes;
  InProcessService::Headers headers;
  std::atomic<bool> is_abandoned = false;
  net::HttpRequest request;
  net::HttpResponse response;
  std::promise<void> is_done;
  std::future<void> done = is_done.get_future();
};
using WaitingPtr = std::unique_ptr<Waiting>;

// Change feeds that wait, at a time that stands still unless it is moved.
class ChangeWaitTest : public ServiceTest {
 protected:
  static constexpr std::string_view kDocuments = "/dbs/db/colls/c/docs";

  ChangeWaitTest() {
    account_.make_container("c", {"/pk"}, std::nullopt, "{}",
                            R"({"changeFeedPolicy":{"retentionDuration":10,"fullFidelityRetention":10}})");
    write("first", "a");
  }

  void write(std::string_view id, std::string_view pk) {
    const Answer answer = send_signed("POST", kDocuments, {{"x-ms-documentdb-partitionkey", fmt::format(R"(["{}"])", pk)}},
                                      fmt::format(R"({{"id":"{}","pk":"{}"}})", id, pk));
    EXPECT_EQ(answer.status, 201) << answer.body;
  }
  // Signed with the account's key, unless the headers say who asks.
  WaitingPtr begin(Headers headers, std::string_view key = kKey) {
    auto waiting = std::make_unique<Waiting>(served_.changes());
    const auto is_authorization = [](const auto& header) { return header.first == "authorization"; };
    if (std::ranges::none_of(headers, is_authorization)) {
      headers.emplace_back("authorization", signed_by(key, "GET", kDocuments));
      headers.emplace_back("x-ms-date", kNow);
    }
    if (std::ranges::none_of(headers, [](const auto& header) { return header.first == "a-im"; })) {
      headers.emplace_back("a-im", "Incremental feed");
    }
    waiting->headers = std::move(headers);
    waiting->request.method = "GET";
    waiting->request.path = kDocuments;
    for (const auto& [name, value] : waiting->headers) waiting->request.headers.push_back({name, value});
    waiting->request.is_abandoned = &waiting->is_abandoned;
    served_.service().handle(waiting->request, waiting->response, [state = waiting.get()] { state->is_done.set_value(); });
    return waiting;
  }
  // Waits for changes from now on.
  WaitingPtr begin_waiting(Headers headers = {}, std::string_view key = kKey) {
    const size_t before = served_.changes().size();
    headers.emplace_back("if-none-match", "*");
    headers.emplace_back("prefer", "wait=30");
    WaitingPtr waiting = begin(std::move(headers), key);
    until_waiting(before + 1);
    return waiting;
  }
  void until_waiting(size_t count) {
    while (served_.changes().size() != count) std::this_thread::yield();
  }
  // Until it waits again, after it was told of something that was not for it.
  void until_waiting_again() {
    served_.changes().look();
    until_waiting(1);
  }
  Answer answer_of(Waiting& waiting) {
    waiting.done.wait();
    return {waiting.response.status, parse(waiting.response.header_block()), waiting.response.body};
  }
  void pass_ms(int64_t ms) {
    account_.clock.advance_ms(ms);
    served_.changes().look();
  }
  std::string make_token(std::string_view more = "") {
    send_signed("POST", "/dbs/db/users", {}, R"({"id":"u"})");
    send_signed("POST", "/dbs/db/users/u/permissions", {},
                fmt::format(R"({{"id":"p","permissionMode":"Read","resource":"dbs/db/colls/c"{}}})", more));
    return token_of("/dbs/db/users/u/permissions/p");
  }
};

}  // namespace

TEST_F(ChangeWaitTest, AnswersAsSoonAsThereIsAChange) {
  const WaitingPtr waiting = begin_waiting();
  EXPECT_FALSE(waiting->is_answered());
  write("second", "b");
  const Answer answer = answer_of(*waiting);
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(R"("id":"second")"));
  EXPECT_THAT(answer.body, Not(HasSubstr(R"("id":"first")")));
  EXPECT_EQ(answer.headers.at("preference-applied"), "wait=30");
  EXPECT_EQ(answer.headers.at("x-ms-item-count"), "1");
  // It goes on where the answer ends.
  EXPECT_EQ(send_signed("GET", kDocuments, {{"a-im", "Incremental feed"}, {"if-none-match", answer.headers.at("etag")}}).status,
            304);
}

TEST_F(ChangeWaitTest, AnswersAtOnceWhatThereIs) {
  const WaitingPtr waiting = begin({{"prefer", "wait=30"}});
  EXPECT_EQ(answer_of(*waiting).status, 200);
}

TEST_F(ChangeWaitTest, SaysThatNothingHasChangedAtTheEndOfItsTime) {
  const Answer at_once = send_signed("GET", kDocuments, {{"a-im", "Incremental feed"}, {"if-none-match", "*"}});
  const WaitingPtr waiting = begin_waiting();
  pass_ms(29'999);
  EXPECT_FALSE(waiting->is_answered());
  pass_ms(1);
  Answer answer = answer_of(*waiting);
  EXPECT_EQ(answer.status, 304);
  EXPECT_EQ(answer.headers.extract("preference-applied").mapped(), "wait=30");
  answer.headers.erase("x-ms-activity-id");
  std::map<std::string, std::string> expected = at_once.headers;
  expected.erase("x-ms-activity-id");
  EXPECT_EQ(answer.headers, expected) << "waiting is free, and the position is the same";
}

TEST_F(ChangeWaitTest, TakesTheHeaderOfTheService) {
  const WaitingPtr waiting = begin({{"if-none-match", "*"}, {"x-ms-cosmos-max-polling-interval", "1500.5"}});
  until_waiting(1);
  pass_ms(1'499);
  EXPECT_FALSE(waiting->is_answered());
  pass_ms(1);
  const Answer answer = answer_of(*waiting);
  EXPECT_EQ(answer.status, 304);
  EXPECT_FALSE(answer.headers.contains("preference-applied"));
  EXPECT_EQ(answer_of(*begin({{"if-none-match", "*"}, {"x-ms-cosmos-max-polling-interval", "soon"}})).status, 400);
  EXPECT_EQ(answer_of(*begin({{"if-none-match", "*"}, {"x-ms-cosmos-max-polling-interval", "0"}})).status, 304);
}

TEST_F(ChangeWaitTest, NobodyWaitsLongerThanTheLimit) {
  const WaitingPtr waiting = begin({{"if-none-match", "*"}, {"prefer", "wait=86400"}});
  until_waiting(1);
  pass_ms(kChangeWaitMsMax - 1);
  EXPECT_FALSE(waiting->is_answered());
  pass_ms(1);
  EXPECT_EQ(answer_of(*waiting).headers.at("preference-applied"), "wait=60");
}

// Changes of others are looked at, not more often than every so often, and not answered.
TEST_F(ChangeWaitTest, WaitsForItsOwnKey) {
  const WaitingPtr waiting = begin_waiting({{"x-ms-documentdb-partitionkey", R"(["a"])"}});
  write("others", "b");
  until_waiting_again();
  write("more", "b");
  pass_ms(99);
  until_waiting(1);
  pass_ms(1);
  until_waiting(1);
  EXPECT_FALSE(waiting->is_answered());
  write("own", "a");
  pass_ms(100);
  const Answer answer = answer_of(*waiting);
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(R"("id":"own")"));
  EXPECT_THAT(answer.body, Not(HasSubstr(R"("pk":"b")")));
}

TEST_F(ChangeWaitTest, WaitsForAllVersionsAndDeletes) {
  const WaitingPtr waiting = begin_waiting({{"a-im", "Full-Fidelity Feed"}});
  EXPECT_EQ(send_signed("DELETE", "/dbs/db/colls/c/docs/first", {{"x-ms-documentdb-partitionkey", R"(["a"])"}}).status, 204);
  const Answer answer = answer_of(*waiting);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("operationType":"delete")"));
}

TEST_F(ChangeWaitTest, WaitsOnThroughASplitAndAMerge) {
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  const WaitingPtr everything = begin_waiting();
  const WaitingPtr named = begin_waiting({{"x-ms-documentdb-partitionkeyrangeid", "0"}});
  ASSERT_TRUE(reshaper.split("db", "c", "0", "\x20"));
  served_.changes().look();
  until_waiting(2);
  EXPECT_FALSE(everything->is_answered());
  ASSERT_TRUE(reshaper.merge("db", "c", "1"));
  pass_ms(100);
  until_waiting(2);
  EXPECT_FALSE(named->is_answered());
  write("heir", "b");
  pass_ms(100);
  for (const WaitingPtr& waiting : {std::ref(everything), std::ref(named)}) {
    const Answer answer = answer_of(*waiting);
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.body, HasSubstr(R"("id":"heir")"));
    EXPECT_THAT(answer.body, Not(HasSubstr(R"("id":"first")")));
  }
}

// What waits keeps no partition that was split from being dropped.
TEST_F(ChangeWaitTest, HoldsNeitherContainerNorPartition) {
  const std::weak_ptr<const Container> container = account_.catalog->container("db", "c").value();
  const WaitingPtr waiting = begin_waiting();
  while (container.use_count() > 1) std::this_thread::yield();  // the worker lets go of it
  EXPECT_EQ(container.lock()->places.front().partition.use_count(), 1);
}

TEST_F(ChangeWaitTest, AReadOnlyKeyIsEnough) {
  const WaitingPtr waiting = begin_waiting({}, kReadOnlyKey);
  write("second", "b");
  EXPECT_EQ(answer_of(*waiting).status, 200);
}

TEST_F(ChangeWaitTest, ATokenIsEnoughWhileItIsGood) {
  const WaitingPtr waiting = begin_waiting({{"authorization", make_token()}});
  write("second", "b");
  EXPECT_EQ(answer_of(*waiting).status, 200);
}

TEST_F(ChangeWaitTest, ATokenThatHasExpiredMeanwhileGetsNothing) {
  send_signed("POST", "/dbs/db/users", {}, R"({"id":"u"})");
  send_signed("POST", "/dbs/db/users/u/permissions", {{"x-ms-documentdb-expiry-seconds", "10"}},
              R"({"id":"p","permissionMode":"Read","resource":"dbs/db/colls/c"})");
  const Answer permission = send_signed("GET", "/dbs/db/users/u/permissions/p", {{"x-ms-documentdb-expiry-seconds", "10"}});
  const size_t begin_at = permission.body.find(R"("_token":")") + 10;
  const std::string token = permission.body.substr(begin_at, permission.body.find('"', begin_at) - begin_at);
  const WaitingPtr told = begin_waiting({{"authorization", token}});
  account_.clock.advance_ms(11'000);
  write("second", "b");
  const Answer changed = answer_of(*told);
  EXPECT_EQ(changed.status, 403) << changed.body;
  EXPECT_THAT(changed.body, Not(HasSubstr("second")));
  EXPECT_FALSE(changed.headers.contains("etag"));
}

TEST_F(ChangeWaitTest, ATokenWhosePermissionWasDeletedGetsNothing) {
  const std::string token = make_token();
  const WaitingPtr changed = begin_waiting({{"authorization", token}});
  const WaitingPtr unchanged = begin_waiting({{"authorization", token}, {"x-ms-documentdb-partitionkey", R"(["z"])"}});
  EXPECT_EQ(send_signed("DELETE", "/dbs/db/users/u/permissions/p").status, 204);
  write("second", "b");
  pass_ms(30'000);
  for (const WaitingPtr& waiting : {std::ref(changed), std::ref(unchanged)}) {
    const Answer answer = answer_of(*waiting);
    EXPECT_EQ(answer.status, 403);
    EXPECT_FALSE(answer.headers.contains("etag"));
    EXPECT_FALSE(answer.headers.contains("x-ms-session-token"));
  }
}

TEST_F(ChangeWaitTest, ATokenForOneKeyHearsOfNoOther) {
  const std::string token = make_token(R"(,"resourcePartitionKey":["a"])");
  const WaitingPtr refused = begin({{"authorization", token}, {"prefer", "wait=30"}});
  EXPECT_EQ(answer_of(*refused).status, 403);
  const WaitingPtr waiting = begin_waiting({{"authorization", token}, {"x-ms-documentdb-partitionkey", R"(["a"])"}});
  write("others", "b");
  until_waiting_again();
  EXPECT_FALSE(waiting->is_answered());
}

TEST_F(ChangeWaitTest, TheEndOfItsContainerEndsIt) {
  const WaitingPtr waiting = begin_waiting();
  EXPECT_EQ(send_signed("DELETE", "/dbs/db/colls/c").status, 204);
  EXPECT_EQ(answer_of(*waiting).status, 404);
}

TEST_F(ChangeWaitTest, WhatAnotherContainerOfTheSameNameHasIsNotMeant) {
  const WaitingPtr waiting = begin_waiting();
  ASSERT_TRUE(account_.catalog->delete_container("db", "c"));
  account_.make_container("c", {"/pk"});
  write("strange", "a");
  const Answer answer = answer_of(*waiting);
  EXPECT_TRUE(answer.status == 404 || answer.status == 410 || answer.status == 400) << answer.status << answer.body;
  EXPECT_THAT(answer.body, Not(HasSubstr("strange")));
}

TEST_F(ChangeWaitTest, IsDroppedWhenItsClientHangsUp) {
  const WaitingPtr waiting = begin_waiting();
  waiting->is_abandoned = true;
  served_.changes().look();
  waiting->done.wait();
  EXPECT_EQ(served_.changes().size(), 0);
}

TEST_F(ChangeWaitTest, IsEndedWhenTheServerStops) {
  const WaitingPtr waiting = begin_waiting();
  served_.workers().stop();
  served_.changes().stop();
  EXPECT_EQ(answer_of(*waiting).status, 304);
}

TEST_F(ChangeWaitTest, OnlyWhatIsReadIsCharged) {
  const auto charge_of = [](const Answer& answer) { return std::stod(answer.headers.at("x-ms-request-charge")); };
  const Answer nothing = send_signed("GET", kDocuments, {{"a-im", "Incremental feed"}, {"if-none-match", "*"}});
  const WaitingPtr waiting = begin_waiting();
  write("second", "b");
  const Answer waited = answer_of(*waiting);
  const Answer read =
      send_signed("GET", kDocuments, {{"a-im", "Incremental feed"}, {"if-none-match", nothing.headers.at("etag")}});
  EXPECT_EQ(read.body, waited.body);
  EXPECT_DOUBLE_EQ(charge_of(waited), charge_of(nothing) + charge_of(read));
}

TEST_F(ChangeWaitTest, TooManyAreToldToComeBack) {
  std::vector<WaitingPtr> waiting;
  for (size_t i = 0; i < kChangeWaitersPerPartitionMax; ++i) waiting.push_back(begin_waiting());
  const Answer refused = answer_of(*begin({{"if-none-match", "*"}, {"prefer", "wait=30"}}));
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.headers.contains("x-ms-retry-after-ms"));
  EXPECT_FALSE(refused.headers.contains("etag"));
  // Who does not wait is served.
  EXPECT_EQ(send_signed("GET", kDocuments, {{"a-im", "Incremental feed"}, {"if-none-match", "*"}}).status, 304);
  write("second", "b");
  for (const WaitingPtr& one : waiting) EXPECT_EQ(answer_of(*one).status, 200);
}

}  // namespace partita::cosmos
