#include "tools/bench/load/arrivals.h"
#include "tools/bench/load/choices.h"
#include "tools/bench/load/document_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace partita::tools::bench {
namespace {

constexpr uint64_t kItems = 1000;
constexpr size_t kDraws = 200'000;

std::vector<double> shares_of(const std::function<uint64_t()>& draw, size_t items = kItems) {
  std::vector<double> shares(items);
  for (size_t i = 0; i < kDraws; ++i) shares[draw()] += 1.0 / kDraws;
  return shares;
}

}  // namespace

TEST(Zeta, IsTheSumAlsoWhereItIsContinuedWithAnIntegral) {
  EXPECT_DOUBLE_EQ(zeta(1, 0.99), 1);
  EXPECT_NEAR(zeta(2, 0.99), 1 + std::pow(0.5, 0.99), 1e-12);
  double sum = 0;
  for (int i = 1; i <= 300'000; ++i) sum += 1 / std::pow(i, 0.99);
  EXPECT_NEAR(zeta(300'000, 0.99), sum, 1e-8);
  // The number that YCSB has in its source for its ten thousand million items.
  EXPECT_NEAR(zeta(ScrambledZipf::kRanks, 0.99), 26.46902820178302, 1e-6);
}

TEST(Zipf, GivesTheFirstRanksTheirExactShares) {
  RandomSource random(1);
  const Zipf zipf(kItems);
  const std::vector<double> shares = shares_of([&] { return zipf.draw(random); });
  const double whole = zeta(kItems, 0.99);
  EXPECT_NEAR(shares[0], 1 / whole, 0.004);
  EXPECT_NEAR(shares[1], std::pow(0.5, 0.99) / whole, 0.003);
  EXPECT_NEAR(shares[9], std::pow(0.1, 0.99) / whole, 0.004);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.begin() + 3, std::greater<>()));
}

TEST(Zipf, WithExponentZeroIsUniform) {
  RandomSource random(1);
  const Zipf zipf(10, 0);
  for (const double share : shares_of([&] { return zipf.draw(random); }, 10)) EXPECT_NEAR(share, 0.1, 0.01);
}

TEST(Zipf, StaysInsideWithOneOrTwoItems) {
  RandomSource random(1);
  const Zipf one(1);
  const Zipf two(2);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(one.draw(random), 0);
    EXPECT_LT(two.draw(random), 2);
  }
}

TEST(Zipf, GrowsAsIfItHadBeenMadeThatLarge) {
  RandomSource one(7);
  RandomSource other(7);
  Zipf grown(10);
  grown.grow(kItems);
  const Zipf made(kItems);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(grown.draw(one), made.draw(other));
}

TEST(ScrambledZipf, SpreadsYcsbsSharesOverAllItems) {
  RandomSource random(1);
  const ScrambledZipf zipf(kItems);
  std::vector<double> shares = shares_of([&] { return zipf.draw(random); });
  // FNV-1a of rank 0, modulo the items; YCSB's hottest item.
  const auto hottest = std::ranges::max_element(shares) - shares.begin();
  EXPECT_EQ(hottest, static_cast<ptrdiff_t>((0 - 0xA8C7F832281A39C5) % kItems));
  EXPECT_NEAR(shares[static_cast<size_t>(hottest)], 1 / 26.469, 0.004);
  EXPECT_EQ(std::ranges::count(shares, 0), 0);
}

TEST(KeyChooser, UniformReachesDocumentsThatWereInsertedLater) {
  RandomSource random(1);
  KeyChooser keys(KeyOrder::kUniform, 10, kZipfExponent);
  const std::vector<double> shares = shares_of([&] { return keys.choose(random, 20); }, 20);
  for (const double share : shares) EXPECT_NEAR(share, 0.05, 0.005);
}

TEST(KeyChooser, LatestPrefersTheNewest) {
  RandomSource random(1);
  KeyChooser keys(KeyOrder::kLatest, 10, kZipfExponent);
  const std::vector<double> shares = shares_of([&] { return keys.choose(random, kItems); });
  EXPECT_NEAR(shares[kItems - 1], 1 / zeta(kItems, 0.99), 0.004);
  EXPECT_GT(shares[kItems - 1], shares[kItems - 2]);
}

