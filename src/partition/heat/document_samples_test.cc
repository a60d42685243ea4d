#include "partition/heat/document_samples.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

namespace partita {
namespace {

void use(DocumentSamples& samples, int64_t minute, uint64_t number, double units) {
  const DocumentNumber document{number};
  if (samples.wants_next()) samples.note(minute, DocumentSamples::Kind::kWrite, std::span(&document, 1), units);
}

double units_of(const std::vector<DocumentSamples::Request>& requests, uint64_t below) {
  double units = 0;
  for (const DocumentSamples::Request& request : requests) {
    if (request.touched()[0].value < below) units += request.units;
  }
  return units;
}

}  // namespace

TEST(DocumentSamples, StandForAllRequests) {
  DocumentSamples samples;
  // Every fourth request is for a document below 100; they cost the same.
  for (uint64_t i = 0; i < 400'000; ++i) use(samples, static_cast<int64_t>(i / 10'000), i % 4 == 0 ? i % 100 : 1'000 + i, 5);
  const auto requests = samples.requests(39);
  EXPECT_EQ(requests.size(), 40 * DocumentSamples::kPerMinute);
  EXPECT_NEAR(units_of(requests, UINT64_MAX), 2'000'000, 100'000);
  EXPECT_NEAR(units_of(requests, 1'000) / units_of(requests, UINT64_MAX), 0.25, 0.05);
}

TEST(DocumentSamples, ForgetAfterAnHour) {
  DocumentSamples samples;
  for (uint64_t i = 0; i < 1'000; ++i) use(samples, 100, i, 1);
  EXPECT_FALSE(samples.requests(159).empty());
  EXPECT_TRUE(samples.requests(160).empty());
  for (uint64_t i = 0; i < 1'000; ++i) use(samples, 160, i, 1);
  EXPECT_NEAR(units_of(samples.requests(160), UINT64_MAX), 1'000, 250);
}

TEST(DocumentSamples, KnowTheMinuteOfEachRequest) {
  DocumentSamples samples;
  // The slots are used again and again: the order is that of time.
  for (int64_t minute = 170; minute < 175; ++minute) {
    const DocumentNumber document{static_cast<uint64_t>(minute)};
    samples.note(minute, DocumentSamples::Kind::kRead, std::span(&document, 1), 3);
  }
  const auto requests = samples.requests(190);
  ASSERT_EQ(requests.size(), 5u);
  for (size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].minute, 170 + static_cast<int64_t>(i));
    EXPECT_EQ(requests[i].touched()[0].value, static_cast<uint64_t>(requests[i].minute));
  }
}

TEST(DocumentSamples, KeepTheFirstDocumentsOfATransaction) {
  DocumentSamples samples;
  const std::vector<DocumentNumber> documents = {{1}, {2}, {3}, {4}, {5}, {6}};
  samples.note(1, DocumentSamples::Kind::kWrite, documents, 10);
  samples.note(1, DocumentSamples::Kind::kWrite, {}, 10);  // of what touched none, nothing is kept
  const auto requests = samples.requests(1);
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].touched().size(), DocumentSamples::kDocumentsPerRequest);
}

// Of all partitions together.
TEST(DocumentSamples, TakeTheirMemoryFromARoom) {
  constexpr size_t kMinuteBytes = DocumentSamples::kPerMinute * sizeof(DocumentSamples::Request);
  const auto memory = std::make_shared<MemoryBudget>(3 * kMinuteBytes);
  const DocumentNumber document{1};
  const auto use_minute = [&](DocumentSamples& samples, int64_t minute) {
    for (int i = 0; i < 100; ++i) samples.note(minute, DocumentSamples::Kind::kRead, std::span(&document, 1), 1);
    return samples.requests(minute).size();
  };
  {
    DocumentSamples first(memory);
    DocumentSamples second(memory);
    EXPECT_EQ(use_minute(first, 1), DocumentSamples::kPerMinute);
    EXPECT_EQ(use_minute(first, 2), 2 * DocumentSamples::kPerMinute);
    EXPECT_EQ(use_minute(second, 2), DocumentSamples::kPerMinute);
    EXPECT_EQ(memory->left(), 0u);
    EXPECT_EQ(use_minute(second, 3), DocumentSamples::kPerMinute) << "nothing is left for another minute";
    EXPECT_EQ(use_minute(first, 200), DocumentSamples::kPerMinute) << "what is too old makes memory";
    EXPECT_EQ(memory->left(), kMinuteBytes);
  }
  EXPECT_EQ(memory->left(), 3 * kMinuteBytes);
}

TEST(DocumentSamples, CanBeSwitchedOff) {
  DocumentSamples samples;
  samples.set_enabled(false);
  for (uint64_t i = 0; i < 1'000; ++i) use(samples, 1, i, 1);
  EXPECT_TRUE(samples.requests(1).empty());
}

}  // namespace partita
