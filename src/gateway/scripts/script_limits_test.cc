#include "base/fair_scheduler.h"
#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/query/queries.h"
#include "gateway/query/query_functions.h"
#include "gateway/scripts/script_documents.h"
#include "gateway/scripts/scripts.h"
#include "gateway/scripts/test_texts.h"
#include "partition/charge/throttling.h"
#include "query/query.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace partita {
namespace {

using testing::HasSubstr;

// Writes documents one after the other until none is accepted any more, as the published bulk scripts do.
constexpr std::string_view kImport = R"(function (count, bytes) {
  const text = "x".repeat(bytes);
  let n = 0;
  const next = () => {
    if (n === count || !__.createDocument(__.getSelfLink(), { id: "d" + n, pk: "x", text }, (e) => { if (e) throw e; n++; next(); }))
      getContext().getResponse().setBody(n);
  };
  next();
})";
// Asks for all of them at once, and does not care whether they were accepted.
constexpr std::string_view kImportAtOnce = R"(function (count, bytes) {
  const text = "x".repeat(bytes);
  for (let n = 0; n < count; n++) __.createDocument(__.getSelfLink(), { id: "d" + n, pk: "x", text });
})";

class ScriptLimitsTest : public testing::Test {
 protected:
  Result<ProcedureOutcome> execute(std::string_view body, std::string arguments = "[]",
                                   const std::atomic<bool>* is_abandoned = nullptr, const ScriptRunner* runner = nullptr) {
    ScriptDefinition definition{"p", std::string(body), *stored_from_json("{}")};
    Result<ScriptWritten> written =
        account_.catalog->scripts().write(*container_, ScriptType::kStoredProcedure, std::move(definition), true);
    EXPECT_TRUE(written);
    const ProcedureCall call{.procedure = written->script,
                             .key = PartitionKey{{std::string("x")}},
                             .arguments = std::move(arguments),
                             .is_abandoned = is_abandoned};
    std::promise<Result<ProcedureOutcome>> told;
    (runner != nullptr ? *runner : runner_).execute(container_, call, [&](Result<ProcedureOutcome> outcome) {
      told.set_value(std::move(outcome));
    });
    return told.get_future().get();
  }
  Result<ItemOutcome> create(std::string_view json) {
    std::promise<Result<ItemOutcome>> told;
    items_.create(container_, json, std::nullopt, [&](Result<ItemOutcome> outcome) { told.set_value(std::move(outcome)); });
    return told.get_future().get();
  }
  Meter& meter() { return container_->places.front().partition->local().meter(); }
  uint64_t documents() const { return container_->places.front().partition->counters().documents; }

