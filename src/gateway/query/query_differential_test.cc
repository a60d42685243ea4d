#include "base/fair_memory.h"
#include "base/fair_scheduler.h"
#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/items/items.h"
#include "gateway/query/queries.h"
#include "gateway/query/random_query.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

// Random documents, policies and queries: what the gateway answers, which uses the index as it sees fit, is compared with the
// plain executor over the same documents in memory; in one partition and in five, whole and in pages.
//
// Then with documents that come, go and change between the pages of a query, and with restarts: those that stay as they are must
// be given once, in the same order as if nothing had happened.
//
// And with helpers that read other partitions ahead: pages, positions, charges and what was counted stay the same.
//
// A failure names its seed. PARTITA_SEED=n begins there, PARTITA_ROUNDS=n runs so many.
namespace partita {
namespace {

constexpr size_t kDocuments = 120;
constexpr size_t kQueriesPerRound = 120;
constexpr size_t kQueriesPerWrite = 5;
constexpr size_t kChangingQueriesPerRound = 10;
constexpr size_t kQueriesPerRestart = 5;
constexpr size_t kDocumentsThatStay = 60;  // the first ones
constexpr uint64_t kRoundsInShort = 4;
constexpr int64_t kFivePartitions = 50'000;

uint64_t number_from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

// HesitatingClock: lets helpers get ahead of the query: again and again its thread waits until none of them has anything to do.
class HesitatingClock final : public Clock {
 public:
  HesitatingClock(const Clock& clock, const FairScheduler& helpers) : clock_(clock), helpers_(helpers) {}
  int64_t unix_ms() const override { return clock_.unix_ms(); }
  int64_t steady_us() const override {
    if (std::this_thread::get_id() == thread_ && ++looks_ % kLooksPerWait == 0) {
      while (helpers_.statistics(0).spare > 0) std::this_thread::yield();
    }
    return clock_.steady_us();
  }

 private:
  static constexpr uint64_t kLooksPerWait = 3;

