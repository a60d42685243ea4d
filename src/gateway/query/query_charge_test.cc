#include "gateway/query/query_charge.h"

#include "base/fair_scheduler.h"
#include "cluster/tenants.h"
#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/items/items.h"
#include "gateway/query/queries.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace partita {
namespace {

using testing::HasSubstr;

constexpr int kDocuments = 30;
// So many numbers are in the array of every document.
constexpr int kNumbers = 300;

class QueryChargeTest : public testing::Test {
 protected:
  using Ptr = std::shared_ptr<const Container>;

  Ptr filled(const char* id) {
    Ptr container = account_.make_container(id, {"/pk"}, 10'000);
    std::string numbers;
    for (int i = 0; i < kNumbers; ++i) numbers += (i == 0 ? "" : ",") + std::to_string(i);
    for (int i = 0; i < kDocuments; ++i) {
      std::promise<bool> is_done;
      items_.create(container, fmt::format(R"({{"id":"{0}","pk":"p","numbers":[{1}]}})", i, numbers), std::nullopt,
                    [&](Result<ItemOutcome> outcome) { is_done.set_value(outcome.has_value()); });
      EXPECT_TRUE(is_done.get_future().get());
    }
    return container;
  }
  static Meter& meter_of(const Container& container) { return container.places.front().partition->local().meter(); }
  static void limit(const Container& container, double units_per_second) {
    meter_of(container).budget().set_rate(units_per_second);
    meter_of(container).reset_budget();
  }
  // In whole seconds, of which this lets one pass.
  double units_used(const Container& container) {
    account_.clock.advance_ms(1000);
    return static_cast<double>(meter_of(container).total().milli_units) / 1000;
  }
  query::Environment environment() { return {.clock = account_.clock, .random = account_.random}; }
  static Result<QueryPage> run(const Ptr& container, const query::Plan& plan, const QueryRequest& request,
                               const query::Environment& environment) {
    std::promise<Result<QueryPage>> outcome;
    run_query(container, plan, request, environment, [&](Result<QueryPage> page) { outcome.set_value(std::move(page)); });
    return outcome.get_future().get();
  }

  TestAccount account_{Durability::kRelaxed, RateLimits{.is_enforced = true}};
  Items items_{account_.clock, account_.documents, account_.random};
  // Must see everything before its only row.
  const query::Plan endless_ =
      *query::compile({"SELECT VALUE COUNT(1) FROM c JOIN x IN c.numbers JOIN y IN c.numbers JOIN z IN c.numbers", {}});
  // Computes much for each row.
  const query::Plan row_by_row_ =
      *query::compile({"SELECT VALUE c.id FROM c WHERE (SELECT VALUE COUNT(1) FROM x IN c.numbers JOIN y IN c.numbers) > 0", {}});
};

}  // namespace

TEST_F(QueryChargeTest, AnEndlessQueryIsChargedWhileItRunsAndEndsWhenItsUnitsAreUsedUp) {
  const Ptr container = filled("c");
  limit(*container, 4);
  const Result<QueryPage> page = run(container, endless_, {}, environment());
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(page.error().message, HasSubstr("request units"));
  EXPECT_GE(page.error().charge, kQueryBudgetSeconds * 4);
  const Result<QueryPage> refused = run(container, row_by_row_, {}, environment());
  EXPECT_EQ(refused.error().code, ErrorCode::kThrottled);
  EXPECT_EQ(refused.error().charge, 0);
  EXPECT_GE(units_used(*container), kQueryBudgetSeconds * 4) << "what was done in vain is charged";
}

TEST_F(QueryChargeTest, APageEndsWhenTheBudgetIsOverdrawnAndTheNextOneGoesOn) {
  const Ptr container = filled("c");
  limit(*container, 10);
  QueryRequest request;
  std::vector<std::string> rows;
  size_t pages = 0;
  do {
    const Result<QueryPage> page = run(container, row_by_row_, request, environment());
    ASSERT_TRUE(page) << page.error().message;
    for (const std::string& row : page->rows) rows.push_back(to_json(Value::view(row)));
    EXPECT_LT(page->charge, 60) << "one second's budget, a second of debt, and what a document takes";
    request.from = page->next;
    account_.clock.advance_ms(5000);
    ++pages;
  } while (request.from && pages < 100);
  EXPECT_EQ(rows.size(), static_cast<size_t>(kDocuments));
  EXPECT_GT(pages, 2u);
}

TEST_F(QueryChargeTest, WhoHasNoLimitIsNotEnded) {
  const Ptr container = filled("c");
  limit(*container, RequestBudget::kUnlimited);
  const Result<QueryPage> page = run(container, row_by_row_, {}, environment());
  ASSERT_TRUE(page);
  EXPECT_EQ(page->rows.size(), static_cast<size_t>(kDocuments));
  EXPECT_FALSE(page->next);
}

TEST_F(QueryChargeTest, AQueryThatIsOnlyTriedCostsNothing) {
  const Ptr container = filled("c");
  const double before = units_used(*container);
  EXPECT_GT(before, 0);
  query::Environment hasty = environment();
  hasty.is_trial = true;
  hasty.deadline_steady_us = account_.clock.steady_us() - 1;
  EXPECT_EQ(run(container, row_by_row_, {}, hasty).error().code, ErrorCode::kTimeout);
  EXPECT_EQ(units_used(*container), before);
}

// One worker at a time, and a query that never ends: whoever else comes is served all the same.
TEST_F(QueryChargeTest, AnEndlessQueryGivesWayToThoseOfOthers) {
  const Ptr container = filled("c");
  limit(*container, RequestBudget::kUnlimited);
  SystemClock clock;
  const auto environment = [&](Turn& turn) {
    return query::Environment{.clock = clock, .random = account_.random, .turn = &turn};
  };
  std::atomic<bool> is_gone = false;
  std::promise<Result<QueryPage>> ended;
  FairScheduler scheduler(
      {.limits =
           {.slots = 1, .places = 3, .waiting_max = 100, .waiting_per_database_max = 100, .waiting_per_container_max = 100}},
      clock);
  const auto must_not_refuse = [](const Error& error) { ADD_FAILURE() << error.message; };
  scheduler.submit({.tenant = tenant_of(*container),
                    .run = [&](Turn& turn) { ended.set_value(run(container, endless_, {}, environment(turn))); },
                    .refuse = must_not_refuse,
                    .is_abandoned = &is_gone});
  for (uint64_t other = 100; other < 105; ++other) {
    std::promise<Result<QueryPage>> answered;
    scheduler.submit({.tenant = {other, 1},
                      .run = [&](Turn& turn) { answered.set_value(run(container, row_by_row_, {}, environment(turn))); },
                      .refuse = must_not_refuse});
    EXPECT_TRUE(answered.get_future().get());
  }
  is_gone = true;
  EXPECT_EQ(ended.get_future().get().error().code, ErrorCode::kTimeout);
}

}  // namespace partita
