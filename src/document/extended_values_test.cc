#include "base/encodings.h"
#include "document/json/json.h"
#include "document/order.h"
#include "document/random_values.h"
#include "document/stored/stored_writer.h"

#include <gtest/gtest.h>

#include <functional>

namespace partita {

namespace {

struct Case {
  std::function<void(StoredWriter&)> write;
  std::string_view hex;   // ON DISK: a change of these bytes is a new format version
  std::string_view json;  // what clients of another wire are shown
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {[](auto& out) { out.int32(-2); }, "10FEFFFFFF", "-2"},
      {[](auto& out) { out.int64(5); }, "110500000000000000", "5"},
      {[](auto& out) { out.float64(84); }, "120000000000005540", "84"},
      {[](auto& out) { out.float64(0.1); }, "129A9999999999B93F", "0.1"},
      {[](auto& out) { out.decimal(*Decimal128::parse("1.50")); }, "1396000000000000000000000000003C30",
       R"({"$numberDecimal":"1.50"})"},
      {[](auto& out) { out.binary(4, "\xFF\x01"); }, "1404FF01", R"({"$binary":{"base64":"/wE=","subType":"04"}})"},
      {[](auto& out) { out.date_time(1'700'000'000'123); }, "157B68E5CF8B010000", R"({"$date":"2023-11-14T22:13:20.123Z"})"},
      {[](auto& out) { out.date_time(-1); }, "15FFFFFFFFFFFFFFFF", R"({"$date":{"$numberLong":"-1"}})"},
      {[](auto& out) { out.date_time(253'402'300'799'999); }, "15FFDB1FD277E60000", R"({"$date":"9999-12-31T23:59:59.999Z"})"},
      {[](auto& out) { out.date_time(253'402'300'800'000); }, "1500DC1FD277E60000",
       R"({"$date":{"$numberLong":"253402300800000"}})"},
      {[](auto& out) { out.object_id("\x50\x7F\x1F\x77\xBC\xF8\x6C\xD7\x99\x43\x90\x11"); }, "16507F1F77BCF86CD799439011",
       R"({"$oid":"507f1f77bcf86cd799439011"})"},
      {[](auto& out) { out.regular_expression("^a\"", "ix"); }, "175E6122006978",
       R"({"$regularExpression":{"pattern":"^a\"","options":"ix"}})"},
      {[](auto& out) { out.timestamp(uint64_t{7} << 32 | 3); }, "180300000007000000", R"({"$timestamp":{"t":7,"i":3}})"},
      {[](auto& out) { out.min_key(); }, "19", R"({"$minKey":1})"},
      {[](auto& out) { out.max_key(); }, "1A", R"({"$maxKey":1})"},
      {[](auto& out) { out.code("f"); }, "1B66", R"({"$code":"f"})"},
      {[](auto& out) { out.symbol("s"); }, "1C73", R"({"$symbol":"s"})"},
      {[](auto& out) { out.float64(INFINITY); }, "1D000000000000F07F", R"({"$numberDouble":"Infinity"})"},
      {[](auto& out) { out.float64(-INFINITY); }, "1D000000000000F0FF", R"({"$numberDouble":"-Infinity"})"},
      {[](auto& out) { out.decimal(*Decimal128::parse("NaN")); }, "1E0000000000000000000000000000007C",
       R"({"$numberDecimal":"NaN"})"},
  };
  return kCases;
}

}  // namespace

TEST(ExtendedValues, ArePinnedAndWrittenAsExtendedJson) {
  for (const Case& one : cases()) {
    StoredWriter writer;
    one.write(writer);
    EXPECT_EQ(hex_upper(writer.bytes()), one.hex) << one.json;
    EXPECT_EQ(to_json(writer.view()), one.json);
    EXPECT_TRUE(validate_stored_form(writer.bytes())) << one.json;
    EXPECT_TRUE(stored_from_json(one.json)) << one.json;
  }
}

TEST(ExtendedValues, SayWhatTheyAre) {
  StoredWriter out;
  out.int32(5);
  EXPECT_EQ(out.view().kind(), ValueKind::kInt32);
  EXPECT_TRUE(out.view().is_number());
  EXPECT_EQ(out.view().integer(), 5);
  out.clear();
  out.float64(84);
  EXPECT_EQ(out.view().kind(), ValueKind::kFloat64);
  EXPECT_EQ(out.view().integer(), 84);
  EXPECT_EQ(out.view().float64(), 84);
  out.clear();
  out.float64(NAN);
  EXPECT_EQ(out.view().kind(), ValueKind::kFloat64);
  EXPECT_FALSE(out.view().is_number());
  EXPECT_EQ(out.view().type(), ValueType::kExtended);
  EXPECT_TRUE(std::isnan(out.view().float64()));
  out.clear();
  out.decimal(*Decimal128::parse("1E+400"));
  EXPECT_TRUE(out.view().is_number());
  EXPECT_EQ(out.view().number(), std::numeric_limits<double>::max());  // what computes with numbers gets finite ones
  EXPECT_EQ(out.view().decimal().to_text(), "1E+400");
  out.clear();
  out.binary(4, "guid");
  EXPECT_EQ(out.view().binary().subtype, 4);
  EXPECT_EQ(out.view().binary().bytes, "guid");
  out.clear();
  out.regular_expression("", "");
  EXPECT_EQ(out.view().regular_expression().pattern, "");
  EXPECT_EQ(out.view().regular_expression().options, "");
}

TEST(ExtendedValues, LiveInDocumentsBesideTheOthers) {
  random_values::Random random(23);
  for (int round = 0; round < 2'000; ++round) {
    StoredWriter out;
    random_values::write_value(random, out);
    ASSERT_TRUE(validate_stored_form(out.bytes()));
    ASSERT_TRUE(stored_from_json(to_json(out.view()))) << to_json(out.view());
    ASSERT_TRUE(equal(out.view(), out.view()));
  }
}

TEST(ExtendedValues, AreRefusedWhenTheirBytesAreNot) {
  for (std::string_view hex : {"10FEFFFF",
                               "1105000000",
                               "12000000000000F07F",
                               "1D0000000000005540",
                               "13",
                               "1300000000000000000000000000000078",
                               "1E96000000000000000000000000003C30",
                               "14",
                               "1500",
                               "16507F1F77BCF86CD7994390",
                               "1761",
                               "1761006200",
                               "17FF00",
                               "18",
                               "1900",
                               "1A00",
                               "1BFF",
                               "1CED",
                               "0D",
                               "0E",
                               "0F",
                               "1F",
                               "FF"}) {
    EXPECT_FALSE(validate_stored_form(*from_hex(hex))) << hex;
  }
}

// Long texts around a value that grows the output behind them.
TEST(ExtendedValues, MakeRoomForTheirJson) {
  StoredWriter out;
  out.begin_array();
  std::string expected = "[";
  for (size_t bytes = 0; bytes < 300; ++bytes) {
    out.binary(0, std::string(bytes, 'x'));
    out.regular_expression(std::string(bytes, '\n'), "i");
    if (bytes > 0) expected += ',';
    expected += R"({"$binary":{"base64":")" + base64(std::string(bytes, 'x')) + R"(","subType":"00"}},)";
    expected += R"({"$regularExpression":{"pattern":")";
    for (size_t i = 0; i < bytes; ++i) expected += "\\n";
    expected += R"(","options":"i"}})";
  }
  out.end_array();
  EXPECT_EQ(to_json(out.view()), expected + "]");
}

}  // namespace partita