  const Clock& clock_;
  const FairScheduler& helpers_;
  const std::thread::id thread_ = std::this_thread::get_id();
  mutable uint64_t looks_ = 0;
};

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
      const std::string query = generator_.query();
      compare(query);
      if (i % kQueriesPerWrite != 0) continue;
      write(i);
      write(kDocuments + i);
      compare(query);
    }
  }

  // Each query twice, with and without helpers: whatever the first run leaves behind in caches, the second one finds; so the two
  // take turns, each in a container of its own.
  void run_parallel() {
    const std::string policy = generator_.policy();
    const std::vector<Ptr> twins = {account_.make_container("serial", {"/pk"}, kFivePartitions, policy),
                                    account_.make_container("parallel", {"/pk"}, kFivePartitions, policy)};
    for (size_t i = 0; i < kDocuments; ++i) {
      const std::string document = generator_.document(i);
      for (const Ptr& twin : twins) put(twin, document);
    }
    for (size_t i = 0; i < kQueriesPerRound; ++i) {
      const std::string text = generator_.query();
      SCOPED_TRACE(text);
      auto plan = plan_of(text);
      ASSERT_TRUE(plan) << plan.error().message;
      for (const size_t page_rows : {size_t{1000}, size_t{7}, size_t{1}}) {
        const std::vector<std::string> expected = described_pages(twins[0], *plan, page_rows, nullptr);
        EXPECT_EQ(described_pages(twins[1], *plan, page_rows, &helpers_), expected) << "in pages of " << page_rows;
      }
      if (i % kQueriesPerWrite != 0) continue;
      const std::string document = generator_.document(kDocuments + i);
      for (const Ptr& twin : twins) put(twin, document);
    }
  }
  uint64_t helpers_begun() const { return workers_.statistics(0).spare_begun; }

  void run_changing() {
    for (size_t i = 0; i < kChangingQueriesPerRound; ++i) {
      compare_changing(generator_.row_query(), i % kQueriesPerRestart == 0);
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
    std::vector<PendingDurability> pending;
    FeedRequest request;
    request.items_max = 2 * kDocuments;
    FeedPage page = *read_feed_page(*container, request, pending);
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

  void erase(const Ptr& container, size_t ordinal) {
    std::promise<void> is_done;
    const std::string id = std::to_string(ordinal);
    const ItemName name{.id = id, .number = {}, .key = *PartitionKey::parse(fmt::format(R"(["{}"])", ordinal % 7))};
    items_.erase(container, name, {}, [&](const Result<ItemOutcome>&) { is_done.set_value(); });
    is_done.get_future().get();
  }

  // Writes or deletes a few of the documents that do not stay.
  void change(const Ptr& container) {
    for (int i = 0; i < 3; ++i) {
      const size_t ordinal = kDocumentsThatStay + changes_++ * 31 % kDocuments;
      if (changes_ % 3 == 0) {
        erase(container, ordinal);
      } else {
        put(container, generator_.document(ordinal));
      }
    }
  }

  void restart() {
    containers_.clear();
    account_.reopen();
    for (const char* id : {"one", "five"}) containers_.push_back(account_.catalog->container("db", id).value());
  }

  // Of the rows, those of documents that stay. Each begins with {"id":"<ordinal>"
  static std::vector<std::string> of_staying(std::vector<std::string> rows) {
    constexpr size_t kOrdinalAt = 7;
    std::erase_if(rows, [](const std::string& row) { return std::stoul(row.substr(kOrdinalAt)) >= kDocumentsThatStay; });
    return rows;
  }

  std::vector<std::string> by_gateway(size_t which, const query::Plan& plan, size_t page_rows,
                                      const std::function<void()>& between_pages = {}) {
    query::Environment environment{.clock = account_.clock, .random = account_.random};
    QueryRequest request;
    request.items_max = page_rows;
    std::vector<std::string> results;
    do {
      std::promise<Result<QueryPage>> answer;
      run_query(containers_[which], plan, request, environment,
                [&](Result<QueryPage> page) { answer.set_value(std::move(page)); });
      Result<QueryPage> page = answer.get_future().get();
      if (!page) {
        ADD_FAILURE() << page.error().message;
        break;
      }
      for (const std::string& row : page->rows) results.push_back(to_json(Value::view(row)));
      // Protocols refuse a continuation that is no position in its query.
      if (page->next) EXPECT_TRUE(query::is_position_in(plan, page->next->progress));
      if (between_pages) between_pages();
      request.from = std::move(page->next);
    } while (request.from);
    return results;
  }

  // Each page, with everything that a client could see of it.
  std::vector<std::string> described_pages(const Ptr& container, const query::Plan& plan, size_t page_rows,
                                           const SpareWorkers* helpers) {
    const HesitatingClock clock(account_.clock, workers_);
    query::Environment environment{.clock = clock, .random = account_.random};
    QueryRequest request;
    request.items_max = page_rows;
    request.helpers = helpers;
    std::vector<std::string> pages;
    do {
      std::promise<Result<QueryPage>> answer;
      run_query(container, plan, request, environment, [&](Result<QueryPage> page) { answer.set_value(std::move(page)); });
      const Result<QueryPage> page = answer.get_future().get();
      if (!page) {
        pages.push_back(fmt::format("{} {} {}", name_of(page.error().code), page.error().message, page.error().charge));
        break;
      }
      std::string described =
          fmt::format("{} documents of {} bytes, {} entries, {} units, {} for evaluation, by {}:", page->documents_read,
                      page->document_bytes_read, page->index_entries_read, page->charge, page->evaluation_charge, page->access);
      for (const std::string& row : page->rows) described += "\n" + to_json(Value::view(row));
      request.from = page->next;
      // The rids of the two containers differ, so positions are compared without them.
      if (page->next) described += "\n" + described_position(*page->next);
      pages.push_back(std::move(described));
    } while (request.from);
    return pages;
  }
  static std::string described_position(const QueryPosition& position) {
    std::string text = fmt::format("in {}-{}", position.range.min, position.range.max);
    for (const query::Position* at = &position.progress; at != nullptr; at = at->inner.get()) {
      text += fmt::format(" skipped {} taken {} begun {} order {} of {} {} {} open {} repeated {};", at->skipped, at->taken,
                          at->has_begun, at->order, at->origin.number, at->origin.group, at->origin.ordinal, at->is_open,
                          at->is_repeated);
    }
    return text;
  }

  Result<query::Plan> plan_of(const std::string& text) {
    query::Schema schema;
    if (generator_.is_plane()) schema.space = Space::kPlane;
    if (generator_.has_embedding()) schema.embeddings.push_back({*DocumentPath::parse("/v"), VectorMetric::kCosine});
    return query::compile({text, {}}, schema);
  }

  void compare_changing(const std::string& text, bool restarts) {
    SCOPED_TRACE(text);
    auto plan = plan_of(text);
    ASSERT_TRUE(plan) << plan.error().message;
    for (size_t i = 0; i < containers_.size(); ++i) {
      SCOPED_TRACE(containers_[i]->definition.id);
      const std::vector<std::string> expected = of_staying(by_scan(containers_[i], *plan));
      const auto between_pages = [&] {
        change(containers_[i]);
        if (restarts && changes_ % 10 == 0) restart();
      };
      for (const size_t page_rows : {size_t{2}, size_t{9}}) {
        EXPECT_EQ(of_staying(by_gateway(i, *plan, page_rows, between_pages)), expected) << "in pages of " << page_rows;
      }
    }
  }

  void compare(const std::string& text) {
    SCOPED_TRACE(text);
    auto plan = plan_of(text);
    ASSERT_TRUE(plan) << plan.error().message;
    for (size_t i = 0; i < containers_.size(); ++i) {
      SCOPED_TRACE(containers_[i]->definition.id);
      const std::vector<std::string> expected = by_scan(containers_[i], *plan);
      for (const size_t page_rows : {size_t{1000}, size_t{7}}) {
        EXPECT_EQ(by_gateway(i, *plan, page_rows), expected) << "in pages of " << page_rows;
      }
    }
  }

  TestAccount account_;
  Items items_{account_.clock, account_.documents, account_.random};
  QueryGenerator generator_;
  std::vector<Ptr> containers_;
  size_t changes_ = 0;
  FairMemory ahead_memory_{1 << 20};
  FairScheduler workers_{{.limits = {.slots = 1, .places = 1, .processors = 3}}, account_.clock};
  const SpareWorkers helpers_{workers_, ahead_memory_, {1, 1}, 3, 0};
};

void for_each_round(const std::function<void(Round&)>& run) {
  const uint64_t first = number_from_environment("PARTITA_SEED", 1);
  const uint64_t rounds = number_from_environment("PARTITA_ROUNDS", kRoundsInShort);
  for (uint64_t seed = first; seed < first + rounds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("PARTITA_SEED={}", seed));
    Round round(seed);
    run(round);
  }
}

}  // namespace

TEST(QueryDifferential, AnswersAndChargesAreTheSameWithHelpersThatReadAhead) {
  for_each_round([](Round& round) {
    round.run_parallel();
    EXPECT_GT(round.helpers_begun(), kQueriesPerRound);
  });
}

TEST(QueryDifferential, IndexedAndScannedAnswersAreTheSame) {
  for_each_round([](Round& round) { round.run(); });
}

TEST(QueryDifferential, WhatStaysIsGivenOnceWhileOtherDocumentsChange) {
  for_each_round([](Round& round) { round.run_changing(); });
}

}  // namespace partita
