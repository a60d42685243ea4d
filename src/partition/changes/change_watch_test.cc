#include "partition/changes/change_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(ChangeWatch, RemembersEveryDocumentOnceWithItsLastChange) {
  ChangeWatch watch;
  watch.note(Lsn{5}, {DocumentNumber{1}, DocumentNumber{2}});
  watch.note(Lsn{6}, {DocumentNumber{1}});
  EXPECT_EQ(watch.size(), 2u);
  EXPECT_THAT(watch.take(Lsn{5}), UnorderedElementsAre(DocumentNumber{2}));
  EXPECT_THAT(watch.take(Lsn{6}), UnorderedElementsAre(DocumentNumber{1}));
  EXPECT_THAT(watch.take(Lsn{6}), IsEmpty());
}

TEST(ChangeWatch, GivesUpInsteadOfRememberingWithoutEnd) {
  ChangeWatch watch(2);
  for (uint64_t i = 1; i <= 2; ++i) watch.note(Lsn{i}, {DocumentNumber{i}});
  EXPECT_FALSE(watch.has_overflowed());
  watch.note(Lsn{3}, {DocumentNumber{3}});
  EXPECT_TRUE(watch.has_overflowed());
  EXPECT_EQ(watch.size(), 0u);
  watch.take(Lsn{3});
  watch.note(Lsn{4}, {DocumentNumber{4}});
  EXPECT_TRUE(watch.has_overflowed()) << "what was forgotten is not known later either";
}

}  // namespace partita
