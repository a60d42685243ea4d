#include "partition/charge/request_units.h"

#include "partition/charge/test_published_prices.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

constexpr uint64_t kUsualEntries = 20;

double read(uint64_t bytes, ReadPrice price = ReadPrice::kSingle) {
  return charge_for({.lookups = 1, .lookup_bytes = bytes}, price);
}
double write(uint64_t bytes, uint64_t entries) {
  return charge_for({.writes = 1, .write_bytes = bytes, .index_entries_written = entries});
}

}  // namespace

TEST(RequestUnits, AreThePublishedOnesAtThePublishedSizes) {
  for (const PublishedPrice& row : kPublishedPrices) {
    EXPECT_DOUBLE_EQ(read(row.kilobytes * 1024), row.read) << row.kilobytes;
    EXPECT_DOUBLE_EQ(write(row.kilobytes * 1024, kUsualEntries), row.write) << row.kilobytes;
  }
}

TEST(RequestUnits, StrongReadsCostTwiceAsMuchAndWritesDoNot) {
  for (const PublishedPrice& row : kPublishedPrices)
    EXPECT_DOUBLE_EQ(read(row.kilobytes * 1024, ReadPrice::kDouble), 2 * row.read);
  const WorkDone put{.writes = 1, .write_bytes = 1024, .index_entries_written = kUsualEntries};
  EXPECT_DOUBLE_EQ(charge_for(put, ReadPrice::kDouble), charge_for(put));
  const WorkDone page{.pages = 1, .documents_loaded = 10, .loaded_bytes = 10 * 1024};
  EXPECT_DOUBLE_EQ(charge_for(page, ReadPrice::kDouble), 2 * charge_for(page));
}

TEST(RequestUnits, AReadOfUpToOneKilobyteIsOneUnit) {
  EXPECT_DOUBLE_EQ(read(0), kFailedLookupCharge);
  EXPECT_DOUBLE_EQ(read(100), 1);
  EXPECT_DOUBLE_EQ(read(1024), 1);
  EXPECT_GT(read(1500), 1);
}

TEST(RequestUnits, NeverFallWhenMoreIsRead) {
  for (uint64_t bytes = 0; bytes < 3 << 20; bytes += 777) {
    ASSERT_LE(read(bytes), read(bytes + 777)) << bytes;
    ASSERT_LE(write(bytes, kUsualEntries), write(bytes + 777, kUsualEntries)) << bytes;
  }
}

TEST(RequestUnits, EveryIndexEntryWrittenCostsTheSame) {
  for (const uint64_t bytes : {1024u, 65536u, 1u << 20}) {
    const double step = write(bytes, 40) - write(bytes, 20);
    EXPECT_GT(step, 0) << bytes;
    EXPECT_NEAR(write(bytes, 120) - write(bytes, 20), 5 * step, 0.01) << bytes;
  }
  EXPECT_GE(write(0, 0), 1);
}

TEST(RequestUnits, ManyOfTheSameCostThatManyTimesOne) {
  EXPECT_DOUBLE_EQ(charge_for({.lookups = 10, .lookup_bytes = 10 * 4096}), 10 * read(4096));
  EXPECT_DOUBLE_EQ(charge_for({.writes = 10, .write_bytes = 10 * 4096, .index_entries_written = 10 * 20}), 10 * write(4096, 20));
}

TEST(RequestUnits, AreRoundedToHundredths) {
  for (uint64_t bytes : {1500u, 3333u, 70000u}) {
    const double hundredths = write(bytes, 13) * 100;
    EXPECT_NEAR(hundredths, static_cast<double>(static_cast<int64_t>(hundredths + 0.5)), 1e-6);
  }
}

TEST(RequestUnits, APageCostsByWhatItTouches) {
  EXPECT_DOUBLE_EQ(charge_for({.pages = 1}), 1);
  EXPECT_DOUBLE_EQ(charge_for({.pages = 1, .documents_loaded = 10, .loaded_bytes = 10 * 1024}), 2);
  EXPECT_GT(charge_for({.pages = 1, .index_entries_read = 1000}), charge_for({.pages = 1}));
  EXPECT_GT(charge_for({.pages = 1, .result_bytes = 1 << 20}), charge_for({.pages = 1}));
}

TEST(RequestUnits, APageIsChargedByWhatItsPartsAreFor) {
  const WorkDone work{
      .pages = 1, .documents_loaded = 10, .loaded_bytes = 10 * 1024, .index_entries_read = 100, .result_bytes = 100 * 1024};
  const PageCharge parts = page_charge(work);
  EXPECT_DOUBLE_EQ(parts.page, 1);
  EXPECT_DOUBLE_EQ(parts.documents, 1);
  EXPECT_DOUBLE_EQ(parts.index_entries, 0.2);
  EXPECT_DOUBLE_EQ(parts.result, 1);
  EXPECT_DOUBLE_EQ(charge_for(work), parts.sum());
  EXPECT_DOUBLE_EQ(charge_for(work, ReadPrice::kDouble), page_charge(work, ReadPrice::kDouble).sum());
}

TEST(RequestUnits, AScriptCostsByItsTime) {
  EXPECT_DOUBLE_EQ(charge_for({.scripts = 1, .script_us = 50'000}), 25);
  EXPECT_DOUBLE_EQ(charge_for({.script_us = 50'000}), 25);
}

TEST(RequestUnits, AScriptWhoseTimeCannotBeMeasuredIsNotFree) {
  EXPECT_DOUBLE_EQ(charge_for({.scripts = 1, .script_us = 0}), 1);
  EXPECT_DOUBLE_EQ(charge_for({.scripts = 3, .script_us = 2'000}), 3);
}

TEST(RequestUnits, OnlyVeryMuchComputingCostsSomething) {
  EXPECT_DOUBLE_EQ(evaluation_charge(200'000), 0);
  EXPECT_DOUBLE_EQ(evaluation_charge(300'000), 5);
}

TEST(RequestUnits, WorkAddsUp) {
  WorkDone sum{.lookups = 1, .lookup_bytes = 10, .pages = 1};
  sum += WorkDone{.lookups = 2, .lookup_bytes = 20, .writes = 1, .script_us = 7};
  EXPECT_EQ(sum, (WorkDone{.lookups = 3, .lookup_bytes = 30, .writes = 1, .pages = 1, .script_us = 7}));
}

}  // namespace partita
