#include "engine/index/index_reader.h"

#include "engine/index/index_terms.h"
#include "engine/test_items.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

class IndexReaderTest : public testing::Test {
 protected:
  void put(uint64_t number, std::string_view json) {
    const Item item = item_from_json(number, json);
    TermList terms;
    collect_terms(item.document(), policy_, terms);
    WriteBatch batch(*store_);
    std::string key;
    for (size_t i = 0; i < terms.size(); ++i) {
      assign_index_key(key, slice_.index(), terms[i], item.number);
      batch.put(Family::kIndex, key, {});
    }
    ASSERT_TRUE(store_->apply(batch));
  }

  // Numbers of the documents, from the cursor's place to its end.
  static std::string numbers(IndexCursor& cursor, bool is_backwards = false) {
    std::string out;
    for (; cursor.valid(); is_backwards ? cursor.previous() : cursor.next()) out += fmt::format("{} ", cursor.number().value);
    EXPECT_TRUE(cursor.status());
    return out;
  }

  TestStore store_{Durability::kRelaxed};
  Slice slice_{*store_, PartitionId{1}, IndexId{7}};
  IndexingPolicy policy_ = policy_from_json("{}", {});
  ValuePath a_ = ValuePath().property("a");
};

}  // namespace

TEST_F(IndexReaderTest, GivesEntriesOfAPathInTheOrderOfValues) {
  put(1, R"({"a":5,"b":1})");
  put(2, R"({"a":"x"})");
  put(3, R"({"a":-2})");
  put(4, R"({"a":5})");
  put(5, R"({"b":[5]})");
  const IndexReader reader(slice_, store_->snapshot());
  IndexCursor all = reader.entries(a_, key_forms_of_defined());
  all.seek_first();
  EXPECT_EQ(numbers(all), "3 1 4 2 ");
  all.seek_last();
  EXPECT_EQ(numbers(all, true), "2 4 1 3 ");
  IndexCursor elements = reader.entries(ValuePath().property("b").element(), key_forms_of_defined());
  elements.seek_first();
  EXPECT_EQ(numbers(elements), "5 ");
}

TEST_F(IndexReaderTest, StaysWithinItsRangeAndSnapshot) {
  put(1, R"({"a":1})");
  put(2, R"({"a":2})");
  put(3, R"({"a":2})");
  put(4, R"({"a":"2"})");
  const IndexReader reader(slice_, store_->snapshot());
  put(5, R"({"a":2})");
  std::string two;
  append_key_form_number(two, 2);
  IndexCursor numbers_only = reader.entries(a_, key_forms_of(ValueType::kNumber));
  numbers_only.seek(two);
  EXPECT_EQ(numbers(numbers_only), "2 3 ");
  numbers_only.seek(two, DocumentNumber{3});
  EXPECT_EQ(numbers_only.key_form(), two);
  EXPECT_EQ(numbers(numbers_only), "3 ");
}

}  // namespace partita
