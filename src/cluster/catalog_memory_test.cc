#include "cluster/catalog_memory.h"

#include "cluster/reshape/reshaper.h"
#include "cluster/test_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

// What a key's owner may create without end must not take all of the memory.
namespace partita {
namespace {

constexpr size_t kMemoryBytes = 1 << 20;
constexpr size_t kLargeBytes = kMemoryBytes / 16;
constexpr int64_t kDearThroughput = 1'000'000;  // a hundred partitions

class CatalogMemoryTest : public testing::Test {
 protected:
  static ScriptDefinition script(int number, size_t bytes) {
    return {"s" + std::to_string(number), std::string(bytes, 'x'), *stored_from_json("{}")};
  }
  Status write(const Container& container, int number, size_t bytes, bool may_exist = false) {
    const auto written =
        account_.catalog->scripts().write(container, ScriptType::kUserFunction, script(number, bytes), may_exist);
    return written ? Status() : Status(std::unexpected(written.error()));
  }
  // How many succeed until one is refused.
  template <typename Create>
  static int count_until_refused(const Create& create) {
    for (int i = 0; i < 10'000; ++i) {
      const Status created = create(i);
      if (created) continue;
      EXPECT_EQ(created.error().code, ErrorCode::kForbidden) << created.error().message;
      EXPECT_THAT(created.error().message, testing::HasSubstr("--memory-mb"));
      return i;
    }
    ADD_FAILURE() << "nothing was refused";
    return 0;
  }

  TestAccount account_{Durability::kRelaxed, RateLimits{.memory_bytes = kMemoryBytes}};
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
};

}  // namespace

TEST_F(CatalogMemoryTest, ScriptsOfADatabaseTakeThreeQuarters) {
  const int written = count_until_refused([&](int i) { return write(*container_, i, kLargeBytes); });
  EXPECT_GE(written, 8);
  EXPECT_LE(written, 11);
  EXPECT_EQ(write(*container_, 0, 3 * kLargeBytes, true).error().code, ErrorCode::kForbidden) << "nor may one grow";
  EXPECT_TRUE(write(*container_, 0, kLargeBytes, true)) << "but it may be replaced";
  EXPECT_TRUE(account_.catalog->create_database("other", std::nullopt));
  const auto other = account_.catalog->create_container("other", container_definition("c", {"/pk"}), std::nullopt);
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_TRUE(write(**other, 0, kLargeBytes)) << "others have found something";
}

TEST_F(CatalogMemoryTest, WhatIsDeletedIsGivenBack) {
  const size_t before = account_.catalog->memory_taken();
  count_until_refused([&](int i) { return write(*container_, i, kLargeBytes); });
  EXPECT_TRUE(account_.catalog->scripts().erase(*container_, ScriptType::kUserFunction, {.id = "s0", .number = std::nullopt}));
  EXPECT_TRUE(write(*container_, 0, kLargeBytes));
  EXPECT_TRUE(write(*container_, 0, 10, true)) << "it may shrink";
  EXPECT_TRUE(write(*container_, 0, kLargeBytes, true));
  container_ = nullptr;
  EXPECT_TRUE(account_.catalog->delete_container("db", "c"));
  EXPECT_LT(account_.catalog->memory_taken(), before);
}

TEST_F(CatalogMemoryTest, WhatIsThereIsOpenedWithLess) {
  count_until_refused([&](int i) { return write(*container_, i, kMemoryBytes / 100); });
  container_ = nullptr;
  account_.limits.memory_bytes = kMemoryBytes / 8;
  account_.reopen();
  const auto container = account_.catalog->container("db", "c");
  ASSERT_TRUE(container);
  EXPECT_GT(account_.catalog->memory_taken(), account_.limits.memory_bytes);
  EXPECT_EQ(write(**container, 10'000, 1).error().code, ErrorCode::kForbidden);
}

TEST_F(CatalogMemoryTest, PartitionsTakeOfItToo) {
  const auto create = [&](std::string_view id, int64_t throughput) {
    return account_.catalog->create_container("db", container_definition(id, {"/pk"}),
                                              Throughput{.provisioned = throughput, .autoscale_max = std::nullopt});
  };
  const size_t before = account_.catalog->memory_taken();
  const auto refused = create("d", kDearThroughput);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kForbidden);
  EXPECT_EQ(account_.catalog->memory_taken(), before);
  EXPECT_TRUE(create("d", 20'000));
  EXPECT_GE(count_until_refused([&](int i) -> Status {
              const auto made = create("e" + std::to_string(i), 400);
              return made ? Status() : Status(std::unexpected(made.error()));
            }),
            10);
}

TEST_F(CatalogMemoryTest, SplitsAreRefusedWhenItIsUsedUp) {
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  const auto depth_of = [](const PartitionPlace& place) { return place.parents.size(); };
  const int splits = count_until_refused([&](int) -> Status {
    const auto container = account_.catalog->container("db", "c");
    TRY(reshaper.split("db", "c", std::ranges::min_element((*container)->places, {}, depth_of)->range_id));
    return {};
  });
  EXPECT_GE(splits, 10);
  EXPECT_LE(splits, 48);
}

TEST_F(CatalogMemoryTest, UsersAndDefinitionsTakeOfItToo) {
  const ChildPlace users{.database = container_->database->number, .type = ChildType::kUser, .user = 0};
  const std::string properties = *stored_from_json(R"({"text":")" + std::string(kMemoryBytes / 20, 'x') + R"("})");
  EXPECT_GE(count_until_refused([&](int i) -> Status {
              TRY(account_.catalog->children().write(users, {"u" + std::to_string(i), properties}, false));
              return {};
            }),
            8);
  ContainerDefinition large = container_definition("c", {"/pk"});
  large.properties = properties;
  EXPECT_EQ(account_.catalog->replace_container("db", "c", large).error().code, ErrorCode::kForbidden);
  for (int i = 0; i < 8; ++i) {
    const std::string id = "u" + std::to_string(i);
    EXPECT_TRUE(account_.catalog->children().erase(users, {.id = id, .number = std::nullopt}));
  }
  EXPECT_TRUE(account_.catalog->replace_container("db", "c", large));
}

}  // namespace partita