  TestAccount account_{Durability::kRelaxed, RateLimits{.is_enforced = true}};
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"}, 400);
  Items items_{account_.clock, account_.documents, account_.random};
  // However slow the machine is.
  script::ScriptEngine engine_{SCRIPT_HOST, {.accepts = std::chrono::seconds(200), .total = std::chrono::seconds(200)}, 2};
  FairScheduler workers_{
      {.limits = {.slots = 4, .places = 4, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      account_.clock};
  TestTexts texts_;
  ScriptRunner runner_{items_, *account_.catalog, engine_, workers_, texts_};
};

}  // namespace

TEST_F(ScriptLimitsTest, AScriptThatSpendsTheBudgetIsToldToEndAndCommits) {
  const Result<ProcedureOutcome> outcome = execute(kImport, "[10000, 1000]");
  ASSERT_TRUE(outcome) << outcome.error().message;
  const int64_t written = std::stoll(outcome->body);
  EXPECT_EQ(documents(), static_cast<uint64_t>(written));
  // A second's savings and a second's debt; the rest, for the index, is known in the end.
  EXPECT_GT(outcome->charge, 400);
  EXPECT_LT(outcome->charge, 5 * 400);
  const Result<ProcedureOutcome> again = execute(kImport, "[1, 1]");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kThrottled);
  account_.clock.advance_ms(10'000);
  EXPECT_TRUE(execute("function () {}"));
}

TEST_F(ScriptLimitsTest, AScriptThatGoesOnIsEndedAndWhatItDidStaysCharged) {
  const Result<ProcedureOutcome> outcome = execute(kImportAtOnce, "[5000, 1000]");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kThrottled) << outcome.error().message;
  EXPECT_GT(retry_after_ms(outcome.error()), 1'000);
  EXPECT_EQ(documents(), 0u);
  EXPECT_EQ(create(R"({"id":"a","pk":"x"})").error().code, ErrorCode::kThrottled);
  account_.clock.advance_ms(10'000);
  EXPECT_TRUE(create(R"({"id":"a","pk":"x"})"));
  TestAccount::expect_consistent(*container_);
}

// It would find that nothing is accepted, and many scripts do not ask: they would be answered with success and have done nothing.
TEST_F(ScriptLimitsTest, AScriptThatWaitedWhileOthersSpentTheBudgetIsThrottled) {
  const PartitionPtr partition = container_->places.front().partition;
  const PartitionKey key{{std::string("x")}};
  std::optional<Partition::Hold> held;
  partition->hold(locate(*container_, key, {}).logical_partition,
                  [&](Result<Partition::Hold> hold) { held.emplace(*std::move(hold)); });
  ASSERT_TRUE(held);
  std::promise<Result<ProcedureOutcome>> told;
  ScriptDefinition definition{"p", std::string(kImportAtOnce), *stored_from_json("{}")};
  const ScriptPtr procedure =
      account_.catalog->scripts().write(*container_, ScriptType::kStoredProcedure, std::move(definition), true)->script;
  runner_.execute(container_, {.procedure = procedure, .key = key, .arguments = "[1, 1]"},
                  [&](Result<ProcedureOutcome> outcome) { told.set_value(std::move(outcome)); });
  meter().charge(3 * 400);
  held.reset();
  const Result<ProcedureOutcome> outcome = told.get_future().get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kThrottled) << outcome.error().message;
  EXPECT_EQ(documents(), 0u);
}

// Those that run beside it may have spent the budget; it has hardly begun.
TEST_F(ScriptLimitsTest, OnlyWhatAScriptSpentItselfKeepsItsOperationsFromBeingAccepted) {
  const PartitionKey key{{std::string("x")}};
  bool accepts_beside_others = false;
  bool accepts_after_its_own = true;
  const ItemWorkshop workshop = items_.workshop(container_);
  std::promise<void> told;
  container_->places.front().partition->transact(
      locate(*container_, key, {}).logical_partition,
      [&](Transaction& transaction) -> Status {
        ScriptDocuments documents(workshop, *account_.catalog, texts_, key, transaction, {});
        meter().charge(4 * 400);
        accepts_beside_others = documents.accepts();
        transaction.work().script_us = 60'000'000;
        EXPECT_FALSE(documents.note_time(60'000'000));
        accepts_after_its_own = documents.accepts();
        return {};
      },
      [&](const Result<Partition::Commit>&) { told.set_value(); });
  told.get_future().get();
  EXPECT_TRUE(accepts_beside_others);
  EXPECT_FALSE(accepts_after_its_own);
}

TEST_F(ScriptLimitsTest, AScriptThatDoesNothingPaysForItsTime) {
  meter().budget().set_rate(1);
  const Result<ProcedureOutcome> endless = execute("function () { for (;;); }");
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, ErrorCode::kThrottled) << endless.error().message;
  EXPECT_EQ(create(R"({"id":"a","pk":"x"})").error().code, ErrorCode::kThrottled);
}

