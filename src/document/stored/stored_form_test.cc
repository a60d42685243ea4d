#include "document/stored/stored_form.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "document/stored/stored_writer.h"
#include "document/value.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace partita {

namespace {

std::string stored_hex(std::string_view json) { return hex_upper(*stored_from_json(json)); }

std::string key_number(size_t i) { return "key" + std::to_string(i); }

// {"key0":0,"key1":1,...}
std::string object_of(size_t members) {
  StoredWriter writer;
  writer.begin_object();
  for (size_t i = 0; i < members; ++i) {
    writer.key(key_number(i));
    writer.integer(static_cast<int64_t>(i));
  }
  writer.end_object();
  return writer.take();
}

}  // namespace

// These bytes are on disks: a change of them is a new format version.
TEST(StoredForm, IsPinned) {
  EXPECT_EQ(stored_hex("null"), "01");
  EXPECT_EQ(stored_hex("false"), "02");
  EXPECT_EQ(stored_hex("true"), "03");
  EXPECT_EQ(stored_hex("5"), "0405");
  EXPECT_EQ(stored_hex("-1"), "04FF");
  EXPECT_EQ(stored_hex("300"), "042C01");
  EXPECT_EQ(stored_hex("-70000"), "0490EEFEFF");
  EXPECT_EQ(stored_hex("5000000000"), "0400F2052A01000000");
  EXPECT_EQ(stored_hex("1.5"), "05000000000000F83F");
  EXPECT_EQ(stored_hex("18446744073709551616"), "063138343436373434303733373039353531363136");
  EXPECT_EQ(stored_hex("\"h\\u00e9\""), "0768C3A9");
  EXPECT_EQ(stored_hex("[]"), "080000");
  EXPECT_EQ(stored_hex("[null,\"a\",[true]]"),
            "08"
            "01"
            "0761"
            "08"
            "03"
            "0100"
            "0100"
            "0100"
            "0200"
            "0400"
            "0300");
  EXPECT_EQ(stored_hex("{}"), "0A0000");
  EXPECT_EQ(stored_hex(R"({"id":"x","n":1})"),
            "0A"
            "026964"
            "0778"
            "016E"
            "0401"
            "3D7E"
            "EA40"
            "0100"
            "0600"
            "0200");
}

TEST(StoredForm, HashesArePinned) {
  EXPECT_EQ(stored::hash_of_key(""), 0);
  EXPECT_EQ(stored::hash_of_key("a"), 0xB039);
  EXPECT_EQ(stored::hash_of_key("id"), 0x7E3D);
  EXPECT_EQ(stored::hash_of_key("name"), 0xAE51);
  EXPECT_EQ(stored::hash_of_key("address"), 0x5DBF);
  EXPECT_EQ(stored::hash_of_key("partitionKey"), 0xC4BE);
  EXPECT_EQ(stored::hash_of_key("a rather long property name"), 0x46A9);
}

TEST(StoredForm, WideAndLargeContainersArePinned) {
  const std::string wide = *stored_from_json("[\"" + std::string(70000, 'x') + "\",1]");
  EXPECT_EQ(wide.front(), 0x09);
  EXPECT_EQ(hex_upper(std::string_view(wide).substr(wide.size() - 12)),
            "01000000"
            "72110100"
            "02000000");
  const std::string large = object_of(257);
  EXPECT_EQ(large.front(), 0x0C);
  // The key order ends with key97, key98, key99.
  EXPECT_EQ(hex_upper(std::string_view(large).substr(large.size() - 16)),
            "61000000"
            "62000000"
            "63000000"
            "01010000");
}

TEST(Value, ReadsScalars) {
  const std::string stored = *stored_from_json(R"([null,false,true,-3,2.5,18446744073709551616,"s"])");
  const Value array = Value::view(stored);
  ASSERT_EQ(array.size(), 7u);
  EXPECT_TRUE(array.element(0).is_null());
  EXPECT_FALSE(array.element(1).boolean());
  EXPECT_TRUE(array.element(2).boolean());
  EXPECT_EQ(array.element(3).number(), -3.0);
  EXPECT_EQ(array.element(3).integer(), -3);
  EXPECT_EQ(array.element(4).number(), 2.5);
  EXPECT_EQ(array.element(4).integer(), std::nullopt);
  EXPECT_EQ(array.element(5).number(), 18446744073709551616.0);
  EXPECT_EQ(array.element(5).integer(), std::nullopt);
  EXPECT_EQ(array.element(5).number_text(), "18446744073709551616");
  EXPECT_EQ(array.element(6).string(), "s");
  EXPECT_TRUE(Value().is_undefined());
  EXPECT_EQ(Value().type(), ValueType::kUndefined);
}

