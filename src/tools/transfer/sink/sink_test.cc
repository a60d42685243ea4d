#include "document/json/json.h"
#include "tools/transfer/sink/document_text.h"
#include "tools/transfer/sink/output_file.h"
#include "tools/transfer/source/byte_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

namespace partita::tools::transfer {
namespace {

std::string read_all(ByteSource& source) {
  std::string text;
  std::array<char, 1000> piece{};
  while (true) {
    const Result<size_t> bytes = source.read(piece);
    if (!bytes) return "error: " + bytes.error().message;
    if (*bytes == 0) return text;
    text.append(piece.data(), *bytes);
  }
}

std::string unpacked(const std::string& path) {
  uint64_t bytes = 0;
  return read_all(**decompressed(open_source(path, bytes).value(), path));
}

class OutputFileTest : public testing::TestWithParam<Compression> {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/out"; }

  std::string folder_ = testing::TempDir() + "partita-output-XXXXXX";
};

TEST_P(OutputFileTest, GoesOnWhereItWasSynced) {
  uint64_t length = 0;
  {
    OutputFile file = OutputFile::open(path(), GetParam(), 0).value();
    ASSERT_TRUE(file.write("one\n"));
    length = file.sync().value();
    ASSERT_TRUE(file.write("lost\n"));
    ASSERT_TRUE(file.sync());
  }
  {
    OutputFile file = OutputFile::open(path(), GetParam(), length).value();
    ASSERT_TRUE(file.write("two\n"));
    ASSERT_TRUE(file.sync());
    ASSERT_TRUE(file.write("three\n"));
    ASSERT_TRUE(file.sync());
  }
  EXPECT_EQ(unpacked(path()), "one\ntwo\nthree\n");
  EXPECT_FALSE(OutputFile::open(path(), GetParam(), length + 1'000'000).has_value());
}

TEST_P(OutputFileTest, SaysWhenWhatWasCompressedIsCutOff) {
  std::string text;
  for (int64_t number = 0; number < 100'000; ++number) text += std::to_string(number * number);
  {
    OutputFile file = OutputFile::open(path(), GetParam(), 0).value();
    ASSERT_TRUE(file.write(text));
    ASSERT_TRUE(file.sync());
  }
  EXPECT_EQ(unpacked(path()), text);
  std::filesystem::resize_file(path(), std::filesystem::file_size(path()) - 10);
  if (GetParam() != Compression::kNone)
    EXPECT_EQ(unpacked(path()), "error: " + path() + " is damaged: the compressed data ends too early");
}

INSTANTIATE_TEST_SUITE_P(Compressions, OutputFileTest,
                         testing::Values(Compression::kNone, Compression::kGzip, Compression::kZstd));

std::string text_of(DocumentText::Options options, const std::vector<std::string>& documents) {
  DocumentText text(std::move(options));
  std::vector<std::string> stored;
  std::vector<Value> values;
  for (const std::string& document : documents) stored.push_back(stored_from_json(document).value());
  for (const std::string& document : stored) values.push_back(Value::view(document));
  if (text.needs_columns()) {
    if (const Status chosen = text.choose_columns(values); !chosen) return chosen.error().message;
  }
  std::string out;
  for (const Value& value : values) {
    if (const Status status = text.append(value, out); !status) return status.error().message;
  }
  text.end(out);
  return out;
}

TEST(DocumentText, LeavesSystemPropertiesOut) {
  const std::vector<std::string> documents = {R"({"id":"a","_ts":5,"_x":1})"};
  EXPECT_EQ(text_of({}, documents), "{\"id\":\"a\",\"_x\":1}\n");
  EXPECT_EQ(text_of({.has_system_properties = true}, documents), "{\"id\":\"a\",\"_ts\":5,\"_x\":1}\n");
}

TEST(DocumentText, WritesArrays) {
  EXPECT_EQ(text_of({.format = OutputFormat::kJson}, {R"({"id":"a"})", R"({"id":"b"})"}),
            "[\n{\"id\":\"a\"},\n{\"id\":\"b\"}\n]\n");
  EXPECT_EQ(text_of({.format = OutputFormat::kJson}, {}), "[\n]\n");
  EXPECT_EQ(text_of({.format = OutputFormat::kJson, .is_begun = true}, {R"({"id":"b"})"}), ",\n{\"id\":\"b\"}\n]\n");
}

TEST(DocumentText, WritesTablesAndLosesNothing) {
  EXPECT_EQ(text_of({.format = OutputFormat::kTable}, {R"({"id":"a","b":"1"})", R"({"id":"b","c":[1,2]})"}),
            "id,b,c\na,\"1\",\nb,,\"[1,2]\"\n");
  EXPECT_THAT(text_of({.format = OutputFormat::kTable, .columns = {"id"}}, {R"({"id":"a","b":1})"}),
              testing::HasSubstr("a document has the property 'b', for which the table has no column"));
}

TEST(DocumentText, RefusesTablesOfVeryManyColumns) {
  std::vector<std::string> documents;
  for (int document = 0; document < 20; ++document) {
    std::string json = "{";
    for (int member = 0; member < 1'000; ++member)
      json += fmt::format("{}\"m{}_{}\":1", member == 0 ? "" : ",", document, member);
    documents.push_back(json + "}");
  }
  EXPECT_THAT(text_of({.format = OutputFormat::kTable}, documents), testing::HasSubstr("more than 16384 different properties"));
}

TEST(OutputNames, SayFormatAndCompression) {
  EXPECT_EQ(output_format_of("a.json.gz"), OutputFormat::kJson);
  EXPECT_EQ(output_format_of("a.tsv"), OutputFormat::kTable);
  EXPECT_EQ(output_format_of("a.ndjson.zst"), OutputFormat::kLines);
  EXPECT_EQ(compression_of("a.csv.gz"), Compression::kGzip);
  EXPECT_EQ(delimiter_of("a.tsv.zst"), '\t');
}

}  // namespace
}  // namespace partita::tools::transfer