TEST_F(ScriptLimitsTest, AFunctionInAQueryPaysForItsTime) {
  ASSERT_TRUE(create(R"({"id":"a","pk":"x"})"));
  script::ScriptEngine impatient{
      SCRIPT_HOST, {.accepts = std::chrono::milliseconds(100), .total = std::chrono::milliseconds(300)}, 1};
  const auto run = [&](std::string_view body) {
    ScriptDefinition definition{"f", std::string(body), *stored_from_json("{}")};
    EXPECT_TRUE(account_.catalog->scripts().write(*container_, ScriptType::kUserFunction, std::move(definition), true));
    meter().reset_budget();
    meter().budget().set_rate(1);
    script::FunctionSession session(impatient, texts_.container_link(*container_));
    QueryFunctions functions(*account_.catalog, *container_, session);
    query::Environment environment{.clock = account_.clock, .random = account_.random};
    environment.user_functions = &functions;
    const std::string specification = *stored_from_json(R"({"query":"SELECT VALUE udf.f(c.id) FROM c"})");
    const query::Plan plan = *query::compile(*query::QuerySpecification::from(Value::view(specification)), query::Schema{});
    QueryRequest request;
    std::promise<Result<double>> told;
    run_query(container_, plan, request, environment, [&](Result<QueryPage> page) {
      told.set_value(page ? Result<double>(page->charge) : std::unexpected(page.error()));
    });
    return told.get_future().get();
  };
  const Result<double> quick = run("function () { return 1; }");
  ASSERT_TRUE(quick);
  const Result<double> slow = run("function () { let n = 0; for (let i = 0; i < 2e7; i++) n += i % 7; return n; }");
  ASSERT_TRUE(slow) << slow.error().message;
  EXPECT_GT(*slow, *quick + 2);
  EXPECT_FALSE(run("function () { for (;;); }"));
  EXPECT_EQ(create(R"({"id":"b","pk":"x"})").error().code, ErrorCode::kThrottled);
}

TEST_F(ScriptLimitsTest, AScriptWithoutLimitsOfThroughputIsBoundedByWhatATransactionMayKeep) {
  meter().budget().set_rate(RequestBudget::kUnlimited);
  const Result<ProcedureOutcome> imported = execute(kImport, "[1000, 1000000]");
  ASSERT_TRUE(imported) << imported.error().message;
  const uint64_t fitting = kTransactionBytesMax / 2 / 1'000'000;
  EXPECT_NEAR(std::stod(imported->body), static_cast<double>(fitting), 3);
  EXPECT_EQ(documents(), std::stoull(imported->body));
}

TEST_F(ScriptLimitsTest, AScriptThatStagesMoreIsRefusedAndUndone) {
  meter().budget().set_rate(RequestBudget::kUnlimited);
  // Few enough bytes for the script's own memory, more than the transaction's: what is there is kept too.
  ASSERT_TRUE(execute(kImport, "[20, 1900000]"));
  const uint64_t before = documents();
  const Result<ProcedureOutcome> outcome = execute(R"(function () {
    const text = "y".repeat(1900000);
    for (let n = 0; n < 20; n++) __.upsertDocument(__.getSelfLink(), { id: "d" + n, pk: "x", text });
  })");
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("transaction is too large"));
  EXPECT_EQ(outcome.error().number, 413);
  EXPECT_EQ(documents(), before);
  TestAccount::expect_consistent(*container_);
}

TEST_F(ScriptLimitsTest, ScriptsOfAllTenantsShareTheMemoryForWhatTheyStage) {
  meter().budget().set_rate(RequestBudget::kUnlimited);
  FairMemory memory(13 << 20);
  const ScriptRunner bounded(items_, *account_.catalog, engine_, workers_, texts_,
                             {.memory = &memory, .bytes_each_max = 16 << 20});
  // As many bytes in the documents as one transaction may keep, but more than there is room for.
  const Result<ProcedureOutcome> refused = execute(kImportAtOnce, "[7, 1000000]", nullptr, &bounded);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kThrottled) << refused.error().message;
  EXPECT_EQ(documents(), 0u);
  EXPECT_EQ(memory.taken(), 0u);
  EXPECT_TRUE(execute(kImportAtOnce, "[2, 1000000]", nullptr, &bounded));
  EXPECT_EQ(documents(), 2u);
}

