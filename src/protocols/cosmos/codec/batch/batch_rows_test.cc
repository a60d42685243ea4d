#include "protocols/cosmos/codec/batch/batch_rows.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "engine/test_items.h"
#include "partition/charge/throttling.h"
#include "protocols/cosmos/codec/batch/record_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita::cosmos {
namespace {

// As the .NET client's own writer lays them out: bytes by hand from the schema and the row format.
const std::string kSegment = *from_hex("81F0D8FF7F010A000000");

std::string record(std::string_view row_hex) {
  std::string out;
  append_record(out, *from_hex(row_hex));
  return out;
}

std::string text_of(const BatchStep& step) {
  const ItemOperation& operation = step.operation;
  const std::string_view* body = std::get_if<std::string_view>(&operation.body);
  return fmt::format("{} id={} key={} body={} if-match={} if-none-match={} document={}", static_cast<int>(operation.verb),
                     operation.id, operation.key ? operation.key->to_json() : "", body == nullptr ? "" : *body,
                     operation.if_match, step.if_none_match, step.wants_document);
}

std::string parsed(const std::string& bytes) {
  BatchBody body;
  const Status status = parse_batch_rows(bytes, body);
  if (!status) return status.error().message;
  std::string out;
  for (const BatchStep& step : body.steps) out += text_of(step) + "\n";
  return out;
}

// 81 | schema | presence | operation type | resource type | variable fields
const std::string kCreate =
    "817054E17F"
    "43"
    "00000000"
    "02000000"
    "0A"
    "7B226964223A2261227D";
const std::string kRead =
    "817054E17F"
    "17"
    "02000000"
    "02000000"
    "05"
    "5B2270225D"
    "01"
    "61";

}  // namespace

TEST(RecordStream, IsPinned) {
  std::string out;
  begin_record_stream(out);
  EXPECT_EQ(hex_upper(out), "81F0D8FF7F010A000000");
  append_record(out, "123456789");
  EXPECT_EQ(hex_upper(out).substr(20),
            "81F1D8FF7F"
            "09000000"
            "2639F4CB"
            "313233343536373839");
  EXPECT_EQ(*parse_record_stream(out), std::vector<std::string_view>{"123456789"});
}

// A record of RoomsSchemaExpected.hr in the format's own repository (microsoft/HybridRow), as its writer wrote it.
TEST(RecordStream, ReadsWhatTheFormatsOwnWriterWrote) {
  const std::string row = "81040000001FEEB9B4EC97A80000D6A7E13D233A2825AF";
  const std::string written = "81F1D8FF7F17000000848C9FFF" + row;
  const std::string stream = kSegment + *from_hex(written);
  const Result<std::vector<std::string_view>> rows = parse_record_stream(stream);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(hex_upper(rows->front()), row);
  EXPECT_EQ(hex_upper(record(row)), written);
}

TEST(RecordStream, RefusesDamage) {
  std::string out;
  begin_record_stream(out);
  append_record(out, "123456789");
  for (size_t size = 1; size < out.size(); ++size) {
    if (size != kSegment.size()) EXPECT_FALSE(parse_record_stream(out.substr(0, size))) << size;
  }
  for (size_t at = 0; at < out.size(); ++at) {
    std::string damaged = out;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    EXPECT_FALSE(parse_record_stream(damaged)) << at;
  }
  EXPECT_FALSE(parse_record_stream(record(kRead))) << "a stream begins with a segment";
}

TEST(BatchRows, OperationsAreReadAsTheClientWritesThem) {
  EXPECT_EQ(parsed(kSegment + record(kCreate) + record(kRead)),
            "0 id= key= body={\"id\":\"a\"} if-match= if-none-match= document=true\n"
            "3 id=a key=[\"p\"] body= if-match= if-none-match= document=true\n");
  // Sparse fields: ifMatch "e", ifNoneMatch "n", minimalReturnPreference, an indexing directive and a time to live.
  EXPECT_EQ(parsed(kSegment + record(kRead +
                                     "14"
                                     "09"
                                     "01"
                                     "65" +
                                     "14"
                                     "0A"
                                     "01"
                                     "6E" +
                                     "03"
                                     "0C" +
                                     "14"
                                     "08"
                                     "07"
                                     "4578636C756465" +
                                     "07"
                                     "0B"
                                     "05000000")),
            "3 id=a key=[\"p\"] body= if-match=e if-none-match=n document=false\n");
  // A field that the schema does not name, here "xy", is skipped.
  EXPECT_EQ(parsed(kSegment + record(kRead + "14"
                                             "0F"
                                             "7879"
                                             "01"
                                             "7A")),
            "3 id=a key=[\"p\"] body= if-match= if-none-match= document=true\n");
}

TEST(BatchRows, RefuseWhatIsNoOperation) {
  EXPECT_EQ(parsed(kSegment), "Batch request has no operations.");
  EXPECT_EQ(parsed(kSegment + record("817154E17F00")), "An operation of the batch cannot be read: it has another schema.");
  EXPECT_EQ(parsed(kSegment + record("817054E17F"
                                     "03"
                                     "63000000"
                                     "02000000")),
            "An operation of the batch cannot be read: its type is unknown.");
  EXPECT_EQ(parsed(kSegment + record("817054E17F"
                                     "03"
                                     "00000000"
                                     "02000000")),
            "An operation of the batch cannot be read: it has no body.");
  EXPECT_EQ(parsed(kSegment + record("817054E17F"
                                     "03"
                                     "02000000"
                                     "02000000")),
            "An operation of the batch cannot be read: it has no id.");
  EXPECT_EQ(parsed(kSegment + record(kRead + "14"
                                             "09"
                                             "05"
                                             "65")),
            "An operation of the batch cannot be read: it is cut short.");
  EXPECT_EQ(parsed(kSegment + record(kRead + "FF"
                                             "09")),
            "An operation of the batch cannot be read: it has a field of type 255.");
}

TEST(BatchRows, ResultsAreWrittenAsTheClientReadsThem) {
  BatchOutcome outcome;
  BatchStepOutcome& created = outcome.steps.emplace_back();
  created.verb = ItemVerb::kCreate;
  created.was_run = true;
  created.item = item_from_json(1, R"({"_etag":"e"})");
  created.charge = 1.5;
  BatchStepOutcome& failed = outcome.steps.emplace_back();
  failed.was_run = true;
  failed.error = Error{ErrorCode::kPartitionGone, ""};
  outcome.steps.emplace_back();  // not run
  BatchStepOutcome& refused = outcome.steps.emplace_back();
  refused.was_run = true;
  refused.error = throttled(258'000).error();
  std::string out;
  append_batch_rows(out, outcome);
  const Result<std::vector<std::string_view>> rows = parse_record_stream(out);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 4u);
  EXPECT_EQ(hex_upper((*rows)[0]),
            "817154E17F"
            "0F"
            "C9000000"
            "00000000"
            "0165"
            "0D7B225F65746167223A2265227D"
            "1006"
            "000000000000F83F");
  EXPECT_EQ(hex_upper((*rows)[1]),
            "817154E17F"
            "03"
            "9A010000"
            "EA030000"
            "1006"
            "0000000000000000");
  EXPECT_EQ(hex_upper((*rows)[2]),
            "817154E17F"
            "03"
            "A8010000"
            "00000000"
            "1006"
            "0000000000000000");
  EXPECT_EQ(hex_upper((*rows)[3]),
            "817154E17F"
            "03"
            "AD010000"
            "800C0000"
            "0B05"
            "02010000"
            "1006"
            "0000000000000000");
}

}  // namespace partita::cosmos
