#include "cluster/catalog/catalog.h"
#include "cluster/records/records.h"
#include "cluster/test_account.h"
#include "document/json/json.h"
#include "query/work_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ScriptDefinition definition(std::string_view id, std::string_view body = "function () {}") {
  return {std::string(id), std::string(body), *stored_from_json(R"({"triggerType":"Pre"})")};
}

ResourceName named(std::string_view id) { return {.id = id, .number = std::nullopt}; }

class CatalogScripts : public testing::Test {
 protected:
  ScriptPtr create(std::string_view id, ScriptType type = ScriptType::kStoredProcedure) {
    Result<ScriptWritten> written = account_.catalog->scripts().write(*container_, type, definition(id), false);
    EXPECT_TRUE(written) << written.error().message;
    return written ? written->script : nullptr;
  }
  std::vector<std::string> ids(ScriptType type = ScriptType::kStoredProcedure) {
    std::vector<std::string> all;
    for (const ScriptPtr& script : account_.catalog->scripts().list(*container_, type)) all.push_back(script->definition.id);
    return all;
  }
  ErrorCode error_of(const auto& outcome) {
    EXPECT_FALSE(outcome);
    return outcome ? ErrorCode::kInternal : outcome.error().code;
  }

  TestAccount account_;
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
};

}  // namespace

TEST_F(CatalogScripts, AreFoundByIdAndByNumberAlsoAfterAReopen) {
  const ScriptPtr b = create("b");
  create("a");
  create("a", ScriptType::kTrigger);
  account_.reopen();
  EXPECT_THAT(ids(), ElementsAre("b", "a"));  // in the order of creation
  EXPECT_THAT(ids(ScriptType::kTrigger), ElementsAre("a"));
  EXPECT_THAT(ids(ScriptType::kUserFunction), IsEmpty());
  const Result<ScriptPtr> found =
      account_.catalog->scripts().find(*container_, ScriptType::kStoredProcedure, {.id = "none", .number = b->number});
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->definition.id, "b");
  EXPECT_EQ((*found)->revision.etag, b->revision.etag);
  EXPECT_EQ(to_json(Value::view((*found)->definition.properties)), R"({"triggerType":"Pre"})");
  EXPECT_EQ(error_of(account_.catalog->scripts().find(*container_, ScriptType::kTrigger, named("b"))), ErrorCode::kNotFound);
}

TEST_F(CatalogScripts, AreFoundByNumberHoweverManyThereAre) {
  const ScriptPtr first = create("first");
  const auto work = [&] {
    return query::work_of([&] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(
            account_.catalog->scripts().find(*container_, ScriptType::kStoredProcedure, {.id = "", .number = first->number}));
      }
    });
  };
  for (int i = 0; i < 20; ++i) create("a" + std::to_string(i));
  const double few = work();
  for (int i = 0; i < 1'000; ++i) create("b" + std::to_string(i));
  EXPECT_LE(work() / few, 5);
}

TEST_F(CatalogScripts, AnIdIsTakenOnceForEachType) {
  const ScriptPtr first = create("a");
  EXPECT_EQ(error_of(account_.catalog->scripts().write(*container_, ScriptType::kStoredProcedure, definition("a"), false)),
            ErrorCode::kAlreadyExists);
  const Result<ScriptWritten> upserted =
      account_.catalog->scripts().write(*container_, ScriptType::kStoredProcedure, definition("a", "() => 2"), true);
  ASSERT_TRUE(upserted);
  EXPECT_FALSE(upserted->was_created);
  EXPECT_EQ(upserted->script->number, first->number);
  EXPECT_NE(upserted->script->revision.etag, first->revision.etag);
}

TEST_F(CatalogScripts, AReplacementMayRename) {
  const ScriptPtr a = create("a");
  create("b");
  const auto replace = [&](std::string_view to, std::string_view if_match) {
    return account_.catalog->scripts().replace(*container_, ScriptType::kStoredProcedure, named("a"), definition(to), if_match);
  };
  EXPECT_EQ(error_of(replace("b", "")), ErrorCode::kAlreadyExists);
  EXPECT_EQ(error_of(replace("c", "\"other\"")), ErrorCode::kPreconditionFailed);
  ASSERT_TRUE(replace("c", a->revision.etag));
  account_.reopen();
  EXPECT_THAT(ids(), ElementsAre("c", "b"));
  EXPECT_EQ(error_of(replace("d", "")), ErrorCode::kNotFound);
}

TEST_F(CatalogScripts, GoWithTheirContainer) {
  create("a");
  const ScriptPtr b = create("b");
  ASSERT_TRUE(account_.catalog->scripts().erase(*container_, ScriptType::kStoredProcedure, named("a")));
  EXPECT_THAT(ids(), ElementsAre("b"));
  ASSERT_TRUE(account_.catalog->delete_container("db", "c"));
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_EQ(error_of(account_.catalog->scripts().write(*container_, ScriptType::kStoredProcedure, definition("late"), false)),
            ErrorCode::kOwnerNotFound);
  account_.reopen();
  container_ = account_.make_container("c", {"/pk"});
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_GT(create("new")->number, b->number);  // numbers are never given twice
}

TEST_F(CatalogScripts, HaveARecordOfTheirOwn) {
  const ScriptPtr script = create("a");
  std::string quoted;
  append_json_string(quoted, script->revision.etag);
  EXPECT_EQ(encode_script(*script),
            R"({"format":1,"number":1,"database":1,"container":1,"type":"procedure","id":"a","body":"function () {}",)"
            R"("properties":{"triggerType":"Pre"},"ts":1700000000,"etag":)" +
                quoted + "}");
  EXPECT_FALSE(decode_script(R"({"format":1,"number":1,"database":1,"container":1,"type":"macro"})"));
}

}  // namespace partita
