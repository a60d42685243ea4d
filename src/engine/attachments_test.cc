#include "engine/attachments.h"

#include "base/encodings.h"
#include "engine/check/consistency.h"
#include "engine/test_items.h"
#include "engine/transaction.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace partita {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A partition with the documents 1 and 2.
class AttachmentsTest : public testing::Test {
 protected:
  static constexpr PartitionId kPartition{1};
  static constexpr DocumentNumber kFirst{1};
  static constexpr DocumentNumber kSecond{2};

  AttachmentsTest() {
    commit([&](Transaction& transaction) {
      put_document(transaction, 1, "1");
      put_document(transaction, 2, "2");
    });
  }

  std::string key(std::string_view id) const {
    const PartitionKey partition_key{{std::string("p")}};
    return item_key(kPartition, effective_partition_key(partition_key, key_), partition_key, id);
  }
  void put_document(Transaction& transaction, uint64_t number, std::string_view id) {
    ASSERT_TRUE(transaction.find(key(id)));
    ASSERT_TRUE(transaction.put(key(id), item_from_json(number, fmt::format(R"({{"id":"{}","pk":"p"}})", id))));
  }
  void erase_document(Transaction& transaction, std::string_view id) {
    ASSERT_NE(transaction.find(key(id)).value(), nullptr);
    transaction.erase(key(id));
  }
  static Attachment attachment(uint32_t number, std::string_view id) {
    return {AttachmentNumber{number}, *stored_from_json(fmt::format(R"({{"id":"{}"}})", id))};
  }
  // Everything in the partition must agree afterwards, sizes included.
  void commit(const std::function<void(Transaction&)>& change) {
    Transaction transaction(slice_, policy_, unique_keys_);
    change(transaction);
    ASSERT_TRUE(transaction.prepare());
    transaction.seal(Lsn{counters_.lsn.value + 1}, counters_);
    ASSERT_TRUE(store_->apply(transaction.batch()));
    EXPECT_THAT(faults(), IsEmpty());
  }
  std::vector<std::string> faults() {
    const Result<ConsistencyReport> report = check_consistency(slice_, key_, {}, policy_);
    EXPECT_TRUE(report);
    return report->messages;
  }
  void damage(const std::function<void(WriteBatch&)>& change) {
    WriteBatch batch(*store_);
    change(batch);
    ASSERT_TRUE(store_->apply(batch));
  }
  static std::vector<std::string> ids(const AttachmentChanges& changes, DocumentNumber document) {
    std::vector<std::string> found;
    for (const Attachment& each : changes.list(document).value()) {
      found.push_back(fmt::format("{} {}", each.number.value, each.id()));
    }
    return found;
  }
  std::vector<std::string> ids(DocumentNumber document) { return ids(AttachmentChanges(slice_), document); }
  size_t rows() {
    size_t count = 0;
    Cursor cursor = slice_.cursor(Family::kAttachments);
    for (cursor.seek_first(); cursor.valid(); cursor.next()) ++count;
    return count;
  }

  TestStore store_;
  PartitionKeyDefinition key_ = key_definition({"/pk"});
  IndexingPolicy policy_ = policy_from_json("{}", key_);
  UniqueKeys unique_keys_;
  Slice slice_{*store_, kPartition, IndexId{1}};
  PartitionCounters counters_;
};

}  // namespace

// docs/formats/keyspace.md
TEST_F(AttachmentsTest, RowsHaveTheirFormat) {
  EXPECT_EQ(hex_upper(attachments_prefix(kPartition, kSecond)), "000000010000000000000002");
  EXPECT_EQ(hex_upper(attachment_key(kPartition, kSecond, {3})), "0000000100000000000000026100000003");
  EXPECT_EQ(hex_upper(attachment_id_key(kPartition, kSecond, "x")), "0000000100000000000000026978");
  EXPECT_EQ(hex_upper(media_key(kPartition, kSecond, {3})), "0000000100000000000000026D00000003");
  EXPECT_EQ(hex_upper(attachment_number_bytes({3})), "00000003");
  const AttachmentHead head{.newest = {3}, .attachments = 2, .bytes = 258};
  EXPECT_EQ(hex_upper(encode_attachment_head(head)), "03000000020000000201000000000000");
  EXPECT_EQ(decode_attachment_head(encode_attachment_head(head)).value(), head);
  EXPECT_FALSE(decode_attachment_head("short"));
}

