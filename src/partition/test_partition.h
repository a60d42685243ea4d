#pragma once

#include "engine/check/consistency.h"
#include "engine/test_items.h"
#include "partition/partition.h"
#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// For tests of this room.
namespace partita {

// A partition on a store of its own, with either durability.
class PartitionTest : public testing::TestWithParam<Durability> {
 public:
  static std::string name_of(const testing::TestParamInfo<Durability>& info) {
    return info.param == Durability::kSynced ? "Synced" : "Relaxed";
  }

 protected:
  static constexpr PartitionId kId{1};

  explicit PartitionTest(std::shared_ptr<Disk> disk = nullptr) : store_(GetParam(), std::move(disk)) {
    open();
    start_ = partition_->applied_lsn().value;
  }

  void open() { partition_ = Partition::open(*store_, clock_, kId, {}, {IndexId{1}, policy_}, rules_).value(); }

  // The LSN of the n-th write.
  Lsn nth(uint64_t n) const { return Lsn{start_ + n}; }

  std::string key(std::string_view pk, std::string_view id) const {
    const PartitionKey partition_key{{std::string(pk)}};
    return item_key(kId, effective_partition_key(partition_key, key_), partition_key, id);
  }
  static std::string document(std::string_view pk, std::string_view id, int n) {
    return "{\"id\":\"" + std::string(id) + "\",\"pk\":\"" + std::string(pk) + "\",\"n\":" + std::to_string(n) + "}";
  }

  Partition::Body putting(std::string_view pk, std::string_view id, int n) {
    return [=, this, pk = std::string(pk), id = std::string(id)](Transaction& transaction) -> Status {
      TRY_ASSIGN(const Item* stored, transaction.find(key(pk, id)));
      const uint64_t number = stored != nullptr ? stored->number.value : ++newest_;
      transaction.put(key(pk, id), item_from_json(number, document(pk, id, n)));
      return {};
    };
  }
  Result<Partition::Commit> transact(std::string_view pk, const Partition::Body& body) {
    std::promise<Result<Partition::Commit>> outcome;
    partition_->transact(pk, body, [&](Result<Partition::Commit> commit) { outcome.set_value(std::move(commit)); });
    return outcome.get_future().get();
  }
  Result<Partition::Commit> put(std::string_view pk, std::string_view id, int n) { return transact(pk, putting(pk, id, n)); }
  std::string stored(std::string_view pk, std::string_view id) {
    const Result<std::optional<Item>> found = partition_->slice().find(key(pk, id));
    return found && *found ? to_json((*found)->document()) : "none";
  }
  void grow_index(const Partition::Index& next, DocumentNumber filled_to = {}) {
    const Partition::Pause pause = partition_->pause_writers();
    partition_->set_index(partition_->index(), partition_->growth_of(next, filled_to));
  }
  void fill_index(IndexId growing) {
    Result<bool> is_filled = false;
    while (is_filled && !*is_filled) is_filled = partition_->fill_index(growing);
    ASSERT_TRUE(is_filled) << is_filled.error().message;
  }
  void switch_index(const Partition::Index& next) {
    const Partition::Pause pause = partition_->pause_writers();
    partition_->set_index(next);
  }
  void expect_growing_consistent() {
    const std::optional<Partition::Growth> growth = partition_->growth();
    ASSERT_TRUE(growth);
    const Result<ConsistencyReport> report =
        check_growing_index(partition_->slice(), growth->index.id, *growth->index.policy, growth->filled_to);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->messages, testing::IsEmpty());
  }
  void expect_consistent() {
    const Result<ConsistencyReport> report = check_consistency(partition_->slice(), key_, {}, *partition_->index().policy);
    ASSERT_TRUE(report);
    EXPECT_THAT(report->messages, testing::IsEmpty());
    EXPECT_EQ(report->counted.documents, partition_->counters().documents);
  }
  std::shared_ptr<const IndexingPolicy> policy(std::string_view json) const {
    return std::make_shared<const IndexingPolicy>(policy_from_json(json, key_));
  }

  TestStore store_;
  PartitionKeyDefinition key_ = key_definition({"/pk"});
  std::shared_ptr<const IndexingPolicy> policy_ = policy("{}");
  ManualClock clock_{1'700'000'000'000};
  Partition::Rules rules_ = std::make_shared<const DocumentRules>();
  std::shared_ptr<Partition> partition_;
  uint64_t start_ = 0;
  std::atomic<uint64_t> newest_ = 0;
};

}  // namespace partita
