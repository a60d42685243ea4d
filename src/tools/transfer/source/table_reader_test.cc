#include "tools/transfer/source/cells.h"
#include "tools/transfer/source/source_window.h"
#include "tools/transfer/source/test_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::tools::transfer {
namespace {

using testing::HasSubstr;

std::string table(const std::string& text, std::string_view columns = {}, char delimiter = ',') {
  const Result<std::vector<ColumnType>> types = parse_columns(columns);
  return records_text(*read_table(std::make_unique<SmallPieces>(text, 3), {.delimiter = delimiter, .columns = types.value()}));
}

TEST(TableReader, InfersTypesOfCellsWithoutQuotationMarks) {
  EXPECT_EQ(
      table("id,a,b,c,d\n7,1.50,true,,null\nx,007,\"12\",\"\",-\n"),
      "2: {\"id\":\"7\",\"a\":1.5,\"b\":true,\"d\":null}\n3: {\"id\":\"x\",\"a\":\"007\",\"b\":\"12\",\"c\":\"\",\"d\":\"-\"}\n");
}

TEST(TableReader, ReadsQuotationMarksLineBreaksAndNestedValues) {
  EXPECT_EQ(table("id,a\r\nx,\"say \"\"hi\"\",\nthen go\"\r\ny,\"{\"\"b\"\":[1]}\"\r\n"),
            "2: {\"id\":\"x\",\"a\":\"say \\\"hi\\\",\\nthen go\"}\n4: {\"id\":\"y\",\"a\":{\"b\":[1]}}\n");
}

TEST(TableReader, TakesTheTypesThatItIsTold) {
  EXPECT_EQ(table("id;zip;n\na;1234;5\nb;x;y\n", "zip:string,n:number", ';'),
            "2: {\"id\":\"a\",\"zip\":\"1234\",\"n\":5}\n3: fault: column 'n': 'y' is no number\n");
  EXPECT_THAT(table("id\na\n", "zip:string"), HasSubstr("error: the header has no column 'zip'"));
  EXPECT_FALSE(parse_columns("zip:text").has_value());
  EXPECT_FALSE(parse_columns("zip").has_value());
}

TEST(TableReader, SaysWhichLineIsWrong) {
  EXPECT_EQ(table("id,a\nx\ny,1\n"), "2: fault: the line has 1 cells, the header 2\n3: {\"id\":\"y\",\"a\":1}\n");
  EXPECT_EQ(table("id,a\nx,\"1\"2\ny,1\n"),
            "2: fault: there is text behind a closing quotation mark\n3: {\"id\":\"y\",\"a\":1}\n");
  EXPECT_EQ(table("id,a\nx,\"1\n"), "2: fault: a quotation mark is not closed\n");
  EXPECT_EQ(table("id,a\nx,\xFF\n"), "2: fault: column 'a': the text is not UTF-8\n");
  EXPECT_THAT(table("id,id\n"), HasSubstr("error: line 1: the header has 'id' twice"));
  EXPECT_THAT(table("id,\n"), HasSubstr("error: line 1: the header has a column without a name"));
}

TEST(Cells, ComeBackAsTheyWere) {
  for (const std::string json : {R"("a")", R"("")", R"("12")", R"("true")", R"("a,b")", R"("say \"hi\"\n")", "12", "-1.5", "true",
                                 "null", R"({"a":[1,"x"]})", "[]", R"("007")", R"("- ")"}) {
    const std::string stored = stored_from_json(json).value();
    std::string cell;
    append_cell(cell, Value::view(stored), ',');
    EXPECT_EQ(table("id,a\nx," + cell + "\n"), "2: {\"id\":\"x\",\"a\":" + json + "}\n") << cell;
  }
}

}  // namespace
}  // namespace partita::tools::transfer
