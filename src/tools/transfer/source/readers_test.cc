#include "tools/transfer/source/source_window.h"
#include "tools/transfer/source/test_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::tools::transfer {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string lines(const std::string& text, size_t piece = 3) {
  return records_text(*read_lines(std::make_unique<SmallPieces>(text, piece)));
}
std::string sequence(const std::string& text, size_t piece = 3) {
  return records_text(*read_sequence(std::make_unique<SmallPieces>(text, piece)));
}

TEST(LineReader, GivesADocumentForEachLineThatIsNotBlank) {
  EXPECT_EQ(lines("{\"id\":\"a\"}\n\n  \r\n{\"id\":\"b\"}\r\n{\"id\":\"c\"}"),
            "1: {\"id\":\"a\"}\n4: {\"id\":\"b\"}\n5: {\"id\":\"c\"}\n");
  EXPECT_EQ(lines(""), "");
}

TEST(LineReader, GoesOnBehindALineThatIsWrong) {
  const std::string found = lines("{\"id\":\n[1]\n{\"id\":\"b\"}\n");
  EXPECT_THAT(found, StartsWith("1: fault: "));
  EXPECT_THAT(found, HasSubstr("2: fault: a document must be a JSON object\n3: {\"id\":\"b\"}\n"));
}

TEST(LineReader, RefusesALineThatIsTooLongAndKeepsCounting) {
  const std::string found = lines("{\"a\":\"" + std::string(kRecordBytesMax + 1'000'000, 'x') + "\"}\n{\"id\":\"b\"}\n", 100'000);
  EXPECT_EQ(found, "1: fault: the line has more than 4194304 bytes\n2: {\"id\":\"b\"}\n");
}

TEST(SequenceReader, ReadsAnArray) {
  EXPECT_EQ(sequence("\xEF\xBB\xBF [\n{\"id\":\"a]\\\"\"} ,\n {\"b\":[{}]}\n]\n"), "2: {\"id\":\"a]\\\"\"}\n3: {\"b\":[{}]}\n");
  EXPECT_EQ(sequence("[]"), "");
  EXPECT_EQ(sequence("  "), "");
}

TEST(SequenceReader, ReadsObjectsOverSeveralLines) {
  EXPECT_EQ(sequence("{\n\"id\":\"a\"\n}\n{\"id\":\"b\"}{\"id\":\"c\"}"),
            "1: {\"id\":\"a\"}\n4: {\"id\":\"b\"}\n4: {\"id\":\"c\"}\n");
}

TEST(SequenceReader, GoesOnBehindAnElementThatIsNoDocument) {
  EXPECT_EQ(sequence("[1,{\"id\":\"a\"},\"x\"]"),
            "1: fault: a document must be a JSON object\n1: {\"id\":\"a\"}\n1: fault: a document must be a JSON object\n");
  EXPECT_THAT(sequence("[{\"a\":},{\"id\":\"b\"}]"), HasSubstr("1: {\"id\":\"b\"}"));
}

TEST(SequenceReader, SaysWhereAnArrayIsBroken) {
  EXPECT_THAT(sequence("[{\"id\":\"a\"},\n"), HasSubstr("error: line 2: expected a document behind the comma"));
  EXPECT_THAT(sequence("[{\"id\":\"a\"}\n"), HasSubstr("error: line 2: the array is not closed"));
  EXPECT_THAT(sequence("[{\"id\":\"a\"} {}]"), HasSubstr("error: line 1: expected a comma"));
  EXPECT_THAT(sequence("[,{}]"), HasSubstr("error: line 1: expected a document, found a comma"));
  EXPECT_THAT(sequence("[{}] {}"), HasSubstr("error: line 1: there is something behind the end"));
  EXPECT_THAT(sequence("[{}}]"), HasSubstr("error: line 1: expected a comma"));
}

TEST(SequenceReader, RefusesADocumentThatIsTooLarge) {
  EXPECT_EQ(sequence("[\n{\"a\":\"" + std::string(kRecordBytesMax + 600'000, 'x') + "\"}]", 100'000),
            "error: line 2: the document has more than 4194304 bytes\n");
}

TEST(ReaderOf, KnowsAnArrayByItsFirstByte) {
  const auto found = [](const std::string& text) {
    Result<std::unique_ptr<DocumentReader>> reader = reader_of(source_of(text), SourceFormat::kAutomatic, {});
    return reader ? records_text(**reader) : reader.error().message;
  };
  EXPECT_EQ(found(" \n[{\"id\":\"a\"}]"), "2: {\"id\":\"a\"}\n");
  EXPECT_EQ(found("\n{\"id\":\"a\"}\n{\"id\":\"b\"}"), "2: {\"id\":\"a\"}\n3: {\"id\":\"b\"}\n");
  EXPECT_EQ(found(""), "");
}

}  // namespace
}  // namespace partita::tools::transfer
