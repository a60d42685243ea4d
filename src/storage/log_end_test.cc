#include "storage/log_end.h"

#include "base/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace partita {
namespace {

std::string record(std::string_view bytes) {
  constexpr char kWhole = 1;
  std::string record = "sum.";
  append_little_endian(record, static_cast<uint16_t>(bytes.size()));
  record.push_back(kWhole);
  record.append(bytes);
  return record;
}

std::string zeros(size_t count) { return std::string(count, '\0'); }

}  // namespace

TEST(LogEnd, IsTheFirstHeaderOfZeros) {
  const std::string records = record("one") + record("two");
  EXPECT_EQ(find_log_end(records + zeros(100)), records.size());
  EXPECT_EQ(find_log_end(zeros(kLogBlockBytes)), 0u);
}

TEST(LogEnd, IsNotInABlockFullOfRecords) {
  EXPECT_EQ(find_log_end(record("one") + record("two")), std::nullopt);
  EXPECT_EQ(find_log_end(""), std::nullopt);
}

TEST(LogEnd, IsNotThePaddingThatIsTooShortForAHeader) {
  EXPECT_EQ(find_log_end(record("one") + zeros(6)), std::nullopt);
  EXPECT_EQ(find_log_end(record("one") + zeros(7)), record("one").size());
}

TEST(LogEnd, IsNotInZerosThatBelongToARecord) { EXPECT_EQ(find_log_end(record(zeros(50))), std::nullopt); }

TEST(LogEnd, ComesBeforeRecordsBehindAGap) {
  EXPECT_EQ(find_log_end(record("one") + zeros(7) + record("two")), record("one").size());
}

TEST(LogEnd, IsLeftToRocksDBWhenARecordIsCutOff) {
  EXPECT_EQ(find_log_end(record("one").substr(0, 8)), std::nullopt);
  EXPECT_EQ(find_log_end(record("one").substr(0, 3)), std::nullopt);
}

TEST(LogEnd, AnEmptyRecordIsARecord) { EXPECT_EQ(find_log_end(record("") + zeros(20)), record("").size()); }

}  // namespace partita
