#include "cluster/reshape/reshaper.h"

#include "cluster/test_account.h"
#include "cluster/test_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

namespace partita {
namespace {

constexpr int kDocuments = 60;

std::string name_of(int i) { return fmt::format("k{0}/d{0}", i); }

// A container whose documents have attachments, and a model of them: "k1/d1" to "number id media".
class ReshaperAttachmentsTest : public testing::Test {
 protected:
  using Model = std::map<std::string, std::map<uint32_t, std::string>>;

  ReshaperAttachmentsTest() {
    account_.make_container("c", {"/pk"});
    TestWriter writer(container());
    for (int i = 0; i < kDocuments; ++i) {
      EXPECT_TRUE(writer.put(fmt::format("k{}", i), fmt::format("d{}", i), i));
      if (i % 3 != 0) attach(writer, i, "x");
    }
  }

  std::shared_ptr<const Container> container() { return account_.catalog->container("db", "c").value(); }

  // One more attachment for the document, with media.
  void attach(TestWriter& writer, int i, const std::string& media) {
    uint32_t number = 0;
    ASSERT_TRUE(writer.change(key(i), id(i), [&](Transaction& transaction, const std::string&, const Item* stored) -> Status {
      AttachmentChanges& changes = transaction.attachments();
      TRY_ASSIGN(const AttachmentNumber next, changes.next_number(stored->number));
      number = next.value;
      TRY(changes.put(stored->number, {next, *stored_from_json(fmt::format(R"({{"id":"a{}"}})", next.value))}));
      return changes.put_media(stored->number, next, media);
    }));
    model_[name_of(i)][number] = fmt::format("a{} {}", number, media);
  }
  void detach_all(TestWriter& writer, int i) {
    ASSERT_TRUE(writer.change(key(i), id(i), [&](Transaction& transaction, const std::string&, const Item* stored) -> Status {
      TRY_ASSIGN(const std::vector<Attachment> all, transaction.attachments().list(stored->number));
      for (const Attachment& each : all) TRY(transaction.attachments().erase(stored->number, each));
      return {};
    }));
    model_.erase(name_of(i));
  }
  // The document anew; its attachments were those of another.
  void recreate(TestWriter& writer, int i) {
    ASSERT_TRUE(writer.erase(key(i), id(i)));
    ASSERT_TRUE(writer.put(key(i), id(i), i));
    model_.erase(name_of(i));
  }
  // Until it is told to stop.
  void keep_changing(const std::atomic<bool>& stops) {
    TestWriter writer(container());
    for (int round = 0; !stops; ++round) {
      const int i = round * 7 % kDocuments;
      if (round % 5 == 0) {
        recreate(writer, i);
      } else if (round % 5 == 1) {
        detach_all(writer, i);
      } else {
        attach(writer, i, fmt::format("m{}", round));
      }
    }
  }

  Model stored() {
    Model found;
    const std::shared_ptr<const Container> now = container();
    TestAccount::expect_consistent(*now);
    for (const PartitionPlace& place : now->places) {
      const Slice slice = place.partition->local().slice();
      const AttachmentChanges attachments(slice);
      Cursor cursor = slice.cursor(Family::kItems);
      for (cursor.seek_first(); cursor.valid(); cursor.next()) {
        const Item item = item_from_record(trailing_number(cursor.key()), std::string(cursor.value())).value();
        for (const Attachment& each : attachments.list(item.number).value()) {
          const std::string media = attachments.media(item.number, each.number).value().value_or("none");
          const int i = static_cast<int>(item.document().find("n").number());
          found[name_of(i)][each.number.value] = fmt::format("{} {}", each.id(), media);
        }
      }
    }
    return found;
  }

  static std::string key(int i) { return fmt::format("k{}", i); }
  static std::string id(int i) { return fmt::format("d{}", i); }

  TestAccount account_;
  ReshapeLimits limits_;
  Reshaper reshaper_{*account_.store, *account_.catalog, account_.clock, limits_};
  Model model_;
};

}  // namespace

TEST_F(ReshaperAttachmentsTest, AreSplitMergedAndRekeyedWithTheirDocuments) {
  ASSERT_EQ(stored(), model_);
  ASSERT_TRUE(reshaper_.split("db", "c", "0"));
  EXPECT_EQ(stored(), model_);
  ASSERT_TRUE(reshaper_.merge("db", "c", "1"));
  EXPECT_EQ(stored(), model_);
  ASSERT_TRUE(reshaper_.rekey("db", "c", key_definition({"/n"})));
  EXPECT_EQ(stored(), model_);
}

TEST_F(ReshaperAttachmentsTest, LoseNothingWhileWritersGoOn) {
  std::atomic<bool> stops = false;
  std::jthread writer([&] { keep_changing(stops); });
  EXPECT_TRUE(reshaper_.split("db", "c", "0"));
  EXPECT_TRUE(reshaper_.merge("db", "c", "1"));
  EXPECT_TRUE(reshaper_.split("db", "c", "3"));
  stops = true;
  writer.join();
  EXPECT_EQ(stored(), model_);
}

TEST_F(ReshaperAttachmentsTest, AreVerifiedWhereThatIsAskedFor) {
  const Result<ReshapeReport> report = reshaper_.split("db", "c", "0", std::nullopt, ContainerMode::kOffline);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->verified, static_cast<uint64_t>(kDocuments));
  EXPECT_EQ(stored(), model_);
}

}  // namespace partita
