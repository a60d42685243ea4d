#include "engine/item/document_form.h"

#include "base/encodings.h"
#include "engine/check/consistency.h"
#include "engine/index/index_reader.h"
#include "engine/item/draft.h"
#include "engine/test_items.h"
#include "engine/transaction.h"
#include "storage/test_store.h"

#include <gtest/gtest.h>

#include <functional>

namespace partita {
namespace {

constexpr DocumentForm kPlain{.has_system_properties = false, .order = ValueOrder::kExtended, .bytes_max = 1000};
constexpr int64_t kNow = 1'700'000'000;

// One partition of a container of plain values with the key /pk.
class PlainDocumentTest : public testing::Test {
 protected:
  std::string key(std::string_view name) const {
    const PartitionKey partition_key{{std::string("p")}};
    return item_key(PartitionId{1}, effective_partition_key(partition_key, key_), partition_key, name);
  }
  void put(uint64_t number, std::string_view name, const Value& value) {
    Transaction transaction(slice_, policy_, unique_keys_);
    Result<ItemDraft> draft = ItemDraft::plain(name, value, kPlain, kNow);
    ASSERT_TRUE(draft);
    EXPECT_EQ(draft->id(), name);
    ASSERT_TRUE(transaction.find(key(name)));
    ASSERT_TRUE(transaction.put(key(name), Item{DocumentNumber{number}, draft->record()}));
    ASSERT_TRUE(transaction.prepare());
    transaction.seal(Lsn{counters_.lsn.value + 1}, counters_);
    ASSERT_TRUE(store_->apply(transaction.batch()));
  }
  // An object with pk, and the property that `write` writes.
  void put(uint64_t number, const std::function<void(StoredWriter&)>& write) {
    StoredWriter out;
    out.begin_object();
    out.key("pk");
    out.string("p");
    out.key("v");
    write(out);
    out.end_object();
    put(number, "d" + std::to_string(number), out.view());
  }
  std::string numbers_in_order() {
    const IndexReader reader(slice_, store_->snapshot());
    IndexCursor cursor = reader.entries(ValuePath().property("v"));
    std::string out;
    for (cursor.seek_first(); cursor.valid(); cursor.next()) out += std::to_string(cursor.number().value) + " ";
    EXPECT_TRUE(cursor.status());
    return out;
  }

