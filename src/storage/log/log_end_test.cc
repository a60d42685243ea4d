#include "storage/log/log_end.h"

#include "base/bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

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

namespace {

std::string record_of(char type, std::string_view bytes) {
  std::string part = record(bytes);
  part[kLogTypeAt] = type;
  return part;
}

// Told in pieces of this size, where the last whole batch ends after each of them.
std::vector<uint64_t> ends_of(std::string_view log, size_t piece_bytes) {
  BatchEnds ends;
  std::vector<uint64_t> all;
  for (size_t at = 0; at < log.size(); at += piece_bytes) {
    ends.note(log.substr(at, piece_bytes));
    all.push_back(ends.last());
  }
  return all;
}

}  // namespace

TEST(BatchEnds, AreWhereWholeRecordsAndLastPartsEnd) {
  const std::string whole = record("one");
  const std::string parts = record_of(kLogFirst, "tw") + record_of(kLogMiddle, "") + record_of(kLogLast, "o");
  const std::string log = whole + parts + record("");
  for (size_t piece_bytes = 1; piece_bytes <= log.size(); ++piece_bytes) {
    const std::vector<uint64_t> ends = ends_of(log, piece_bytes);
    EXPECT_EQ(ends.back(), log.size()) << piece_bytes;
    for (size_t i = 0; i < ends.size(); ++i) {
      const size_t told = std::min(log.size(), (i + 1) * piece_bytes);
      const size_t expected = told == log.size()                    ? log.size()
                              : told >= whole.size() + parts.size() ? whole.size() + parts.size()
                              : told >= whole.size()                ? whole.size()
                                                                    : 0;
      EXPECT_EQ(ends[i], expected) << told;
    }
  }
}

TEST(BatchEnds, PaddingAtABlocksEndBelongsToNoBatch) {
  const std::string first = record(std::string(kLogBlockBytes - kLogHeaderBytes - 3, 'x'));
  const std::string log = first + zeros(3) + record("next");
  for (const size_t piece_bytes : {size_t{1}, size_t{1000}, first.size(), first.size() + 2, log.size()}) {
    const std::vector<uint64_t> ends = ends_of(log, piece_bytes);
    EXPECT_EQ(ends.back(), log.size()) << piece_bytes;
  }
}

TEST(BatchEnds, PaddingThatHasComeMovesNoEnd) {
  const std::string first = record(std::string(kLogBlockBytes - kLogHeaderBytes - 3, 'x'));
  EXPECT_EQ(ends_of(first + zeros(2), first.size() + 2).back(), first.size());
  EXPECT_EQ(ends_of(first + zeros(3), first.size() + 3).back(), first.size());
}

TEST(BatchEnds, ARecordThatExactlyFillsABlockEndsThere) {
  const std::string first = record(std::string(kLogBlockBytes - kLogHeaderBytes, 'x'));
  EXPECT_EQ(ends_of(first, 100).back(), kLogBlockBytes);
  EXPECT_EQ(ends_of(first + record("next"), 100).back(), kLogBlockBytes + record("next").size());
}

}  // namespace partita
