#include "cluster/catalog/catalog.h"
#include "cluster/test_account.h"
#include "document/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CatalogChildren : public testing::Test {
 protected:
  ChildPtr create(const ChildPlace& place, std::string_view id) {
    Result<ChildWritten> written =
        account_.catalog->children().write(place, {std::string(id), *stored_from_json(R"({"resource":"x"})")}, false);
    EXPECT_TRUE(written) << written.error().message;
    return written ? written->child : nullptr;
  }
  ChildPlace permissions_of(const ChildPtr& user) const {
    return {.database = database_->number, .type = ChildType::kPermission, .user = user->number};
  }
  std::vector<std::string> ids(const ChildPlace& place) {
    std::vector<std::string> all;
    for (const ChildPtr& child : account_.catalog->children().list(place)) all.push_back(child->definition.id);
    return all;
  }
  static ResourceName named(std::string_view id) { return {.id = id, .number = std::nullopt}; }
  static ErrorCode error_of(const auto& outcome) {
    EXPECT_FALSE(outcome);
    return outcome ? ErrorCode::kInternal : outcome.error().code;
  }

  TestAccount account_;
  std::shared_ptr<const Database> database_ = account_.catalog->create_database("children", std::nullopt).value();
  const ChildPlace users_{.database = database_->number, .type = ChildType::kUser, .user = 0};
};

}  // namespace

TEST_F(CatalogChildren, AreFoundByIdAndByNumberAlsoAfterAReopen) {
  const ChildPtr b = create(users_, "b");
  const ChildPtr a = create(users_, "a");
  const ChildPtr permission = create(permissions_of(a), "a");
  account_.reopen();
  EXPECT_THAT(ids(users_), ElementsAre("b", "a"));  // in the order of creation
  EXPECT_THAT(ids(permissions_of(a)), ElementsAre("a"));
  EXPECT_THAT(ids(permissions_of(b)), IsEmpty());
  const Result<ChildPtr> found = account_.catalog->children().find(users_, {.id = "none", .number = b->number});
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->revision.etag, b->revision.etag);
  EXPECT_EQ(to_json(Value::view((*found)->definition.properties)), R"({"resource":"x"})");
  EXPECT_EQ(error_of(account_.catalog->children().find(users_, {.id = "none", .number = permission->number})),
            ErrorCode::kNotFound);
  EXPECT_EQ(account_.catalog->children().find(permission->number)->place, permissions_of(a));
}

TEST_F(CatalogChildren, ARenamedChildKeepsItsNumber) {
  const ChildPtr before = create(users_, "before");
  create(users_, "taken");
  const std::string none = *stored_from_json("{}");
  EXPECT_EQ(error_of(account_.catalog->children().replace(users_, named("before"), {"taken", none})), ErrorCode::kAlreadyExists);
  const Result<ChildPtr> after = account_.catalog->children().replace(users_, named("before"), {"after", none});
  ASSERT_TRUE(after);
  EXPECT_EQ((*after)->number, before->number);
  EXPECT_NE((*after)->revision.etag, before->revision.etag);
  account_.reopen();
  EXPECT_THAT(ids(users_), ElementsAre("after", "taken"));
}

TEST_F(CatalogChildren, GoWithTheirOwner) {
  const ChildPtr user = create(users_, "user");
  const ChildPtr other = create(users_, "other");
  const ChildPtr permission = create(permissions_of(user), "p");
  create(permissions_of(other), "p");
  EXPECT_EQ(error_of(account_.catalog->children().erase(users_, named("user"), "\"another\"")), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(account_.catalog->children().erase(users_, named("user")));
  EXPECT_EQ(account_.catalog->children().find(permission->number), nullptr);
  EXPECT_EQ(error_of(account_.catalog->children().write(permissions_of(user), {"q", *stored_from_json("{}")}, true)),
            ErrorCode::kOwnerNotFound);
  account_.reopen();
  EXPECT_EQ(account_.catalog->children().find(permission->number), nullptr);
  EXPECT_THAT(ids(permissions_of(other)), ElementsAre("p"));
  ASSERT_TRUE(account_.catalog->delete_database("children"));
  account_.reopen();
  EXPECT_THAT(ids(users_), IsEmpty());
  EXPECT_THAT(ids(permissions_of(other)), IsEmpty());
}

TEST_F(CatalogChildren, AUserHasOnePermissionForAResource) {
  const ChildPlace place = permissions_of(create(users_, "user"));
  const auto write = [&](std::string_view id, std::string_view json) {
    return account_.catalog->children().write(place, {std::string(id), *stored_from_json(json)}, true);
  };
  ASSERT_TRUE(write("p", R"({"resource":"dbs/d/colls/c"})"));
  EXPECT_EQ(error_of(write("q", R"({"resource":"dbs/d/colls/c/"})")), ErrorCode::kAlreadyExists);
  EXPECT_TRUE(write("p", R"({"resource":"dbs/d/colls/c/","permissionMode":"All"})")) << "itself may be written again";
  EXPECT_TRUE(write("q", R"({"resource":"dbs/d/colls/c","resourcePartitionKey":["a"]})"));
  EXPECT_TRUE(write("r", R"({"resource":"dbs/d/colls/c","resourcePartitionKey":["b"]})"));
  EXPECT_EQ(error_of(account_.catalog->children().replace(
                place, named("r"), {"r", *stored_from_json(R"({"resource":"dbs/d/colls/c","resourcePartitionKey":["a"]})")})),
            ErrorCode::kAlreadyExists);
  const ChildPlace others = permissions_of(create(users_, "other"));
  EXPECT_TRUE(account_.catalog->children().write(others, {"p", *stored_from_json(R"({"resource":"dbs/d/colls/c"})")}, false));
}

}  // namespace partita
