#include "tools/shell/output/row_writer.h"

#include "document/json/json.h"
#include "tools/shell/text/columns.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace partita::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string written(RowFormat format, const std::vector<std::string>& rows, const RowStyle& style = {}) {
  std::string out;
  const auto writer = make_row_writer(format, style, [&](std::string_view text) { out += text; });
  for (const std::string& row : rows) writer->add(Value::view(stored_from_json(row).value()));
  writer->end();
  return out;
}

const std::vector<std::string> kRows = {R"({"id":"1","total":42,"city":"東京"})", R"({"id":"22","city":null,"tags":["a",1]})"};

}  // namespace

TEST(RowWriter, MakesTablesWithoutEmptyCells) {
  EXPECT_EQ(written(RowFormat::kTable, kRows),
            "id  total  city  tags\n"
            "--  -----  ----  -------\n"
            "1      42  東京  -\n"
            "22  -      null  [\"a\",1]\n");
  EXPECT_EQ(written(RowFormat::kTable, {"1", "\"x\"", "null"}), "value\n-----\n    1\nx\nnull\n");
  EXPECT_EQ(written(RowFormat::kTable, {}), "");
}

TEST(RowWriter, TablesFitIntoATerminal) {
  const std::string row = R"({"id":"1","text":")" + std::string(200, 'x') + R"(","more":")" + std::string(90, 'y') + "\"}";
  std::istringstream lines(written(RowFormat::kTable, {row}, {.is_terminal = true, .columns_max = 80}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(column_count(line), 80u) << line;
  EXPECT_THAT(written(RowFormat::kTable, {row}), HasSubstr(std::string(200, 'x'))) << "a pipe gets everything";
}

TEST(RowWriter, TablesLeaveOutWhatTheServerAdds) {
  const std::string document = R"({"id":"1","_rid":"r","_self":"s","_etag":"e","_attachments":"a","_ts":5})";
  EXPECT_EQ(written(RowFormat::kTable, {document}), "id\n--\n1\n");
  EXPECT_EQ(written(RowFormat::kTable, {R"({"_ts":5})"}), "_ts\n---\n  5\n");
  EXPECT_THAT(written(RowFormat::kLines, {document}), HasSubstr("_etag"));
}

// Somebody else's documents may each have other properties.
TEST(RowWriter, CsvOfVeryManyColumnsTakesLittleMemory) {
  size_t rows = 0;
  size_t longest = 0;
  const auto writer = make_row_writer(RowFormat::kCsv, {}, [&](std::string_view text) {
    rows += static_cast<size_t>(std::ranges::count(text, '\n'));
    longest = std::max(longest, text.size());
  });
  for (int document = 0; document < 500; ++document) {
    std::string json = "{";
    for (int member = 0; member < 1'000; ++member)
      json += fmt::format("{}\"m{}_{}\":1", member == 0 ? "" : ",", document, member);
    writer->add(Value::view(stored_from_json(json + "}").value()));
  }
  writer->end();
  EXPECT_EQ(rows, 501);
  EXPECT_TRUE(writer->has_lost_columns());
  EXPECT_LT(longest, 5 << 20);
}

TEST(RowWriter, MakesJsonThatCanBeRead) {
  EXPECT_EQ(written(RowFormat::kJson, {}), "[]\n");
  EXPECT_EQ(written(RowFormat::kJson, {"1", "{\"a\":2}"}), "[\n1,\n{\"a\":2}\n]\n");
  EXPECT_EQ(written(RowFormat::kLines, {"1", "{\"a\":2}"}), "1\n{\"a\":2}\n");
}

TEST(RowWriter, QuotesCsvAsOthersExpectIt) {
  EXPECT_EQ(written(RowFormat::kCsv, {R"({"a":"x,y","b":"say \"hi\"\n"})", R"({"b":"","c":[1]})"}),
            "a,b,c\r\n\"x,y\",\"say \"\"hi\"\"\n\",\r\n,\"\",[1]\r\n");
  EXPECT_EQ(written(RowFormat::kCsv, {"5"}), "value\r\n5\r\n");
  std::vector<std::string> rows(600, R"({"a":1})");
  rows.emplace_back(R"({"a":1,"late":2})");
  std::string out;
  const auto writer = make_row_writer(RowFormat::kCsv, {}, [&](std::string_view text) { out += text; });
  for (const std::string& row : rows) writer->add(Value::view(stored_from_json(row).value()));
  writer->end();
  EXPECT_TRUE(writer->has_lost_columns());
  EXPECT_THAT(out, Not(HasSubstr("late")));
}

TEST(RowWriter, ShowsAPropertyPerLine) {
  EXPECT_EQ(written(RowFormat::kVertical, kRows),
            "-- 1 --\nid     1\ntotal  42\ncity   東京\n-- 2 --\nid    22\ncity  null\ntags  [\"a\",1]\n");
}

TEST(RowWriter, LetsNoDocumentSpeakToATerminal) {
  const std::string row = R"({"a":"\u001b]0;owned\u0007\u009b31m\u202e","\u001b[2J":1})";
  for (const auto& [name, format] : row_formats()) {
    const std::string out = written(format, {row}, {.is_terminal = true, .columns_max = 80});
    for (const char* active : {"\x1b", "\x07", "\xC2\x9B", "\xE2\x80\xAE"}) EXPECT_THAT(out, Not(HasSubstr(active))) << name;
  }
}

TEST(RowWriter, KeepsFewRows) {
  size_t calls = 0;
  const auto writer = make_row_writer(RowFormat::kTable, {}, [&](std::string_view) { ++calls; });
  const std::string row = stored_from_json(R"({"a":1})").value();
  for (int i = 0; i < 5'000; ++i) writer->add(Value::view(row));
  EXPECT_GE(calls, 9u);
}

}  // namespace partita::tools