TEST_F(AttachmentsTest, KeysAreReadBack) {
  const AttachmentRow row = AttachmentRow::parse(media_key(kPartition, kSecond, {3})).value();
  EXPECT_EQ(row.document, kSecond);
  EXPECT_EQ(row.kind, AttachmentRowKind::kMedia);
  EXPECT_EQ(row.number, AttachmentNumber{3});
  EXPECT_EQ(AttachmentRow::parse(attachment_id_key(kPartition, kSecond, "x"))->id, "x");
  EXPECT_EQ(AttachmentRow::parse(attachments_prefix(kPartition, kSecond))->kind, AttachmentRowKind::kHead);
  EXPECT_FALSE(AttachmentRow::parse("short"));
  EXPECT_FALSE(AttachmentRow::parse(attachments_prefix(kPartition, kSecond) + "z"));
  EXPECT_FALSE(AttachmentRow::parse(attachments_prefix(kPartition, kSecond) + "a123"));
}

TEST_F(AttachmentsTest, ATransactionSeesItsOwn) {
  commit([&](Transaction& transaction) {
    AttachmentChanges& changes = transaction.attachments();
    ASSERT_TRUE(changes.put(kFirst, attachment(1, "a")));
    ASSERT_TRUE(changes.put(kFirst, attachment(2, "b")));
    EXPECT_THAT(ids(changes, kFirst), ElementsAre("1 a", "2 b"));
    EXPECT_THAT(ids(changes, kSecond), IsEmpty());
    EXPECT_EQ(changes.next_number(kFirst).value(), AttachmentNumber{3});
    EXPECT_EQ(changes.find(kFirst, "b").value()->number, AttachmentNumber{2});
    EXPECT_THAT(ids(kFirst), IsEmpty());
  });
  EXPECT_THAT(ids(kFirst), ElementsAre("1 a", "2 b"));
}

TEST_F(AttachmentsTest, AnIdIsTakenOnceAndMayBeGivenAway) {
  commit([&](Transaction& transaction) {
    AttachmentChanges& changes = transaction.attachments();
    ASSERT_TRUE(changes.put(kFirst, attachment(1, "a")));
    EXPECT_EQ(changes.put(kFirst, attachment(2, "a")).error().code, ErrorCode::kAlreadyExists);
    ASSERT_TRUE(changes.put(kSecond, attachment(1, "a")));
    ASSERT_TRUE(changes.put(kFirst, attachment(1, "renamed")));
    ASSERT_TRUE(changes.put(kFirst, attachment(2, "a")));
  });
  EXPECT_THAT(ids(kFirst), ElementsAre("1 renamed", "2 a"));
  EXPECT_THAT(ids(kSecond), ElementsAre("1 a"));
}

TEST_F(AttachmentsTest, NumbersAreNotUsedTwice) {
  commit([&](Transaction& transaction) {
    ASSERT_TRUE(transaction.attachments().put(kFirst, attachment(1, "a")));
    ASSERT_TRUE(transaction.attachments().put_media(kFirst, {1}, "bytes"));
  });
  commit([&](Transaction& transaction) { ASSERT_TRUE(transaction.attachments().erase(kFirst, attachment(1, "a"))); });
  EXPECT_THAT(ids(kFirst), IsEmpty());
  EXPECT_EQ(AttachmentChanges(slice_).media(kFirst, {1}).value(), std::nullopt);
  EXPECT_EQ(AttachmentChanges(slice_).next_number(kFirst).value(), AttachmentNumber{2});
}