  TestStore store_;
  PartitionKeyDefinition key_ = key_definition({"/pk"});
  IndexingPolicy policy_ = policy_from_json("{}", key_, {}, kPlain);
  UniqueKeys unique_keys_;
  Slice slice_{*store_, PartitionId{1}, IndexId{7}};
  PartitionCounters counters_;
};

}  // namespace

TEST(DocumentForm, IsWrittenAndReadBack) {
  StoredWriter out;
  kPlain.write_to(out);
  EXPECT_EQ(to_json(out.view()), R"({"systemProperties":false,"order":"extended","bytesMax":1000})");
  EXPECT_EQ(DocumentForm::parse(out.view()), kPlain);
  EXPECT_TRUE(DocumentForm::parse(Value())->is_service());
  for (std::string_view json :
       {"1", "{}", R"({"systemProperties":1,"order":"json","bytesMax":1})",
        R"({"systemProperties":true,"order":"other","bytesMax":1})", R"({"systemProperties":true,"order":"json","bytesMax":0})",
        R"({"systemProperties":true,"order":"json","bytesMax":99999999999})"}) {
    EXPECT_FALSE(DocumentForm::parse(Value::view(*stored_from_json(json)))) << json;
  }
}

TEST(DocumentForm, SaysWhatIsASystemProperty) {
  EXPECT_TRUE(DocumentForm().is_system_property("_etag"));
  EXPECT_TRUE(DocumentForm().is_never_indexed("_rid"));
  EXPECT_FALSE(DocumentForm().is_never_indexed("_ts"));
  EXPECT_FALSE(kPlain.is_system_property("_etag"));
  EXPECT_FALSE(kPlain.is_never_indexed("_rid"));
}

// These bytes are on disks: a change of them is a new format version.
TEST(DocumentForm, RecordOfAPlainDocumentIsPinned) {
  std::string record = plain_item_record("ab", 0x1122, "\x01");
  set_lsn(record, Lsn{0x33});
  EXPECT_EQ(hex_upper(record),
            "020000003300000000000000"
            "2211000000000000"
            "02000000"
            "6162"
            "01");
  const Item item = item_from_record(DocumentNumber{9}, record).value();
  EXPECT_EQ(item.id(), "ab");
  EXPECT_EQ(item.etag(), "");
  EXPECT_EQ(item.view().written_seconds(), 0x1122);
  EXPECT_TRUE(item.document().is_null());
  for (std::string_view hex : {"02",
                               "0200000033000000000000002211000000000000"
                               "02000000"
                               "61",
                               "0200000033000000000000002211000000000000"
                               "02000000"
                               "6162",
                               "0200000033000000000000002211000000000000"
                               "FFFFFFFF"
                               "616201",
                               "0300000033000000000000002211000000000000"
                               "02000000"
                               "616201"}) {
    EXPECT_FALSE(item_from_record(DocumentNumber{9}, *from_hex(hex))) << hex;
  }
}

TEST(DocumentForm, BoundsWhatIsStored) {
  const auto code = [](std::string_view name, const Value& value) {
    const auto draft = ItemDraft::plain(name, value, kPlain, kNow);
    return draft ? std::optional<ErrorCode>() : draft.error().code;
  };
  const std::string null = *stored_from_json("null");
  const std::string large = *stored_from_json("\"" + std::string(1000, 'x') + "\"");
  EXPECT_EQ(code("n", Value::view(null)), std::nullopt);
  EXPECT_EQ(code("n", Value::view(large)), ErrorCode::kTooLarge);
  EXPECT_EQ(code("n", Value()), ErrorCode::kInvalidInput);
  EXPECT_EQ(code("", Value::view(null)), ErrorCode::kInvalidInput);
  EXPECT_EQ(code(std::string(1024, 'n'), Value::view(null)), ErrorCode::kInvalidInput);
}

TEST_F(PlainDocumentTest, IsStoredAsItIs) {
  // Names that mean something in documents with system properties mean nothing here.
  const std::string stored = *stored_from_json(R"({"pk":"p","_etag":1,"_ts":"x","ttl":5,"id":[2],"_rid":{}})");
  put(1, "one", Value::view(stored));
  const std::optional<Item> found = slice_.find(key("one")).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->document().bytes(), stored);
  EXPECT_EQ(found->id(), "one");
  EXPECT_EQ(found->view().written_seconds(), kNow);
  EXPECT_EQ(found->view().own_expiry(), std::nullopt);
  EXPECT_EQ(found->lsn(), counters_.lsn);
  Cursor expiries = slice_.cursor(Family::kExpiry);
  expiries.seek_first();
  EXPECT_FALSE(expiries.valid());
  // They are indexed like all others.
  const IndexReader reader(slice_, store_->snapshot());
  IndexCursor cursor = reader.entries(ValuePath().property("_etag"));
  cursor.seek_first();
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.number(), DocumentNumber{1});
}

TEST_F(PlainDocumentTest, NeedNotBeAnObject) {
  put(1, "text", Value::view(*stored_from_json("\"just a text\"")));
  EXPECT_EQ(slice_.load(DocumentNumber{1}).value()->document().string(), "just a text");
}

TEST_F(PlainDocumentTest, IsIndexedInTheOrderOfItsForm) {
  put(1, [](StoredWriter& out) { out.max_key(); });
  put(2, [](StoredWriter& out) { out.boolean(true); });
  put(3, [](StoredWriter& out) { out.float64(0.1); });
  put(4, [](StoredWriter& out) { out.decimal(*Decimal128::parse("0.1")); });
  put(5, [](StoredWriter& out) { out.int64(9007199254740993); });
  put(6, [](StoredWriter& out) { out.float64(9007199254740992); });
  put(7, [](StoredWriter& out) { out.object_id("0123456789ab"); });
  put(8, [](StoredWriter& out) { out.string("x"); });
  put(9, [](StoredWriter& out) { out.min_key(); });
  put(10, [](StoredWriter& out) { out.date_time(0); });
  EXPECT_EQ(numbers_in_order(), "9 4 3 6 5 8 7 2 10 1 ");
  // A search by value, whatever kind of number it is.
  std::string form;
  StoredWriter one;
  one.decimal(*Decimal128::parse("9007199254740993.0"));
  append_key_form(form, one.view(), kPlain.order);
  const IndexReader reader(slice_, store_->snapshot());
  IndexCursor cursor = reader.entries(ValuePath().property("v"));
  cursor.seek(form);
  ASSERT_TRUE(cursor.valid());
  EXPECT_EQ(cursor.number(), DocumentNumber{5});
  const Result<ConsistencyReport> report = check_consistency(slice_, key_, {}, policy_, unique_keys_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->messages, std::vector<std::string>());
}

}  // namespace partita
