#include "cluster/reshape/reshaper.h"
#include "cluster/test_account.h"
#include "gateway/feeds/change_feed.h"
#include "gateway/items/items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <limits>

namespace partita {
namespace {

constexpr DocumentForm kForm{.has_system_properties = false, .order = ValueOrder::kExtended, .bytes_max = 100'000};

// A container whose documents are values of another wire, from its definition to its change feed.
class PlainDocumentsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(account_.catalog->create_database("db", std::nullopt));
    const auto made =
        account_.catalog->create_container("db", container_definition("c", {"/pk"}, "{}", "{}", kForm), std::nullopt);
    ASSERT_TRUE(made) << made.error().message;
    container_ = *made;
  }
  static std::string document(std::string_view pk, int32_t n) {
    StoredWriter out;
    out.begin_object();
    out.key("_id");
    out.object_id("0123456789ab");
    out.key("pk");
    out.string(pk);
    out.key("n");
    out.int32(n);
    out.end_object();
    return out.take();
  }
  // What was read or written, as JSON; the code of the error.
  std::string run(const ItemOperation& operation) {
    Result<ItemWork> work = ItemWork::prepare(items_.workshop(container_), operation);
    if (!work) return fmt::format("error {}", static_cast<int>(work.error().code));
    std::promise<Result<Partition::Commit>> done;
    work->at().place->partition->transact(
        work->at().logical_partition, [&](Transaction& transaction) { return work->run(transaction); },
        [&](const Result<Partition::Commit>& commit) { done.set_value(commit); });
    const Result<Partition::Commit> commit = done.get_future().get();
    if (!commit) return fmt::format("error {}", static_cast<int>(commit.error().code));
    return work->item().record.empty() ? "" : to_json(work->item().document());
  }
  std::string put(ItemVerb verb, std::string_view name, const std::string& stored) {
    return run({.verb = verb, .id = std::string(name), .key = std::nullopt, .body = Value::view(stored), .if_match = {}});
  }
  std::string read(std::string_view name, std::string_view pk) {
    return run(
        {.verb = ItemVerb::kRead, .id = std::string(name), .key = PartitionKey{{std::string(pk)}}, .body = {}, .if_match = {}});
  }
  std::string changes(const ChangeFeedRequest& request) {
    std::promise<Result<ChangePage>> done;
    read_changes(container_, request, [&](Result<ChangePage> page) { done.set_value(std::move(page)); });
    const Result<ChangePage> page = done.get_future().get();
    if (!page) return page.error().message;
    std::string out;
    for (const Item& item : page->items) out += fmt::format("{} {}\n", item.id(), to_json(item.document()));
    return out;
  }

  TestAccount account_{Durability::kSynced};
  Items items_{account_.clock, account_.documents, account_.random};
  std::shared_ptr<const Container> container_;
};

}  // namespace

TEST_F(PlainDocumentsTest, AreWrittenReadAndTold) {
  const std::string one = R"({"_id":{"$oid":"303132333435363738396162"},"pk":"p","n":1})";
  const std::string two = R"({"_id":{"$oid":"303132333435363738396162"},"pk":"p","n":2})";
  EXPECT_EQ(put(ItemVerb::kCreate, "a", document("p", 1)), one);
  EXPECT_EQ(put(ItemVerb::kCreate, "a", document("p", 1)), fmt::format("error {}", static_cast<int>(ErrorCode::kAlreadyExists)));
  EXPECT_EQ(put(ItemVerb::kReplace, "b", document("p", 1)), fmt::format("error {}", static_cast<int>(ErrorCode::kNotFound)));
  EXPECT_EQ(read("a", "p"), one);
  account_.clock.advance_ms(1'000'000);
  const int64_t later = account_.clock.unix_seconds();
  EXPECT_EQ(put(ItemVerb::kUpsert, "b", document("p", 2)), two);
  EXPECT_EQ(changes({}), fmt::format("a {}\nb {}\n", one, two));
  ChangeFeedRequest since;
  since.since_seconds = later;
  EXPECT_EQ(changes(since), fmt::format("b {}\n", two));
  EXPECT_EQ(run({.verb = ItemVerb::kErase, .id = "a", .key = PartitionKey{{std::string("p")}}, .body = {}, .if_match = {}}), "");
  EXPECT_EQ(read("a", "p"), fmt::format("error {}", static_cast<int>(ErrorCode::kNotFound)));
  TestAccount::expect_consistent(*container_);
}

