#include "cluster/catalog/number_leases.h"

#include "cluster/test_account.h"
#include "cluster/test_writer.h"
#include "storage/keyspace.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace partita {
namespace {

size_t leases_in(const Store& store) {
  size_t leases = 0;
  Cursor rows = store.cursor(Family::kCatalog, "l", "m");
  for (rows.seek_first(); rows.valid(); rows.next()) ++leases;
  return leases;
}

}  // namespace

TEST(DocumentNumbers, EndWhereTheLeaseEnds) {
  DocumentNumbers numbers({5}, {7});
  EXPECT_TRUE(numbers.is_running_out());
  EXPECT_EQ(numbers.next()->value, 6U);
  EXPECT_EQ(numbers.next()->value, 7U);
  EXPECT_EQ(numbers.next().error().code, ErrorCode::kUnavailable);
  numbers.extend({7 + DocumentNumbers::kLeased});
  EXPECT_FALSE(numbers.is_running_out());
  EXPECT_EQ(numbers.next()->value, 9U);  // what was refused is left out
}

TEST(NumberLeases, ANewContainerHasABlockAndGoesOnInItAfterARestart) {
  TestAccount account;
  std::shared_ptr<const Container> container = account.make_container("c", {"/pk"});
  EXPECT_EQ(container->numbers->leased().value, DocumentNumbers::kLeased);
  TestWriter writer(container);
  ASSERT_TRUE(writer.put("a", "1", 1));
  ASSERT_TRUE(writer.put("b", "2", 1));
  container.reset();
  account.reopen();
  container = *account.catalog->container("db", "c");
  EXPECT_EQ(container->numbers->next()->value, 3U);
  EXPECT_EQ(container->numbers->leased().value, DocumentNumbers::kLeased);
}

TEST(NumberLeases, AreExtendedWhenHalfIsUsedAndThatOutlivesTheServer) {
  TestAccount account;
  std::shared_ptr<const Container> container = account.make_container("c", {"/pk"});
  const std::shared_ptr<const Container> other = account.make_container("other", {"/pk"});
  for (uint64_t n = 0; n < DocumentNumbers::kLeased / 2; ++n) ASSERT_TRUE(container->numbers->next());
  ASSERT_TRUE(account.catalog->numbers().extend());
  EXPECT_EQ(container->numbers->leased().value, DocumentNumbers::kLeased);
  ASSERT_TRUE(container->numbers->next());
  ASSERT_TRUE(account.catalog->numbers().extend());
  EXPECT_EQ(container->numbers->leased().value, 2 * DocumentNumbers::kLeased);
  EXPECT_EQ(other->numbers->leased().value, DocumentNumbers::kLeased);
  account.reopen();
  container = *account.catalog->container("db", "c");
  EXPECT_EQ(container->numbers->leased().value, 2 * DocumentNumbers::kLeased);
  EXPECT_EQ(container->numbers->next()->value, 1U);  // nothing was stored under the others
}

TEST(NumberLeases, AContainerFromBeforeThereWereLeasesGetsOneAtTheStart) {
  TestAccount account;
  TestWriter writer(account.make_container("c", {"/pk"}));
  ASSERT_TRUE(writer.put("a", "1", 1));
  WriteBatch batch(*account.store);
  batch.erase_range(Family::kCatalog, "l", "m");
  ASSERT_TRUE(account.store->apply(batch));
  account.reopen();
  EXPECT_EQ(leases_in(*account.store), 1U);
  const std::shared_ptr<const Container> container = *account.catalog->container("db", "c");
  EXPECT_EQ(container->numbers->leased().value, 1 + DocumentNumbers::kLeased);
  EXPECT_EQ(container->numbers->next()->value, 2U);
}

TEST(NumberLeases, GoWithTheirContainer) {
  TestAccount account;
  account.make_container("a", {"/pk"});
  account.make_container("b", {"/pk"});
  EXPECT_EQ(leases_in(*account.store), 2U);
  ASSERT_TRUE(account.catalog->delete_container("db", "a"));
  EXPECT_EQ(leases_in(*account.store), 1U);
  ASSERT_TRUE(account.catalog->delete_database("db"));
  EXPECT_EQ(leases_in(*account.store), 0U);
}

}  // namespace partita