TEST(Value, KeepsEveryIntegerExactly) {
  for (const int64_t value :
       {int64_t{0}, int64_t{127}, int64_t{128}, int64_t{-128}, int64_t{-129}, int64_t{32767}, int64_t{32768}, int64_t{-32769},
        int64_t{2147483647}, int64_t{2147483648}, int64_t{-2147483649}, INT64_MAX, INT64_MIN}) {
    StoredWriter writer;
    writer.integer(value);
    EXPECT_EQ(writer.view().integer(), value);
  }
}

TEST(Value, ANestedValueIsAStoredFormOfItsOwn) {
  const std::string stored = *stored_from_json(R"({"a":{"b":[1,{"c":"d"}]}})");
  const std::string copy(Value::view(stored).find("a").bytes());
  EXPECT_EQ(copy, *stored_from_json(R"({"b":[1,{"c":"d"}]})"));
  StoredWriter writer;
  writer.begin_array();
  writer.value(Value::view(copy));
  writer.end_array();
  EXPECT_EQ(to_json(writer.view()), R"([{"b":[1,{"c":"d"}]}])");
}

TEST(Value, FindsTheLastOfEqualKeysAndKeepsThemAll) {
  const std::string stored = *stored_from_json(R"({"a":1,"b":2,"a":3})");
  const Value object = Value::view(stored);
  EXPECT_EQ(object.size(), 3u);
  EXPECT_EQ(object.find("a").integer(), 3);
  EXPECT_EQ(object.member(0).key, "a");
  EXPECT_EQ(object.member(0).value.integer(), 1);
}

TEST(Value, FindOnWhatIsNotAnObjectIsUndefined) {
  EXPECT_TRUE(Value().find("a").is_undefined());
  EXPECT_TRUE(Value::view(*stored_from_json("[1]")).find("a").is_undefined());
}

TEST(Value, FindsEveryMemberOfObjectsOfEverySize) {
  for (size_t members = 0; members <= 300; ++members) {
    const std::string stored = object_of(members);
    ASSERT_TRUE(validate_stored_form(stored)) << members;
    const Value object = Value::view(stored);
    ASSERT_EQ(object.size(), members);
    for (size_t i = 0; i < members; ++i) ASSERT_EQ(object.find(key_number(i)).integer(), static_cast<int64_t>(i)) << members;
    for (size_t i = members; i < members + 40; ++i) ASSERT_TRUE(object.find(key_number(i)).is_undefined()) << members;
  }
}

