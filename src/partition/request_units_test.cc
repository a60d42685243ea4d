#include "partition/request_units.h"

#include <gtest/gtest.h>

#include <array>

namespace partita {
namespace {

struct Published {
  size_t kilobytes;
  double read;
  double write;
};

// The service's published table, for documents with the default indexing policy.
constexpr std::array<Published, 12> kTable = {{{1, 1.00, 4.95},
                                               {2, 1.04, 6.29},
                                               {4, 1.14, 6.67},
                                               {8, 1.33, 7.04},
                                               {16, 1.67, 9.52},
                                               {32, 2.19, 11.23},
                                               {64, 4.76, 22.67},
                                               {128, 9.95, 48.19},
                                               {256, 20.28, 98.29},
                                               {512, 40.95, 184.57},
                                               {1024, 145.90, 625},
                                               {2048, 291.80, 1250}}};
constexpr size_t kUsualTerms = 20;

}  // namespace

TEST(RequestUnits, AreThePublishedOnesAtThePublishedSizes) {
  for (const Published& row : kTable) {
    EXPECT_DOUBLE_EQ(read_charge(row.kilobytes * 1024), row.read) << row.kilobytes;
    EXPECT_DOUBLE_EQ(write_charge(row.kilobytes * 1024, kUsualTerms), row.write) << row.kilobytes;
  }
}

TEST(RequestUnits, AReadOfUpToOneKilobyteIsOneUnit) {
  EXPECT_DOUBLE_EQ(read_charge(0), 1);
  EXPECT_DOUBLE_EQ(read_charge(100), 1);
  EXPECT_DOUBLE_EQ(read_charge(1024), 1);
  EXPECT_GT(read_charge(1500), 1);
}

TEST(RequestUnits, NeverFallWhenMoreIsRead) {
  for (size_t bytes = 0; bytes < 3 << 20; bytes += 777) {
    ASSERT_LE(read_charge(bytes), read_charge(bytes + 777)) << bytes;
    ASSERT_LE(write_charge(bytes, kUsualTerms), write_charge(bytes + 777, kUsualTerms)) << bytes;
  }
}

TEST(RequestUnits, IndexEntriesCost) {
  EXPECT_LT(write_charge(1024, 2), write_charge(1024, 20));
  EXPECT_GT(write_charge(1024, 40), write_charge(1024, 20));
  EXPECT_GE(write_charge(0, 0), 1);
}

TEST(RequestUnits, AreRoundedToHundredths) {
  for (size_t bytes : {1500u, 3333u, 70000u}) {
    const double hundredths = write_charge(bytes, 13) * 100;
    EXPECT_NEAR(hundredths, static_cast<double>(static_cast<int64_t>(hundredths + 0.5)), 1e-6);
  }
}

TEST(RequestUnits, AFeedCostsByWhatItReads) {
  EXPECT_DOUBLE_EQ(feed_charge(0, 0), 1);
  EXPECT_DOUBLE_EQ(feed_charge(10, 10 * 1024), 2);
}

}  // namespace partita
