#include "gateway/feeds/read_ahead.h"

#include "cluster/tenants.h"
#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/items/items.h"
#include "gateway/query/queries.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>
#include <string>

// That answers and charges of random queries stay the same is query_differential_test.cc's.
namespace partita {
namespace {

constexpr int kDocuments = 60;
constexpr int kNumbers = 60;  // in the array of every document
constexpr int64_t kFivePartitions = 50'000;

FairScheduler::Options processors(size_t count) {
  return {.limits = {.slots = 2 * count + 1,
                     .places = 100,
                     .processors = count,
                     .waiting_max = 100,
                     .waiting_per_database_max = 100,
                     .waiting_per_container_max = 100}};
}

class ReadAheadTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string numbers;
    for (int i = 0; i < kNumbers; ++i) numbers += (i == 0 ? "" : ",") + std::to_string(i);
    const Items items{account_.clock, account_.documents, account_.random};
    for (int i = 0; i < kDocuments; ++i) {
      std::promise<bool> is_done;
      items.create(container_, fmt::format(R"({{"id":"{0}","pk":"{0}","n":{0}.1,"numbers":[{1}]}})", i, numbers), std::nullopt,
                   [&](const Result<ItemOutcome>& made) { is_done.set_value(made.has_value()); });
      ASSERT_TRUE(is_done.get_future().get());
    }
  }

  void limit(double units_per_second) {
    for (const PartitionPlace& place : container_->places) {
      place.partition->local().meter().budget().set_rate(units_per_second);
      place.partition->local().meter().reset_budget();
    }
  }

  static query::Plan plan(std::string_view text) { return *query::compile({std::string(text), {}}); }
  SpareWorkers helpers(FairScheduler& workers, FairMemory& memory) const {
    return {workers, memory, tenant_of(*container_), 3, 0};
  }

  // The page, or why there is none, with what it cost.
  static std::string described(const Result<QueryPage>& page) {
    if (!page) return fmt::format("{} {} {}", name_of(page.error().code), page.error().message, page.error().charge);
    std::string text = fmt::format("{} units, {} documents:", page->charge, page->documents_read);
    for (const std::string& row : page->rows) text += " " + to_json(Value::view(row));
    return text + (page->next ? " and more" : "");
  }
  Result<QueryPage> run(const query::Plan& plan, const query::Environment& environment, const SpareWorkers* helpers) {
    QueryRequest request;
    request.helpers = helpers;
    std::promise<Result<QueryPage>> outcome;
    run_query(container_, plan, request, environment, [&](Result<QueryPage> page) { outcome.set_value(std::move(page)); });
    return outcome.get_future().get();
  }
  query::Environment environment() { return {.clock = account_.clock, .random = account_.random}; }

  TestAccount account_{Durability::kRelaxed, RateLimits{.is_enforced = true}};
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"}, kFivePartitions);
};

constexpr std::string_view kSum =
    "SELECT VALUE SUM(c.n * 1.1) FROM c WHERE (SELECT VALUE COUNT(1) FROM x IN c.numbers JOIN y IN c.numbers) > 0";
TEST_F(ReadAheadTest, AQueryEndsWhereItsUnitsAreUsedUpAndCostsTheSame) {
  FairScheduler workers(processors(4), account_.clock);
  FairMemory memory(1 << 20);
  const SpareWorkers helping = helpers(workers, memory);
  for (const double rate : {0.1, 0.5, 2.0, 1000.0}) {
    limit(rate);
    const std::string expected = described(run(plan(kSum), environment(), nullptr));
    limit(rate);
    EXPECT_EQ(described(run(plan(kSum), environment(), &helping)), expected);
  }
}

TEST_F(ReadAheadTest, WithoutMemoryTheQueryReadsAlone) {
  limit(RequestBudget::kUnlimited);
  FairScheduler workers(processors(4), account_.clock);
  FairMemory memory(0);
  const SpareWorkers helping = helpers(workers, memory);
  EXPECT_EQ(described(run(plan(kSum), environment(), &helping)), described(run(plan(kSum), environment(), nullptr)));
}

TEST_F(ReadAheadTest, MistakesInRowsAreToldAsWithoutHelpers) {
  limit(RequestBudget::kUnlimited);
  FairScheduler workers(processors(4), account_.clock);
  FairMemory memory(1 << 20);
  const SpareWorkers helping = helpers(workers, memory);
  // A scalar sub-query with two rows; and values of more than a helper, then of more than anybody may make.
  for (const std::string_view text :
       {"SELECT VALUE COUNT(1) FROM c WHERE c.n < 50 OR (SELECT VALUE x FROM x IN c.numbers) = 1",
        "SELECT VALUE SUM(LENGTH(REPLICATE(c.id, 9000))) FROM c WHERE LENGTH(REPLICATE('0123456789', 9999)) > c.n",
        "SELECT VALUE COUNT(1) FROM c WHERE c.n < 50 OR LENGTH(ARRAY(SELECT VALUE REPLICATE('0123456789', 9999) FROM x IN "
        "c.numbers JOIN y IN c.numbers)) = 1"}) {
    EXPECT_EQ(described(run(plan(text), environment(), &helping)), described(run(plan(text), environment(), nullptr))) << text;
  }
}

TEST_F(ReadAheadTest, WhatDependsOnMoreThanDocumentsIsNotComputedAhead) {
  for (const std::string_view text :
       {"SELECT VALUE COUNT(1) FROM c WHERE RAND() < 2", "SELECT VALUE udf.f(c) FROM c",
        "SELECT VALUE MAX(GetCurrentTimestamp()) FROM c", "SELECT VALUE x FROM c JOIN x IN c.numbers"}) {
    EXPECT_FALSE(query::RowPreparation::is_possible(plan(text))) << text;
  }
  EXPECT_TRUE(query::RowPreparation::is_possible(plan(kSum)));
}

}  // namespace
}  // namespace partita
