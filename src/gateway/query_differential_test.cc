#include "cluster/test_account.h"
#include "document/json.h"
#include "gateway/items.h"
#include "gateway/queries.h"
#include "gateway/random_query.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

// Random documents, policies and queries: what the gateway answers, which uses the index as it sees fit, is compared with the
// plain executor over the same documents in memory; in one partition and in five, whole and in pages.
//
// A failure names its seed. PARTITA_SEED=n begins there, PARTITA_ROUNDS=n runs so many.
namespace partita {
namespace {

constexpr size_t kDocuments = 120;
constexpr size_t kQueriesPerRound = 120;
constexpr size_t kQueriesPerWrite = 5;
constexpr uint64_t kRoundsInShort = 4;
constexpr int64_t kFivePartitions = 50'000;

uint64_t number_from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

class Round {
 public:
  explicit Round(uint64_t seed) : generator_(seed) {
    const std::string policy = generator_.policy();
    containers_ = {account_.make_container("one", {"/pk"}, 400, policy),
                   account_.make_container("five", {"/pk"}, kFivePartitions, policy)};
    for (size_t i = 0; i < kDocuments; ++i) {
      const std::string document = generator_.document(i);
      for (const auto& container : containers_) put(container, document);
    }
  }

  void run() {
    for (size_t i = 0; i < kQueriesPerRound; ++i) {
      const RandomQuery query = generator_.query();
      compare(query);
      if (i % kQueriesPerWrite != 0) continue;
      write(i);
      write(kDocuments + i);
      compare(query);
    }
  }

 private:
  using Ptr = std::shared_ptr<const Container>;

  void put(const Ptr& container, const std::string& json) {
    std::promise<bool> is_done;
    items_.upsert(container, json, std::nullopt, {}, [&](Result<ItemOutcome> made) { is_done.set_value(made.has_value()); });
    ASSERT_TRUE(is_done.get_future().get()) << json;
  }

  // What queries know about documents has to be forgotten where these have changed.
  void write(size_t ordinal) {
    const std::string document = generator_.document(ordinal);
    for (const auto& container : containers_) put(container, document);
  }

  // All documents: for a sort in the order of their numbers, which decides about ties, else as the container gives them.
  static std::vector<Item> documents(const Ptr& container, bool by_number) {
    std::vector<Unsettled> unsettled;
    FeedRequest request;
    request.items_max = 2 * kDocuments;
    FeedPage page = *read_feed_page(*container, request, unsettled);
    if (by_number) std::ranges::sort(page.items, {}, &Item::number);
    return std::move(page.items);
  }

  std::vector<std::string> by_scan(const Ptr& container, const query::Plan& plan) {
    const std::vector<Item> items = documents(container, !plan.order.empty() || plan.ranking);
    std::vector<Value> rows;
    for (const Item& item : items) rows.push_back(item.document());
    query::ListedRows source(rows);
    query::Environment environment{.clock = account_.clock, .random = account_.random};
    query::QueryExecution execution(plan, source, environment);
    std::vector<std::string> results;
    Value row;
    while (*execution.next(row) == query::QueryExecution::Step::kRow) results.push_back(to_json(row));
    return results;
  }

  std::vector<std::string> by_gateway(const Ptr& container, const query::Plan& plan, size_t page_rows) {
    query::Environment environment{.clock = account_.clock, .random = account_.random};
    QueryRequest request;
    request.items_max = page_rows;
    std::vector<std::string> results;
    do {
      std::promise<Result<QueryPage>> answer;
      run_query(container, plan, request, environment, [&](Result<QueryPage> page) { answer.set_value(std::move(page)); });
      Result<QueryPage> page = answer.get_future().get();
      if (!page) {
        ADD_FAILURE() << page.error().message;
        break;
      }
      for (const std::string& row : page->rows) results.push_back(to_json(Value::view(row)));
      request.from = page->next;
    } while (request.from);
    return results;
  }

  void compare(const RandomQuery& query) {
    SCOPED_TRACE(query.text);
    query::Schema schema;
    if (generator_.is_plane()) schema.space = Space::kPlane;
    if (generator_.has_embedding()) schema.embeddings.push_back({*DocumentPath::parse("/v"), VectorMetric::kCosine});
    auto plan = query::compile({query.text, {}}, schema);
    ASSERT_TRUE(plan) << plan.error().message;
    for (const Ptr& container : containers_) {
      SCOPED_TRACE(container->definition.id);
      const std::vector<std::string> expected = by_scan(container, *plan);
      for (const size_t page_rows : {size_t{1000}, size_t{7}}) {
        EXPECT_EQ(by_gateway(container, *plan, page_rows), expected) << "in pages of " << page_rows;
      }
    }
  }

  TestAccount account_;
  Items items_{account_.clock, account_.etags, account_.random};
  QueryGenerator generator_;
  std::vector<Ptr> containers_;
};

}  // namespace

TEST(QueryDifferential, IndexedAndScannedAnswersAreTheSame) {
  const uint64_t first = number_from_environment("PARTITA_SEED", 1);
  const uint64_t rounds = number_from_environment("PARTITA_ROUNDS", kRoundsInShort);
  for (uint64_t seed = first; seed < first + rounds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("PARTITA_SEED={}", seed));
    Round(seed).run();
  }
}

}  // namespace partita