TEST(Value, FindsInAnObjectOfAHundredThousandMembers) {
  const std::string stored = object_of(100'000);
  const Value object = Value::view(stored);
  for (size_t i = 0; i < 100'000; i += 37) ASSERT_EQ(object.find(key_number(i)).integer(), static_cast<int64_t>(i));
  EXPECT_TRUE(object.find("key").is_undefined());
  EXPECT_TRUE(object.find("").is_undefined());
  EXPECT_TRUE(object.find("zzz").is_undefined());
}

TEST(Value, FindsTheLastOfEqualKeysInALargeObject) {
  StoredWriter writer;
  writer.begin_object();
  for (int i = 0; i < 1000; ++i) {
    writer.key(key_number(static_cast<size_t>(i % 300)));
    writer.integer(i);
  }
  writer.end_object();
  ASSERT_TRUE(validate_stored_form(writer.bytes()));
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(writer.view().find(key_number(static_cast<size_t>(i))).integer(), i < 100 ? i + 900 : i + 600);
}

TEST(Value, RandomObjectsBehaveLikeAMap) {
  std::mt19937_64 random(3);
  StoredWriter writer;
  for (int round = 0; round < 500; ++round) {
    std::map<std::string, int64_t> expected;
    writer.clear();
    writer.begin_object();
    const size_t members = random() % 600;
    for (size_t i = 0; i < members; ++i) {
      const std::string key(random() % 20, static_cast<char>('a' + random() % 4));
      const auto value = static_cast<int64_t>(random());
      writer.key(key);
      writer.integer(value);
      expected[key] = value;
    }
    writer.end_object();
    for (const auto& [key, value] : expected) ASSERT_EQ(writer.view().find(key).integer(), value);
    ASSERT_TRUE(validate_stored_form(writer.bytes()));
  }
}

TEST(StoredWriter, ChoosesIntegersForWholeDoubles) {
  StoredWriter writer;
  writer.begin_array();
  for (const double value : {84.0, -0.0, 0.5, 9007199254740992.0, 1e300}) writer.number(value);
  writer.end_array();
  EXPECT_EQ(to_json(writer.view()), "[84,-0,0.5,9007199254740992,1e+300]");
  EXPECT_EQ(writer.view().element(0).bytes(), std::string_view("\x04\x54", 2));
}

TEST(StoredWriter, CanBeReusedAfterTakingTheValue) {
  StoredWriter writer;
  writer.string("first");
  const std::string first = writer.take();
  writer.begin_array();
  writer.clear();
  writer.string("second");
  EXPECT_EQ(Value::view(first).string(), "first");
  EXPECT_EQ(writer.view().string(), "second");
}

TEST(StoredWriterDeathTest, RefusesCallsOutOfOrder) {
  StoredWriter writer;
  EXPECT_DEATH(writer.key("a"), "outside an object");
  EXPECT_DEATH(writer.end_array(), "not open");
  EXPECT_DEATH((void)writer.bytes(), "no whole value");
  writer.begin_object();
  EXPECT_DEATH(writer.null(), "without key");
  EXPECT_DEATH(writer.end_array(), "not open");
  writer.end_object();
  EXPECT_DEATH(writer.null(), "second root");
}

TEST(ValidateStoredForm, AcceptsWhatTheWriterWrites) {
  for (const char* json : {"null", "[]", "{}", "\"\"", R"({"a":[1,2.5,"x",{"b":null}],"\ud800":1e-400})"}) {
    EXPECT_TRUE(validate_stored_form(*stored_from_json(json))) << json;
  }
}

TEST(ValidateStoredForm, RejectsEveryTruncationAndCatchesFlippedBytes) {
  const std::string stored = *stored_from_json(R"({"id":"x","tags":["a","b",[1,2,3]],"n":{"m":1.5}})");
  for (size_t bytes = 0; bytes < stored.size(); ++bytes) EXPECT_FALSE(validate_stored_form(stored.substr(0, bytes))) << bytes;
  for (size_t at = 0; at < stored.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = stored;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << bit);
      if (validate_stored_form(flipped)) (void)to_json(Value::view(flipped));  // accepted means readable
    }
  }
}

TEST(ValidateStoredForm, NamesTheFault) {
  const auto message = [](std::string_view hex) { return validate_stored_form(*from_hex(hex)).error().message; };
  EXPECT_EQ(message(""), "Not a stored value: no bytes.");
  EXPECT_EQ(message("FF"), "Not a stored value: unknown tag 0xFF.");
  EXPECT_EQ(message("0101"), "Not a stored value: bytes behind a value.");
  EXPECT_EQ(message("04010203"), "Not a stored value: an integer of impossible length.");
  EXPECT_EQ(message("05000000000000F07F"), "Not a stored value: a double that is not finite.");
  EXPECT_EQ(message("07FF"), "Not a stored value: a string that is not UTF-8.");
  EXPECT_EQ(message("07EDA080EDB080"), "Not a stored value: a string that is not UTF-8.");  // a pair in two halves
  EXPECT_EQ(message("08FFFF"), "Not a stored value: tables larger than their container.");
  std::string deep = "01";
  for (int i = 0; i < 600; ++i)
    deep = "09" + deep +
           "01000000"
           "01000000";
  EXPECT_EQ(message(deep), "Not a stored value: too many values inside each other.");
}

}  // namespace partita