TEST(KeyChooser, SequentialGoesAroundFromWhereItBegins) {
  RandomSource random(1);
  KeyChooser keys(KeyOrder::kSequential, 3, kZipfExponent);
  keys.begin_at(1);
  EXPECT_EQ(keys.choose(random, 3), 1);
  EXPECT_EQ(keys.choose(random, 3), 2);
  EXPECT_EQ(keys.choose(random, 3), 0);
}

TEST(Workload, HasYcsbsMixes) {
  const auto shares = [](std::string_view name) { return Workload::find(name)->shares; };
  using Kinds = std::array<double, kOperationKinds>;
  EXPECT_EQ(shares("a"), (Kinds{0, 0.5, 0.5, 0, 0, 0}));
  EXPECT_EQ(shares("b"), (Kinds{0, 0.95, 0.05, 0, 0, 0}));
  EXPECT_EQ(shares("c"), (Kinds{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(shares("d"), (Kinds{0.05, 0.95, 0, 0, 0, 0}));
  EXPECT_EQ(shares("e"), (Kinds{0.05, 0, 0, 0, 0.95, 0}));
  EXPECT_EQ(shares("f"), (Kinds{0, 0.5, 0, 0, 0, 0.5}));
  EXPECT_EQ(Workload::find("d")->keys, KeyOrder::kLatest);
  EXPECT_EQ(Workload::find("a")->keys, KeyOrder::kZipfian);
}

TEST(Workload, ReadsMixesOfAnyNumbers) {
  const Result<Workload> mix = Workload::parse_mix("read=3,insert=1");
  ASSERT_TRUE(mix);
  EXPECT_DOUBLE_EQ(mix->share(OperationKind::kRead), 0.75);
  EXPECT_DOUBLE_EQ(mix->share(OperationKind::kInsert), 0.25);
  for (const char* bad : {"", "read", "read=", "read=-1", "read=nan", "read=0", "fly=1", "read=1,,insert=1", "read=1x"}) {
    EXPECT_FALSE(Workload::parse_mix(bad)) << bad;
  }
}

TEST(Workload, DrawsKindsInTheirProportion) {
  RandomSource random(1);
  const Workload workload = *Workload::find("b");
  std::map<OperationKind, double> counts;
  for (size_t i = 0; i < kDraws; ++i) counts[choose_kind(workload, random)] += 1.0 / kDraws;
  EXPECT_NEAR(counts[OperationKind::kRead], 0.95, 0.003);
  EXPECT_NEAR(counts[OperationKind::kUpdate], 0.05, 0.003);
  EXPECT_EQ(counts.size(), 2);
}

TEST(DocumentNumbers, AreReadableWhenAllBeforeThemAreAcknowledged) {
  DocumentNumbers numbers(5);
  EXPECT_EQ(numbers.take(), 5);
  EXPECT_EQ(numbers.take(), 6);
  EXPECT_EQ(numbers.take(), 7);
  numbers.acknowledge(6);
  EXPECT_EQ(numbers.readable(), 5);
  numbers.acknowledge(5);
  EXPECT_EQ(numbers.readable(), 7);
  numbers.give_back(7);
  EXPECT_EQ(numbers.take(), 7);
  numbers.acknowledge(7);
  EXPECT_EQ(numbers.readable(), 8);
}

TEST(Arrivals, FixedOnesHaveOneDistance) {
  Arrivals arrivals(1000, Arrivals::Spacing::kFixed, 5, 1);
  EXPECT_EQ(arrivals.next_ns(), 1'000'005);
  arrivals.advance();
  EXPECT_EQ(arrivals.next_ns(), 2'000'005);
}

TEST(Arrivals, PoissonOnesHaveAnExponentialDistance) {
  constexpr int kArrivals = 100'000;
  Arrivals arrivals(1000, Arrivals::Spacing::kPoisson, 0, 1);
  double last = 0;
  double squares = 0;
  int longer_than_mean = 0;
  for (int i = 0; i < kArrivals; ++i) {
    const double distance = (static_cast<double>(arrivals.next_ns()) - last) / 1e6;  // in means
    last = static_cast<double>(arrivals.next_ns());
    squares += distance * distance;
    if (distance > 1) ++longer_than_mean;
    arrivals.advance();
  }
  EXPECT_NEAR(last / 1e6 / kArrivals, 1, 0.01);
  EXPECT_NEAR(squares / kArrivals, 2, 0.05);
  EXPECT_NEAR(static_cast<double>(longer_than_mean) / kArrivals, std::exp(-1), 0.01);
}

}  // namespace partita::tools::bench