TEST_F(AttachmentsTest, CountTowardsThePartitionsBytes) {
  const uint64_t before = counters_.record_bytes;
  commit([&](Transaction& transaction) {
    ASSERT_TRUE(transaction.attachments().put(kFirst, attachment(1, "a")));
    ASSERT_TRUE(transaction.attachments().put_media(kFirst, {1}, std::string(1'000, 'x')));
  });
  const uint64_t own = attachment(1, "a").stored.size();
  EXPECT_EQ(counters_.record_bytes, before + own + 1'000);
  commit([&](Transaction& transaction) { ASSERT_TRUE(transaction.attachments().put_media(kFirst, {1}, "x")); });
  EXPECT_EQ(counters_.record_bytes, before + own + 1);
  commit([&](Transaction& transaction) { ASSERT_TRUE(transaction.attachments().erase(kFirst, attachment(1, "a"))); });
  EXPECT_EQ(counters_.record_bytes, before);
}

TEST_F(AttachmentsTest, GoWithTheirDocument) {
  commit([&](Transaction& transaction) {
    ASSERT_TRUE(transaction.attachments().put(kFirst, attachment(1, "a")));
    ASSERT_TRUE(transaction.attachments().put_media(kFirst, {1}, "bytes"));
    ASSERT_TRUE(transaction.attachments().put(kSecond, attachment(1, "b")));
  });
  commit([&](Transaction& transaction) { erase_document(transaction, "1"); });
  EXPECT_THAT(ids(kFirst), IsEmpty());
  EXPECT_THAT(ids(kSecond), ElementsAre("1 b"));
  commit([&](Transaction& transaction) { erase_document(transaction, "2"); });
  EXPECT_EQ(rows(), 0u);
  EXPECT_EQ(counters_.record_bytes, 0u);
}

TEST_F(AttachmentsTest, OfADocumentThatIsCreatedAndErasedLeaveNothing) {
  commit([&](Transaction& transaction) {
    put_document(transaction, 3, "3");
    ASSERT_TRUE(transaction.attachments().put(DocumentNumber{3}, attachment(1, "a")));
    erase_document(transaction, "3");
  });
  EXPECT_EQ(rows(), 0u);
}

TEST_F(AttachmentsTest, StayWithADocumentThatIsReplacedOrRenamed) {
  commit([&](Transaction& transaction) { ASSERT_TRUE(transaction.attachments().put(kFirst, attachment(1, "a"))); });
  commit([&](Transaction& transaction) { put_document(transaction, 1, "1"); });
  EXPECT_THAT(ids(kFirst), ElementsAre("1 a"));
  commit([&](Transaction& transaction) {
    erase_document(transaction, "1");
    put_document(transaction, 1, "other");
  });
  EXPECT_THAT(ids(kFirst), ElementsAre("1 a"));
}

TEST_F(AttachmentsTest, AreBounded) {
  Transaction transaction(slice_, policy_, unique_keys_);
  AttachmentChanges& changes = transaction.attachments();
  for (uint32_t i = 1; i <= kAttachmentsPerDocumentMax; ++i) ASSERT_TRUE(changes.put(kFirst, attachment(i, std::to_string(i))));
  EXPECT_EQ(changes.next_number(kFirst).error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(changes.next_number(kSecond));
  EXPECT_EQ(changes.put_media(kFirst, {1}, std::string(kMediaBytesMax + 1, 'x')).error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(changes.put_media(kFirst, {1}, std::string(kMediaBytesMax, 'x')));
}

TEST_F(AttachmentsTest, DamageIsFound) {
  commit([&](Transaction& transaction) {
    ASSERT_TRUE(transaction.attachments().put(kFirst, attachment(1, "a")));
    ASSERT_TRUE(transaction.attachments().put_media(kFirst, {1}, "bytes"));
  });
  const auto found_after = [&](std::string key, std::optional<std::string> value) {
    std::string before;
    const bool was_known = store_->get(Family::kAttachments, key, before).value();
    damage([&](WriteBatch& batch) {
      value ? batch.put(Family::kAttachments, key, *value) : batch.erase(Family::kAttachments, key);
    });
    std::vector<std::string> messages = faults();
    damage([&](WriteBatch& batch) {
      was_known ? batch.put(Family::kAttachments, key, before) : batch.erase(Family::kAttachments, key);
    });
    EXPECT_THAT(faults(), IsEmpty());
    return messages;
  };
  EXPECT_THAT(found_after(attachments_prefix(kPartition, kFirst), std::nullopt), Contains(HasSubstr("the head")));
  EXPECT_THAT(found_after(attachment_id_key(kPartition, kFirst, "a"), std::nullopt),
              Contains(HasSubstr("not found under its id")));
  EXPECT_THAT(found_after(attachment_id_key(kPartition, kFirst, "z"), "none"), Contains(HasSubstr("rows of ids")));
  EXPECT_THAT(found_after(attachment_key(kPartition, kFirst, {1}), "junk"), Contains(HasSubstr("does not decode")));
  EXPECT_THAT(found_after(attachment_key(kPartition, kFirst, {1}), std::nullopt),
              Contains(HasSubstr("belongs to no attachment")));
  EXPECT_THAT(found_after(media_key(kPartition, kFirst, {1}), "byte"), Contains(HasSubstr("bytes by the counters")));
  EXPECT_THAT(found_after(attachment_key(kPartition, {9}, {1}), attachment(1, "a").stored), Contains(HasSubstr("is not there")));
  EXPECT_THAT(found_after(attachments_prefix(kPartition, kFirst) + "q", ""), Contains(HasSubstr("an invalid key")));
}

}  // namespace partita
