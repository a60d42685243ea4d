#include "tools/transfer/source/test_records.h"

#include <bson/bson.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace partita::tools::transfer {
namespace {

using testing::HasSubstr;

struct Bson {
  Bson() = default;
  Bson(const Bson&) = delete;
  Bson& operator=(const Bson&) = delete;
  ~Bson() { ::bson_destroy(document); }

  bson_t* document = ::bson_new();
};
std::string bytes_of(const Bson& bson) {
  return {reinterpret_cast<const char*>(::bson_get_data(bson.document)), bson.document->len};
}

std::string read(const std::string& bytes) { return records_text(*read_bson(std::make_unique<SmallPieces>(bytes, 3))); }

TEST(BsonReader, GivesTypesThatJsonDoesNotHaveAFormThatItHas) {
  const Bson bson;
  bson_oid_t id;
  ::bson_oid_init_from_string(&id, "507f1f77bcf86cd799439011");
  ::bson_append_oid(bson.document, "_id", -1, &id);
  ::bson_append_date_time(bson.document, "when", -1, 1'700'000'000'123);
  ::bson_append_date_time(bson.document, "before", -1, -1);
  ::bson_append_int64(bson.document, "big", -1, 9'007'199'254'740'993);
  ::bson_append_double(bson.document, "nan", -1, std::nan(""));
  ::bson_append_binary(bson.document, "bytes", -1, BSON_SUBTYPE_BINARY, reinterpret_cast<const uint8_t*>("abc"), 3);
  ::bson_append_binary(bson.document, "uuid", -1, BSON_SUBTYPE_UUID, reinterpret_cast<const uint8_t*>("0123456789abcdef"), 16);
  bson_decimal128_t decimal;
  ::bson_decimal128_from_string("1.5", &decimal);
  ::bson_append_decimal128(bson.document, "d", -1, &decimal);
  ::bson_decimal128_from_string("1.10", &decimal);
  ::bson_append_decimal128(bson.document, "e", -1, &decimal);
  ::bson_append_regex(bson.document, "r", -1, "^a", "i");
  ::bson_append_timestamp(bson.document, "t", -1, 5, 6);
  ::bson_append_undefined(bson.document, "u", -1);
  ::bson_append_minkey(bson.document, "min", -1);
  ::bson_append_code(bson.document, "code", -1, "f()");
  EXPECT_EQ(
      read(bytes_of(bson)),
      "1: {\"id\":\"507f1f77bcf86cd799439011\",\"when\":\"2023-11-14T22:13:20.123Z\",\"before\":\"1969-12-31T23:59:59.999Z\","
      "\"big\":9007199254740993,\"nan\":\"NaN\",\"bytes\":\"YWJj\",\"uuid\":\"30313233-3435-3637-3839-616263646566\","
      "\"d\":1.5,\"e\":\"1.10\",\"r\":\"/^a/i\",\"t\":{\"t\":5,\"i\":6},\"min\":{\"$minKey\":1},\"code\":\"f()\"}\n");
}

TEST(BsonReader, KeepsAnIdOfTheDocumentsOwn) {
  const Bson bson;
  ::bson_append_int32(bson.document, "_id", -1, 5);
  ::bson_append_int32(bson.document, "id", -1, 7);
  EXPECT_EQ(read(bytes_of(bson)), "1: {\"_id\":5,\"id\":\"7\"}\n");
}

TEST(BsonReader, GoesOnBehindADocumentThatIsWrong) {
  const Bson bson;
  ::bson_append_utf8(bson.document, "a", -1, "xyz", 3);
  std::string broken = bytes_of(bson);
  broken[broken.find("xyz")] = '\xFF';
  EXPECT_EQ(read(broken + bytes_of(bson)), "1: fault: a string is not UTF-8\n2: {\"a\":\"xyz\"}\n");
}

TEST(BsonReader, RefusesWhatIsNoBson) {
  EXPECT_THAT(read("{\"id\":\"a\"}"), HasSubstr("error: document 1: it says that it has"));
  EXPECT_THAT(read("\x6D\xE2\x99\x81 more"), HasSubstr("error: this is an archive"));
  const Bson bson;
  ::bson_append_int32(bson.document, "a", -1, 5);
  EXPECT_THAT(read(bytes_of(bson).substr(0, 9)), HasSubstr("error: document 1: the file ends inside of it"));
}

TEST(BsonReader, RefusesWhatIsNestedTooOften) {
  Bson bson;
  for (int depth = 0; depth < 200; ++depth) {
    Bson outer;
    ::bson_append_document(outer.document, "a", -1, bson.document);
    std::swap(outer.document, bson.document);
  }
  EXPECT_THAT(read(bytes_of(bson)), HasSubstr("1: fault: objects and arrays are nested more than 128 times"));
}

}  // namespace
}  // namespace partita::tools::transfer
