#include "access/partition_reader.h"

#include "base/random.h"
#include "partition/test_partition.h"
#include "query/query.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// One partition with six documents, numbered from 1 on: n falls while numbers rise, and two logical partitions alternate.
class PartitionReaderTest : public PartitionTest {
 protected:
  void SetUp() override {
    for (int i = 1; i <= 6; ++i) ASSERT_TRUE(put(i % 2 == 0 ? "even" : "odd", std::to_string(i), 10 - i));
  }

  PartitionReader open(std::string_view text) {
    plan_ = query::compile({std::string(text), {}}).value();
    purpose_ = {&plan_, &environment_, std::nullopt};
    return PartitionReader::open(std::make_shared<const PartitionClient>(partition_), {key_, range_, logical_}, purpose_,
                                 pending_);
  }

  // Of the documents that are wanted.
  static std::vector<uint64_t> numbers_of(Result<DocumentCursor> cursor) {
    std::vector<uint64_t> numbers;
    for (; !cursor->is_at_end(); cursor->next()) {
      const Result<Value> document = document_of_record(cursor->number(), cursor->record().value());
      if (cursor->is_wanted(*document)) numbers.push_back(cursor->number().value);
    }
    EXPECT_TRUE(cursor->status());
    return numbers;
  }
  static std::vector<uint64_t> numbers_of(OrderedCursor cursor) {
    std::vector<uint64_t> numbers;
    for (Status status = cursor.begin(); status && !cursor.is_at_end(); status = cursor.next()) {
      if (!cursor.document()->is_undefined()) numbers.push_back(cursor.number().value);
    }
    return numbers;
  }

  Random random_{1};
  query::Environment environment_{.clock = clock_, .random = random_};
  query::Plan plan_;
  ReadPurpose purpose_;
  EffectiveKeyRange range_;
  std::optional<PartitionKey> logical_;
  std::vector<PendingDurability> pending_;
};

INSTANTIATE_TEST_SUITE_P(Durabilities, PartitionReaderTest, testing::Values(Durability::kSynced), PartitionTest::name_of);

TEST_P(PartitionReaderTest, GivesDocumentsBehindANumber) {
  EXPECT_THAT(numbers_of(open("SELECT * FROM c").documents({})), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(numbers_of(open("SELECT * FROM c").documents({4})), ElementsAre(5, 6));
}

TEST_P(PartitionReaderTest, LetsTheIndexChooseDocuments) {
  Result<DocumentCursor> cursor = open("SELECT * FROM c WHERE c.n >= 8").documents({});
  EXPECT_THAT(cursor->use_text(), testing::HasSubstr("/n"));
  EXPECT_THAT(numbers_of(std::move(cursor)), ElementsAre(1, 2));
}

TEST_P(PartitionReaderTest, WantsOnlyDocumentsOfTheKeyAndTheRange) {
  logical_ = PartitionKey{{std::string("even")}};
  EXPECT_THAT(numbers_of(open("SELECT * FROM c").documents({})), ElementsAre(2, 4, 6));
  range_.max = effective_partition_key(*logical_, key_);
  EXPECT_THAT(numbers_of(open("SELECT * FROM c").documents({})), IsEmpty());
  logical_.reset();
  const bool is_odd_below = effective_partition_key({{std::string("odd")}}, key_) < range_.max;
  EXPECT_THAT(numbers_of(open("SELECT * FROM c").documents({})), SizeIs(is_odd_below ? 3 : 0));
}

TEST_P(PartitionReaderTest, GivesTheOrderThatTheIndexHas) {
  EXPECT_THAT(numbers_of(*open("SELECT * FROM c ORDER BY c.n").in_order(nullptr).value()), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(numbers_of(*open("SELECT * FROM c ORDER BY c.n DESC").in_order(nullptr).value()), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_FALSE(open("SELECT * FROM c ORDER BY c.n, c.id").in_order(nullptr).value());
}

TEST_P(PartitionReaderTest, StartsAnOrderAtTheRowOfThePosition) {
  query::Position position;
  position.origin.number = 4;
  query::append_sort_key(position.order, query::Datum::number(6), false);
  EXPECT_THAT(numbers_of(*open("SELECT * FROM c ORDER BY c.n").in_order(&position).value()), ElementsAre(4, 3, 2, 1));
}

TEST_P(PartitionReaderTest, CountsWithoutDocuments) {
  EXPECT_EQ(open("SELECT VALUE COUNT(1) FROM c").count().value()->count, 6U);
  EXPECT_EQ(open("SELECT VALUE COUNT(1) FROM c WHERE c.n > 7").count().value()->count, 2U);
  logical_ = PartitionKey{{std::string("odd")}};
  range_ = range_of_prefix(*logical_, key_);
  EXPECT_EQ(open("SELECT VALUE COUNT(1) FROM c").count().value()->count, 3U);
  range_.min = range_.max;
  EXPECT_FALSE(open("SELECT VALUE COUNT(1) FROM c").count().value());
}

TEST_P(PartitionReaderTest, ShowsThePartitionAsItWasWhenOpened) {
  PartitionReader reader = open("SELECT * FROM c");
  ASSERT_TRUE(put("odd", "7", 3));
  EXPECT_THAT(numbers_of(std::move(reader).documents({})), SizeIs(6));
  EXPECT_THAT(numbers_of(open("SELECT * FROM c").documents({})), SizeIs(7));
  EXPECT_THAT(pending_, IsEmpty());
}

// Without documents, counts and orders would look as if there were none.
TEST_P(PartitionReaderTest, SaysThatAPartitionIsGoneWhoseRowsMayBeDropped) {
  PartitionReader reader = open("SELECT * FROM c ORDER BY c.n");
  partition_->close_to_readers();
  const ErrorCode gone = ErrorCode::kPartitionGone;
  EXPECT_EQ(std::move(reader).in_order(nullptr).error().code, gone);
  EXPECT_EQ(open("SELECT * FROM c").documents({}).error().code, gone);
  EXPECT_EQ(open("SELECT VALUE COUNT(1) FROM c").count().error().code, gone);
}

}  // namespace
}  // namespace partita
