#include "tools/transfer/command/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::tools::transfer {
namespace {

using testing::HasSubstr;

TEST(Verification, ComparesNumbersWhereDocumentsReplacedOthers) {
  Report report{.what = "imported", .tally = {.stored = {.documents = 5}, .replaced = 5}};
  report.verification = {
      .kind = Verify::kCount, .expected = {.documents = 15, .low = 1}, .found = {.documents = 15, .low = 2}, .replaced = 5};
  EXPECT_TRUE(report.is_success());
  EXPECT_THAT(report.text(), HasSubstr("verified: 15 documents, their number only: 5 replaced others"));
  report.verification.found.documents = 14;
  EXPECT_FALSE(report.is_success());
  EXPECT_THAT(report.text(), HasSubstr("DIFFERENT: expected 15 documents\n"));
  EXPECT_THAT(report.json(), HasSubstr(R"("isSuccess":false)"));
}

TEST(Verification, AllowsForDocumentsOfWhichNobodyKnowsWhetherTheyWereNew) {
  Verification verification{.kind = Verify::kCount, .expected = {.documents = 15}, .replaced = 5, .tolerance = 2};
  for (uint64_t found = 12; found <= 18; ++found) {
    verification.found.documents = found;
    EXPECT_EQ(verification.is_equal(), found >= 13 && found <= 17) << found;
  }
}

}  // namespace
}  // namespace partita::tools::transfer
