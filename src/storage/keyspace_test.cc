#include "storage/keyspace.h"

#include <gtest/gtest.h>

#include <string>

namespace partita {

TEST(Keyspace, FamiliesHaveTheirNamesOnDisk) {
  std::string names;
  for (Family family : kFamilies) names += std::string(name_of(family)) + " ";
  EXPECT_EQ(names, "default items keys index changes unique expiry versions attachments ");
}

}  // namespace partita
