#include "cluster/index/index_builder.h"
#include "cluster/reshape/reshaper.h"
#include "cluster/test_account.h"
#include "cluster/test_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

// What becomes of work in the background that fails.
namespace partita {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kOnlyN = R"({"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]})";

class BackgroundWorkTest : public testing::Test {
 protected:
  void make_and_fill(std::string_view id) {
    TestWriter writer(account_.make_container(id, {"/pk"}));
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(writer.put(fmt::format("k{}", i), "d", i));
  }
  std::shared_ptr<const Container> container(std::string_view id) { return account_.catalog->container("db", id).value(); }
  std::vector<BackgroundFailure> failures() { return account_.catalog->failures()->all(); }
  // So that nothing can be written any more.
  void break_disk() {
    failing_.emplace();
    WriteBatch batch(*account_.store);
    std::string noise(3 * FailingDisk::kFileBytesMax, ' ');  // does not compress
    for (char& c : noise) c = static_cast<char>(account_.random.next());
    batch.put(Family::kItems, std::string(4, '\xFE'), noise);
    ASSERT_FALSE(account_.store->apply_durably(batch));
  }

  TestAccount account_{Durability::kSynced};
  std::optional<FailingDisk> failing_;
};

}  // namespace

TEST_F(BackgroundWorkTest, ASplitThatFailsIsToldAndTriedAgainMoreAndMoreSeldom) {
  make_and_fill("c");
  ReshapeLimits limits;
  limits.partition_bytes_max = container("c")->places[0].partition->counters().record_bytes * 2 / 3;
  std::optional<Reshaper> reshaper(std::in_place, *account_.store, *account_.catalog, account_.clock, limits);
  break_disk();
  EXPECT_EQ(reshaper->work().error().code, ErrorCode::kStorageFailure);
  ASSERT_EQ(failures().size(), 1u);
  EXPECT_EQ(failures()[0].kind, background::kReshape);
  EXPECT_EQ(failures()[0].subject, "dbs/db/colls/c");
  EXPECT_THAT(failures()[0].message, HasSubstr("File too large"));
  EXPECT_FALSE(reshaper->work());
  EXPECT_EQ(failures()[0].tries, 1u) << "it was too early";
  account_.clock.advance_ms(kFirstRetryMs);
  EXPECT_FALSE(reshaper->work());
  EXPECT_EQ(failures()[0].tries, 2u);
  account_.clock.advance_ms(2 * kFirstRetryMs - 1);
  EXPECT_FALSE(reshaper->work());
  EXPECT_EQ(failures()[0].tries, 2u) << "it was too early again";
  // This kind of failure needs a restart.
  reshaper.reset();
  failing_.reset();
  account_.reopen();
  reshaper.emplace(*account_.store, *account_.catalog, account_.clock, limits);
  EXPECT_TRUE(reshaper->work().value());
  EXPECT_THAT(failures(), IsEmpty());
  EXPECT_EQ(container("c")->places.size(), 2u);
}

TEST_F(BackgroundWorkTest, AnIndexThatCannotBeBuiltKeepsNoOtherFromGrowing) {
  make_and_fill("bad");
  make_and_fill("good");
  const Partition& partition = container("bad")->places[0].partition->local();
  WriteBatch batch(*account_.store);
  batch.put(Family::kItems, item_row_key(partition.id(), DocumentNumber{50}), "garbage");
  ASSERT_TRUE(account_.store->apply(batch));
  for (const char* id : {"bad", "good"}) {
    ASSERT_TRUE(account_.catalog->replace_container("db", id, container_definition(id, {"/pk"}, kOnlyN)));
  }
  IndexBuilder builder(*account_.catalog);
  EXPECT_EQ(builder.run_round().error().code, ErrorCode::kCorruption);
  EXPECT_FALSE(container("good")->places[0].partition->local().growth());
  EXPECT_TRUE(container("bad")->places[0].partition->local().growth());
  ASSERT_EQ(failures().size(), 1u);
  EXPECT_EQ(failures()[0].kind, background::kBuildIndex);
  EXPECT_EQ(failures()[0].subject, "dbs/db/colls/bad/pkranges/0");
  EXPECT_FALSE(builder.finish());
  EXPECT_EQ(failures()[0].tries, 1u);
  account_.clock.advance_ms(kFirstRetryMs);
  EXPECT_FALSE(builder.finish());
  EXPECT_EQ(failures()[0].tries, 2u);
  // With its container, or another policy, there is nothing to build any more.
  ASSERT_TRUE(account_.catalog->delete_container("db", "bad"));
  EXPECT_EQ(builder.run_round().value(), 0u);
}

TEST_F(BackgroundWorkTest, OrdersOfOperatorsAreBounded) {
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  size_t taken = 0;
  while (taken < 10'000) {
    std::move_only_function<void()> task = [] {};
    if (!reshaper.post(task)) break;
    ++taken;
  }
  EXPECT_EQ(taken, 64u);
}

}  // namespace partita