TEST_F(ScriptLimitsTest, QueriesOfScriptsShareTheMemoryForQueries) {
  meter().budget().set_rate(RequestBudget::kUnlimited);
  constexpr std::string_view kDistinct = R"(function () {
    const n = [];
    for (let i = 0; i < 300; i++) n.push("some text " + i);
    const query = "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE CONCAT(x, y) FROM c JOIN x IN c.n JOIN y IN c.n) d";
    __.upsertDocument(__.getSelfLink(), { id: "n", pk: "x", n }, () =>
      __.queryDocuments(__.getSelfLink(), query, (e) => { if (e) throw e; }));
  })";
  FairMemory queries(64 << 20);
  const StagingMemory memory{.memory = nullptr, .bytes_each_max = kTransactionBytesMax, .queries = &queries};
  const ScriptRunner sharing(items_, *account_.catalog, engine_, workers_, texts_, memory);
  const Result<ProcedureOutcome> alone = execute(kDistinct, "[]", nullptr, &sharing);
  EXPECT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(queries.taken(), 0U);
  MemoryLoan neighbour(&queries, 77);
  ASSERT_TRUE(neighbour.grow_to(40 << 20));
  MemoryLoan other(&queries, container_->database->number);
  ASSERT_TRUE(other.grow_to(16 << 20));
  const Result<ProcedureOutcome> refused = execute(kDistinct, "[]", nullptr, &sharing);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("as the server has room for"));
}

TEST_F(ScriptLimitsTest, ReadingMuchIsNotStaging) {
  meter().budget().set_rate(RequestBudget::kUnlimited);
  ASSERT_TRUE(execute(kImport, "[4, 1900000]"));
  const Result<ProcedureOutcome> outcome = execute(R"(function () {
    let n = 0;
    const next = () => {
      if (n === 64 || !__.readDocument(__.getAltLink() + "/docs/d" + n % 4, (e, d) => { if (e) throw e; n++; next(); }))
        getContext().getResponse().setBody(n);
    };
    next();
  })");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->body, "64");
}

TEST_F(ScriptLimitsTest, AScriptForWhichNobodyWaitsIsEndedAndUndone) {
  std::atomic<bool> is_abandoned = false;
  std::thread client([&] {
    while (engine_.hosts().hosts() == 0) std::this_thread::yield();
    is_abandoned = true;
  });
  const Result<ProcedureOutcome> outcome = execute(
      "function () { __.createDocument(__.getSelfLink(), { id: 'a', pk: 'x' }, () => { for (;;); }); }", "[]", &is_abandoned);
  client.join();
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("no longer waits"));
  EXPECT_EQ(documents(), 0u);
}

TEST_F(ScriptLimitsTest, ScriptsOfOneRequestShareTheirTime) {
  const PartitionKey key{{std::string("x")}};
  const Location at = locate(*container_, key, {});
  std::promise<Status> told;
  const auto body = [&](Transaction& transaction) -> Status {
    const ItemWorkshop workshop = items_.workshop(container_);
    ScriptDocuments documents(workshop, *account_.catalog, texts_, key, transaction,
                              {account_.clock.steady_us() + 5'000'000, nullptr, {}});
    script::ScriptCall call;
    call.source = "function () {}";
    call.container_link = texts_.container_link(*container_);
    TRY(documents.run(engine_, call));
    account_.clock.advance_ms(6'000);
    TRY(documents.run(engine_, call));
    return {};
  };
  at.place->partition->transact(at.logical_partition, body, [&](const Result<Partition::Commit>& commit) {
    told.set_value(commit ? Status() : std::unexpected(commit.error()));
  });
  const Status outcome = told.get_future().get();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kTimeout);
}

}  // namespace partita