TEST_F(PlainDocumentsTest, MayPatchWhatOthersCallASystemProperty) {
  put(ItemVerb::kCreate, "a", document("p", 1));
  const std::string patch =
      *stored_from_json(R"([{"op":"set","path":"/_etag","value":"mine"},{"op":"set","path":"/id","value":7}])");
  EXPECT_EQ(run({.verb = ItemVerb::kPatch,
                 .id = "a",
                 .key = PartitionKey{{std::string("p")}},
                 .body = Value::view(patch),
                 .if_match = {}}),
            R"({"_id":{"$oid":"303132333435363738396162"},"pk":"p","n":1,"_etag":"mine","id":7})");
}

// They would all be in the logical partition of documents without a value.
TEST_F(PlainDocumentsTest, HaveNoKeyOfOtherKinds) {
  const auto outcome = [&](const std::function<void(StoredWriter&)>& write_key) {
    StoredWriter out;
    out.begin_object();
    out.key("pk");
    write_key(out);
    out.end_object();
    return put(ItemVerb::kUpsert, "a", out.take());
  };
  const std::string refused = fmt::format("error {}", static_cast<int>(ErrorCode::kInvalidInput));
  EXPECT_EQ(outcome([](StoredWriter& out) { out.object_id("0123456789ab"); }), refused);
  EXPECT_EQ(outcome([](StoredWriter& out) { out.date_time(1); }), refused);
  EXPECT_EQ(outcome([](StoredWriter& out) { out.float64(std::numeric_limits<double>::quiet_NaN()); }), refused);
  EXPECT_EQ(outcome([](StoredWriter& out) { out.int32(1); }), R"({"pk":1})");
  EXPECT_EQ(outcome([](StoredWriter& out) { out.null(); }), R"({"pk":null})");
}

TEST_F(PlainDocumentsTest, KeepTheirFormAcrossAStartAndASplit) {
  for (int i = 0; i < 50; ++i) put(ItemVerb::kCreate, fmt::format("d{}", i), document(fmt::format("p{}", i), i));
  container_.reset();
  account_.reopen();
  container_ = account_.catalog->container("db", "c").value();
  EXPECT_EQ(container_->definition.form, kForm);
  EXPECT_EQ(container_->definition.indexing->form(), kForm);
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  const auto report = reshaper.split("db", "c", container_->places[0].range_id, std::nullopt);
  ASSERT_TRUE(report) << report.error().message;
  container_ = account_.catalog->container("db", "c").value();
  ASSERT_EQ(container_->places.size(), 2u);
  EXPECT_EQ(container_->definition.form, kForm);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(read(fmt::format("d{}", i), fmt::format("p{}", i)).contains("\"_id\"")) << i;
  TestAccount::expect_consistent(*container_);
}

TEST_F(PlainDocumentsTest, HaveAFormForEver) {
  EXPECT_FALSE(account_.catalog->replace_container("db", "c", container_definition("c", {"/pk"}), {}));
  EXPECT_TRUE(account_.catalog->replace_container("db", "c", container_definition("c", {"/pk"}, "{}", "{}", kForm), {}));
  const auto expiring = container_definition("e", {"/pk"}, "{}", R"({"defaultTtl":5})", kForm);
  EXPECT_FALSE(account_.catalog->create_container("db", expiring, std::nullopt));
}

}  // namespace partita
