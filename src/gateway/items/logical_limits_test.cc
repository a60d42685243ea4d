#include "cluster/logical_limits.h"

#include "cluster/test_account.h"
#include "gateway/items/items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>

namespace partita {
namespace {

constexpr uint64_t kBytesMax = 64 * 1024;
constexpr size_t kDocumentBytes = 1024;

class LogicalLimitsTest : public testing::Test {
 protected:
  template <typename Call>
  static std::string outcome_of(Call call) {
    std::promise<Result<ItemOutcome>> outcome;
    call([&](Result<ItemOutcome> result) { outcome.set_value(std::move(result)); });
    const Result<ItemOutcome> result = outcome.get_future().get();
    return result ? "done" : std::string(name_of(result.error().code));
  }
  std::string upsert(std::string_view pk, int id, size_t bytes = kDocumentBytes) {
    const std::string json = fmt::format(R"({{"id":"{}","pk":"{}","text":"{}"}})", id, pk, std::string(bytes, 'x'));
    return outcome_of([&](Items::Callback callback) { items_.upsert(container_, json, std::nullopt, {}, std::move(callback)); });
  }
  std::string erase(std::string_view pk, int id) {
    const std::string text = std::to_string(id);
    const ItemName name{.id = text, .number = std::nullopt, .key = PartitionKey{{std::string(pk)}}};
    return outcome_of([&](Items::Callback callback) { items_.erase(container_, name, {}, std::move(callback)); });
  }
  // Documents of a key value that could be written before it was full. Looks at the sizes after each.
  int fill(std::string_view pk) {
    for (int id = 0; id < 1000; ++id) {
      const std::string outcome = upsert(pk, id);
      if (outcome != "done") {
        EXPECT_EQ(outcome, "LogicalPartitionFull");
        return id;
      }
      EXPECT_TRUE(limits_.run_round());
    }
    return 1000;
  }

  TestAccount account_;
  Items items_{account_.clock, account_.documents, account_.random};
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
  LogicalLimits limits_{*account_.catalog, kBytesMax};
};

}  // namespace

TEST_F(LogicalLimitsTest, AFullKeyValueGrowsNoMoreAndOthersDo) {
  const int written = fill("full");
  const uint64_t bytes = container_->places[0].partition->counters().record_bytes;
  EXPECT_LE(bytes, kBytesMax);
  EXPECT_GT(bytes, kBytesMax - 2 * kDocumentBytes);
  EXPECT_EQ(upsert("other", 1), "done");
  EXPECT_EQ(upsert("full", 0), "done");  // as large as it was
  EXPECT_EQ(upsert("full", 0, kBytesMax), "LogicalPartitionFull");
  EXPECT_EQ(erase("full", 1), "done");
  EXPECT_EQ(upsert("full", written), "done");
  EXPECT_EQ(upsert("full", written + 1), "LogicalPartitionFull");
}

TEST_F(LogicalLimitsTest, FindsTheFullOneAmongMany) {
  for (int id = 0; id < 60; ++id) {
    for (int pk = 0; pk < 5; ++pk) ASSERT_EQ(upsert(fmt::format("small{}", pk), id, 100), "done");
  }
  const int written = fill("large");
  EXPECT_NEAR(written, kBytesMax / kDocumentBytes, 15);
  EXPECT_EQ(upsert("small0", 1000), "done");
  // While others are deleted and the whole does not grow, a second one does.
  for (int id = 0; id < written; ++id) ASSERT_EQ(erase("large", id), "done");
  EXPECT_NEAR(fill("second"), kBytesMax / kDocumentBytes, 15);
}

TEST_F(LogicalLimitsTest, KnowsItAgainAfterARestart) {
  fill("full");
  account_.reopen();
  container_ = *account_.catalog->container("db", "c");
  LogicalLimits limits(*account_.catalog, kBytesMax);
  ASSERT_TRUE(limits.run_round());
  EXPECT_EQ(upsert("full", 1000), "LogicalPartitionFull");
}

}  // namespace partita
