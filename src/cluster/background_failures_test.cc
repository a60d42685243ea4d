#include "cluster/background_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

using background::kBuildIndex;
using background::kReshape;
using testing::ElementsAre;
using testing::IsEmpty;

class BackgroundFailuresTest : public testing::Test {
 protected:
  BackgroundFailuresTest() {
    failures_.set_listener([this](const BackgroundFailure& failure) { told_.push_back(failure); });
  }
  // Whether it was tried.
  bool fails(std::string_view subject, std::string_view kind = kReshape) {
    bool is_tried = false;
    EXPECT_FALSE(failures_.attempt(kind, subject, [&]() -> Status {
      is_tried = true;
      return fail(ErrorCode::kStorageFailure, "No space left on device");
    }));
    return is_tried;
  }
  std::vector<uint64_t> told_tries() const {
    std::vector<uint64_t> tries;
    for (const BackgroundFailure& failure : told_) tries.push_back(failure.tries);
    return tries;
  }

  ManualClock clock_{1'700'000'000'000};
  BackgroundFailures failures_{clock_};
  std::vector<BackgroundFailure> told_;
};

}  // namespace

TEST_F(BackgroundFailuresTest, TriesAgainEverMoreSeldomAndTellsEverLess) {
  std::vector<int64_t> waited_s;
  for (int64_t second = 0, last = 0; second < 3600; ++second, clock_.advance_ms(1000)) {
    if (!fails("dbs/a/colls/b")) continue;
    waited_s.push_back(second - last);
    last = second;
  }
  EXPECT_THAT(waited_s, ElementsAre(0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300));
  EXPECT_THAT(told_tries(), ElementsAre(1, 2, 4, 8, 16));
}

TEST_F(BackgroundFailuresTest, SaysWhatFailsSinceWhenAndWhenItIsTriedAgain) {
  fails("dbs/a/colls/b");
  clock_.advance_ms(1000);
  fails("dbs/a/colls/b");
  fails("dbs/a/colls/b", kBuildIndex);
  ASSERT_EQ(failures_.all().size(), 2u);
  const BackgroundFailure failure = failures_.all().back();
  EXPECT_EQ(failure.kind, kReshape);
  EXPECT_EQ(failure.subject, "dbs/a/colls/b");
  EXPECT_EQ(failure.message, "No space left on device");
  EXPECT_EQ(failure.tries, 2u);
  EXPECT_EQ(failure.since_ms, 1'700'000'000'000);
  EXPECT_EQ(failure.next_ms, 1'700'000'003'000);
}

TEST_F(BackgroundFailuresTest, OneSubjectsFailureDoesNotKeepAnotherWaiting) {
  fails("dbs/a/colls/b");
  EXPECT_TRUE(failures_.attempt(kReshape, "dbs/a/colls/c", [] { return Status(); }));
  EXPECT_TRUE(failures_.attempt(kBuildIndex, "dbs/a/colls/b", [] { return Status(); }));
  EXPECT_FALSE(failures_.is_due(kReshape, "dbs/a/colls/b"));
}

TEST_F(BackgroundFailuresTest, TellsOnceThatItIsOverAndForgetsIt) {
  fails("dbs/a/colls/b");
  clock_.advance_ms(kFirstRetryMs);
  EXPECT_TRUE(failures_.attempt(kReshape, "dbs/a/colls/b", [] { return Status(); }));
  EXPECT_TRUE(failures_.attempt(kReshape, "dbs/a/colls/b", [] { return Status(); }));
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_TRUE(told_.back().is_over);
  EXPECT_THAT(failures_.all(), IsEmpty());
  fails("dbs/a/colls/b");
  EXPECT_EQ(told_.back().tries, 1u);
}

TEST_F(BackgroundFailuresTest, RemembersAndTellsNoMoreThanItShould) {
  for (size_t i = 0; i < 3 * kBackgroundFailuresMax; ++i) fails(std::to_string(i));
  EXPECT_EQ(failures_.all().size(), kBackgroundFailuresMax);
  EXPECT_EQ(told_.size(), kFailuresToldPerMinute);
  clock_.advance_ms(60'000);
  fails("another");
  EXPECT_EQ(told_.size(), kFailuresToldPerMinute + 1);
  clock_.advance_ms(kFailureForgottenMs + 1);
  EXPECT_THAT(failures_.all(), IsEmpty());
}

}  // namespace partita
