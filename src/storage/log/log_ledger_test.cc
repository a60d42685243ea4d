#include "storage/log/log_ledger.h"

#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace partita {
namespace {

using testing::HasSubstr;

const std::vector<LogDemand> kTwo = {
    {.log = 4, .file_bytes = 1 << 24, .batch_bytes = 1000, .serial_before = 0, .serial = 7},
    {.log = 9, .file_bytes = 1 << 25, .batch_bytes = 2000, .serial_before = 7, .serial = 9},
};

class LogLedgerTest : public testing::Test {
 protected:
  std::vector<LogDemand> read() const { return LogLedger::read(directory_.path()).value().value(); }
  // Destroys a slot, as a kill in the midst of writing it does.
  void tear(size_t slot) const {
    std::fstream file(LogLedger::path_in(directory_.path()), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(slot * kLedgerSlotBytes + 20));
    file.put('!');
  }

  TemporaryDirectory directory_;
};

}  // namespace

TEST(LedgerSlot, HasThisFormOnDisk) {
  const std::string slot = encode_ledger_slot(5, {kTwo[0]});
  EXPECT_EQ(slot.size(), kLedgerSlotBytes);
  EXPECT_EQ(slot.substr(4, 20), std::string("PLOG\5\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 20));
  EXPECT_EQ(slot.substr(24, 40), std::string("\4\0\0\0\0\0\0\0"
                                             "\0\0\0\1\0\0\0\0"
                                             "\xE8\3\0\0\0\0\0\0"
                                             "\0\0\0\0\0\0\0\0"
                                             "\7\0\0\0\0\0\0\0",
                                             40));
}

TEST(LedgerSlot, IsReadAsItWasWritten) {
  const std::optional<LedgerSlot> slot = decode_ledger_slot(encode_ledger_slot(5, kTwo));
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->generation, 5u);
  EXPECT_EQ(slot->demands, kTwo);
}

TEST(LedgerSlot, WithAFlippedByteIsNone) {
  const std::string slot = encode_ledger_slot(5, kTwo);
  for (size_t at = 0; at < slot.size(); at += 7) {
    std::string flipped = slot;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    EXPECT_FALSE(decode_ledger_slot(flipped)) << at;
  }
  EXPECT_FALSE(decode_ledger_slot(""));
  EXPECT_FALSE(decode_ledger_slot(std::string(kLedgerSlotBytes, '\0')));
}

TEST(LedgerSlot, LeavesOutTheOldestOfTooManyDemands) {
  std::vector<LogDemand> many;
  for (uint64_t log = 1; log <= kLedgerDemandsMax + 3; ++log) many.push_back({.log = log});
  const std::optional<LedgerSlot> slot = decode_ledger_slot(encode_ledger_slot(1, many));
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->demands.size(), kLedgerDemandsMax);
  EXPECT_EQ(slot->demands.front().log, 4u);
}

TEST_F(LogLedgerTest, IsNotThereBeforeItIsMade) { EXPECT_EQ(LogLedger::read(directory_.path()).value(), std::nullopt); }

TEST_F(LogLedgerTest, TellsWhatWasWrittenLast) {
  const std::unique_ptr<LogLedger> ledger = LogLedger::create(directory_.path(), {kTwo[0]}).value();
  EXPECT_EQ(read(), std::vector{kTwo[0]});
  for (uint64_t bytes = 1; bytes < 6; ++bytes) {
    std::vector<LogDemand> demands = kTwo;
    demands[1].batch_bytes = bytes;
    EXPECT_TRUE(ledger->write(demands).ok());
    EXPECT_EQ(read(), demands);
  }
}

TEST_F(LogLedgerTest, ATornSlotLeavesTheOneBefore) {
  const std::unique_ptr<LogLedger> ledger = LogLedger::create(directory_.path(), {}).value();
  EXPECT_TRUE(ledger->write({kTwo[0]}).ok());
  EXPECT_TRUE(ledger->write(kTwo).ok());
  tear(1);
  EXPECT_EQ(read(), std::vector{kTwo[0]});
}

TEST_F(LogLedgerTest, WithoutAWholeSlotIsDamagedAndNamed) {
  ASSERT_TRUE(LogLedger::create(directory_.path(), kTwo));
  tear(0);
  tear(1);
  const auto refused = LogLedger::read(directory_.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(refused.error().message, HasSubstr(LogLedger::path_in(directory_.path()) + " is damaged"));
  std::filesystem::resize_file(LogLedger::path_in(directory_.path()), 0);
  EXPECT_FALSE(LogLedger::read(directory_.path()));
}

TEST_F(LogLedgerTest, ThatCannotBeWrittenSaysWhy) {
  const auto refused = LogLedger::create(directory_.path() + "/missing", {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("No such file or directory"));
}

}  // namespace partita
