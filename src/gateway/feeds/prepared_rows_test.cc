#include "gateway/feeds/prepared_rows.h"

#include "document/json/json.h"

#include <gtest/gtest.h>

#include <string>

namespace partita {
namespace {

using query::Datum;

TEST(PreparedRows, GivesBackWhatWasAppended) {
  FairMemory memory(1 << 20);
  PreparedRows rows(memory, 1);
  const Datum long_text = Datum::string("a text that is not short");
  ASSERT_TRUE(rows.append({.number = {7}, .record_bytes = 300, .entries_read = 2, .document = {}, .row = {}}, {.steps = 5}));
  ASSERT_TRUE(rows.append(
      {.number = {1ULL << 40}, .stands_for = 900, .record_bytes = 1 << 20, .entries_read = 70'000, .document = {}, .row = {}},
      {.passes = true, .steps = 1 << 30, .has_values = true, .values = {Datum(), Datum::number(0.5), long_text}}));
  const PreparedDocument* row = rows.take();
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->number.value, 7U);
  EXPECT_EQ(row->stands_for, 1U);
  EXPECT_EQ(row->record_bytes, 300U);
  EXPECT_EQ(row->entries_read, 2U);
  EXPECT_FALSE(row->row.passes);
  EXPECT_EQ(row->row.steps, 5U);
  EXPECT_FALSE(row->document.is_undefined()) << "would be the end of the source";
  row = rows.take();
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->number.value, 1ULL << 40);
  EXPECT_EQ(row->stands_for, 900U);
  EXPECT_EQ(row->record_bytes, 1U << 20);
  EXPECT_EQ(row->entries_read, 70'000U);
  EXPECT_TRUE(row->row.passes);
  EXPECT_EQ(row->row.steps, 1U << 30);
  ASSERT_EQ(row->row.values.size(), 3U);
  EXPECT_TRUE(row->row.values[0].is_undefined());
  EXPECT_EQ(row->row.values[1].number(), 0.5);
  EXPECT_EQ(row->row.values[2].string(), "a text that is not short");
  EXPECT_EQ(rows.take(), nullptr);
}

TEST(PreparedRows, KeepsTheDocumentWhereThePlanNeedsIt) {
  FairMemory memory(1 << 20);
  PreparedRows rows(memory, 1);
  StoredWriter writer;
  ASSERT_TRUE(read_json(R"({"a":[1,2]})", writer));
  ASSERT_TRUE(rows.append({.number = {1}, .document = writer.view(), .row = {}}, {.passes = true}));
  EXPECT_EQ(to_json(rows.take()->document), R"({"a":[1,2]})");
}

TEST(PreparedRows, RefusesWhatThereIsNoMemoryForAndGivesItBackWhileRowsAreTaken) {
  FairMemory memory(256 << 10);
  const std::string text(10'000, 'x');
  PreparedRows rows(memory, 1);
  uint64_t appended = 0;
  while (rows.append({.number = {appended + 1}, .document = {}, .row = {}},
                     {.passes = true, .has_values = true, .values = {Datum::string(text)}}))
    ++appended;
  EXPECT_GT(appended, 10U);
  EXPECT_LE(memory.taken(), memory.largest_share());
  EXPECT_GT(memory.taken(), appended * text.size());
  for (uint64_t i = 1; i <= appended; ++i) {
    const PreparedDocument* row = rows.take();
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->number.value, i);
    EXPECT_EQ(row->row.values[0].string(), text);
  }
  EXPECT_EQ(rows.take(), nullptr);
  EXPECT_EQ(memory.taken(), 0U);
}

}  // namespace
}  // namespace partita
