#include "gateway/scripts/scripts.h"

#include "base/fair_scheduler.h"
#include "cluster/reshape/reshaper.h"
#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/scripts/script_documents.h"
#include "gateway/scripts/test_texts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace partita {
namespace {

using testing::HasSubstr;

class ScriptsTest : public testing::Test {
 protected:
  ScriptPtr script(std::string_view id, std::string_view body, ScriptType type = ScriptType::kStoredProcedure,
                   std::string_view properties = "{}") {
    ScriptDefinition definition{std::string(id), std::string(body), *stored_from_json(properties)};
    Result<ScriptWritten> written = account_.catalog->scripts().write(*container_, type, std::move(definition), true);
    EXPECT_TRUE(written);
    return written->script;
  }
  static PartitionKey key(std::string_view value) { return PartitionKey{{std::string(value)}}; }

  // The response's body, or the error.
  std::string execute(std::string_view body, std::string_view pk = "x", std::string arguments = "[]") {
    const ProcedureCall call{
        .procedure = script("p", body), .key = key(pk), .arguments = std::move(arguments), .is_logging = false};
    std::promise<std::string> told;
    runner_.execute(container_, call, [&](Result<ProcedureOutcome> outcome) {
      told.set_value(outcome ? outcome->body : "error " + outcome.error().message);
    });
    return told.get_future().get();
  }
  std::string write(ItemVerb verb, std::string_view id, std::string document, const Triggers& triggers) {
    const TriggeredCall call{.operation = {.verb = verb, .id = std::string(id), .key = key("x"), .body = {}, .if_match = {}},
                             .document = std::move(document),
                             .triggers = triggers,
                             .is_logging = false};
    std::promise<std::string> told;
    runner_.write(container_, call, [&](Result<TriggeredOutcome> outcome) {
      told.set_value(outcome ? outcome->body : "error " + outcome.error().message);
    });
    return told.get_future().get();
  }
  void create(std::string_view json) {
    std::promise<bool> told;
    items_.create(container_, json, std::nullopt, [&](Result<ItemOutcome> outcome) { told.set_value(outcome.has_value()); });
    EXPECT_TRUE(told.get_future().get()) << json;
  }
  bool exists(std::string_view id, std::string_view pk = "x") {
    std::promise<bool> told;
    items_.read(
        container_, {.id = id, .number = std::nullopt, .key = key(pk)}, [](const PartitionPlace&) { return 0; },
        [&](Result<ItemOutcome> outcome) { told.set_value(outcome.has_value()); });
    return told.get_future().get();
  }

  // Of a procedure without arguments for the key "x"; -1 when it fails.
  double charge(std::string_view body) {
    const ProcedureCall call{.procedure = script("p", body), .key = key("x"), .arguments = "[]", .is_logging = false};
    std::promise<double> told;
    runner_.execute(container_, call, [&](Result<ProcedureOutcome> outcome) { told.set_value(outcome ? outcome->charge : -1); });
    return told.get_future().get();
  }

  // By a procedure for the key "x" that ends well.
  uint64_t documents_loaded(std::string body) {
    const PartitionKey own = key("x");
    const Location at = locate(*container_, own, {});
    uint64_t loaded = 0;
    const auto run = [&](Transaction& transaction) -> Status {
      const ItemWorkshop workshop = items_.workshop(container_);
      ScriptDocuments documents(workshop, *account_.catalog, texts_, own, transaction, {});
      script::ScriptCall call;
      call.source = std::move(body);
      call.container_link = texts_.container_link(*container_);
      TRY(documents.run(engine_, call));
      loaded = transaction.work().documents_loaded;
      return {};
    };
    std::promise<bool> told;
    at.place->partition->transact(at.logical_partition, run,
                                  [&](const Result<Partition::Commit>& commit) { told.set_value(commit.has_value()); });
    EXPECT_TRUE(told.get_future().get());
    return loaded;
  }

  TestAccount account_;
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"});
  Items items_{account_.clock, account_.documents, account_.random};
  script::ScriptEngine engine_{SCRIPT_HOST, {}, 4};
  FairScheduler workers_{
      {.limits =
           {.slots = 16, .places = 16, .waiting_max = 1000, .waiting_per_database_max = 1000, .waiting_per_container_max = 1000}},
      account_.clock};
  TestTexts texts_;
  ScriptRunner runner_{items_, *account_.catalog, engine_, workers_, texts_};
};

}  // namespace

TEST_F(ScriptsTest, AProcedureWritesInItsLogicalPartitionOnly) {
  EXPECT_EQ(
      execute("function (id) { __.createDocument(__.getSelfLink(), { id, pk: 'x' }, (e, d) => __.response.setBody(d.id)); }", "x",
              R"(["a"])"),
      "\"a\"");
  EXPECT_TRUE(exists("a"));
  EXPECT_THAT(execute("function () { __.createDocument(__.getSelfLink(), { id: 'b', pk: 'y' }); }"),
              HasSubstr("another partition key value"));
  EXPECT_FALSE(exists("b", "y"));
}

TEST_F(ScriptsTest, AnErrorUndoesEverything) {
  create(R"({"id":"a","pk":"x"})");
  const std::string told = execute(
      "function () { __.createDocument(__.getSelfLink(), { id: 'b', pk: 'x' }); __.deleteDocument(__.getAltLink() + '/docs/a',"
      " () => { throw new Error('no'); }); }");
  EXPECT_THAT(told, HasSubstr("Exception = Error: no"));
  EXPECT_TRUE(exists("a"));
  EXPECT_FALSE(exists("b"));
  TestAccount::expect_consistent(*container_);
}

TEST_F(ScriptsTest, AProcedureSeesItsOwnWritesInReadsFeedsAndQueries) {
  create(R"({"id":"a","pk":"x","n":1})");
  create(R"({"id":"b","pk":"x","n":2})");
  create(R"({"id":"other","pk":"y","n":9})");
  EXPECT_EQ(execute(R"(function () {
    const told = [];
    const c = __.getSelfLink();
    __.createDocument(c, { id: 'c', pk: 'x', n: 3 });
    __.deleteDocument(__.getAltLink() + '/docs/b');
    __.upsertDocument(c, { id: 'a', pk: 'x', n: 4 });
    __.readDocument(__.getAltLink() + '/docs/c', (e, d) => told.push(d.n));
    __.readDocument(__.getAltLink() + '/docs/b', (e) => told.push(e.number));
    __.readDocuments(c, (e, rows) => told.push(rows.map((d) => d.id)));
    __.queryDocuments(c, 'SELECT VALUE c.id FROM c WHERE c.n > 2 ORDER BY c.n DESC', (e, rows) => {
      told.push(rows);
      __.response.setBody(told);
    });
  })"),
            R"([3,404,["a","c"],["a","c"]])");
  TestAccount::expect_consistent(*container_);
}

TEST_F(ScriptsTest, AProcedurePaysForWhatItReads) {
  for (int i = 0; i < 50; ++i) create(fmt::format(R"({{"id":"{}","pk":"x"}})", i));
  const double nothing = charge("function() {}");
  EXPECT_GE(nothing, 0);
  EXPECT_GT(charge("function() { __.queryDocuments(__.getSelfLink(), 'SELECT * FROM c', function() {}); }"), nothing + 2);
}

TEST_F(ScriptsTest, AQueryOfAProcedureLoadsOnlyWhatTheIndexFinds) {
  for (int i = 0; i < 300; ++i) create(fmt::format(R"({{"id":"{0}","pk":"x","n":{0},"one":1}})", i));
  const auto loaded_for = [&](std::string_view filter) {
    return documents_loaded(
        fmt::format("function() {{ __.queryDocuments(__.getSelfLink(), 'SELECT * FROM c WHERE {}', (e, rows) => {{ "
                    "if (rows.length !== 1) throw new Error(rows.length); }}); }}",
                    filter));
  };
  EXPECT_EQ(loaded_for("c.n = 123"), 1u);
  EXPECT_EQ(loaded_for("c.n + c.one = 124"), 300u) << "no index has sums: all documents are loaded";
}

TEST_F(ScriptsTest, PagesGoOnWhereTheyEnded) {
  for (int i = 0; i < 7; ++i) create(R"({"id":"d)" + std::to_string(i) + R"(","pk":"x"})");
  constexpr std::string_view kPages = R"(function (operation) {
    const ids = [];
    const next = (continuation) => {
      const given = operation === 'feed' ? [] : ['SELECT * FROM c ORDER BY c.id'];
      const call = operation === 'feed' ? __.readDocuments : __.queryDocuments;
      call(__.getSelfLink(), ...given, { pageSize: 3, continuation }, (e, rows, options) => {
        if (e) throw e;
        ids.push(rows.length, rows[0].id);
        if (options.continuation) next(options.continuation); else __.response.setBody(ids);
      });
    };
    next();
  })";
  EXPECT_EQ(execute(kPages, "x", R"(["feed"])"), R"([3,"d0",3,"d3",1,"d6"])");
  EXPECT_EQ(execute(kPages, "x", R"(["query"])"), R"([3,"d0",3,"d3",1,"d6"])");
}

TEST_F(ScriptsTest, DocumentsAreFoundBySelfLinkToo) {
  create(R"({"id":"a","pk":"x"})");
  EXPECT_EQ(execute("function () { __.readDocuments(__.getSelfLink(), (e, rows) => __.readDocument(rows[0]._self,"
                    " (f, d) => __.response.setBody(d.id))); }"),
            "\"a\"");
}

TEST_F(ScriptsTest, TriggersRunInTheTransactionOfTheirWrite) {
  const Triggers triggers{
      .before = {script("before", "function () { const d = __.request.getBody(); d.n = 1; __.request.setBody(d); }",
                        ScriptType::kTrigger)},
      .after = {script("after",
                       "function () { const d = __.response.getBody(); __.createDocument(__.getSelfLink(),"
                       " { id: 'after-' + d.id, pk: 'x' }, (e) => { if (e) throw e; }); }",
                       ScriptType::kTrigger)}};
  EXPECT_THAT(write(ItemVerb::kCreate, "", R"({"id":"a","pk":"x"})", triggers), HasSubstr("\"n\":1"));
  EXPECT_TRUE(exists("after-a"));
  create(R"({"id":"after-b","pk":"x"})");
  EXPECT_THAT(write(ItemVerb::kCreate, "", R"({"id":"b","pk":"x"})", triggers), HasSubstr("error"));
  EXPECT_FALSE(exists("b"));
}

TEST_F(ScriptsTest, AllTriggersOfAWriteLogAsMuchAsOneScript) {
  const ScriptPtr talker = script("talker", "function () { console.log('\\u4e2d'.repeat(4000)); }", ScriptType::kTrigger);
  const TriggeredCall call{.operation = {.verb = ItemVerb::kCreate, .id = {}, .key = key("x"), .body = {}, .if_match = {}},
                           .document = R"({"id":"a","pk":"x"})",
                           .triggers = {.before = {}, .after = {talker, talker}},
                           .is_logging = true};
  std::promise<size_t> told;
  runner_.write(container_, call, [&](Result<TriggeredOutcome> outcome) { told.set_value(outcome ? outcome->log.size() : 0); });
  EXPECT_EQ(told.get_future().get(), script::kLogBytesMax);
}

TEST_F(ScriptsTest, ATriggerIsRefusedAtTheWrongTimeAndForTheWrongOperation) {
  script("t", "function () {}", ScriptType::kTrigger, R"({"triggerType":"pre","triggerOperation":"delete"})");
  EXPECT_TRUE(runner_.find_triggers(*container_, ItemVerb::kErase, "t", ""));
  EXPECT_FALSE(runner_.find_triggers(*container_, ItemVerb::kErase, "", "t"));
  EXPECT_FALSE(runner_.find_triggers(*container_, ItemVerb::kCreate, "t", ""));
  EXPECT_FALSE(runner_.find_triggers(*container_, ItemVerb::kErase, "none", ""));
}

// Read, add, write back: from many threads, on one key and on others, none may be lost; point writes wait in the same queues.
TEST_F(ScriptsTest, ProceduresOfOneLogicalPartitionComeOneAfterTheOther) {
  constexpr int kRuns = 120;
  const ScriptPtr add = script("add", R"(function (pk) {
    __.readDocument(__.getAltLink() + '/docs/total', (e, found) => {
      const d = found || { id: 'total', pk, n: 0 };
      d.n++;
      __.upsertDocument(__.getSelfLink(), d, (f) => { if (f) throw f; __.response.setBody(d.n); });
    });
  })");
  std::atomic<int> left = 2 * kRuns;
  std::promise<void> all_done;
  for (int i = 0; i < kRuns; ++i) {
    for (const std::string& pk : {std::string("hot"), "k" + std::to_string(i % 3)}) {
      const ProcedureCall call{.procedure = add, .key = key(pk), .arguments = "[\"" + pk + "\"]", .is_logging = false};
      runner_.execute(container_, call, [&](Result<ProcedureOutcome> outcome) {
        EXPECT_TRUE(outcome) << outcome.error().message;
        if (--left == 0) all_done.set_value();
      });
    }
    items_.upsert(container_, R"({"id":"beside","pk":"hot"})", std::nullopt, {}, [](Result<ItemOutcome> o) { EXPECT_TRUE(o); });
  }
  all_done.get_future().wait();
  const auto total = [&](std::string_view pk) {
    return execute("function () { __.readDocument(__.getAltLink() + '/docs/total', (e, d) => __.response.setBody(d.n)); }", pk);
  };
  EXPECT_EQ(total("hot"), std::to_string(kRuns));
  EXPECT_EQ(total("k0"), std::to_string(kRuns / 3));
  TestAccount::expect_consistent(*container_);
}

// In the transaction of the document, wherever that has come from.
TEST_F(ScriptsTest, AttachmentsBelongToTheTransaction) {
  create(R"({"id":"d","pk":"x"})");
  const std::string seen = execute(R"(function () {
    const link = __.getAltLink() + "/docs/d";
    const told = [];
    const tell = (...values) => { told.push(...values); __.response.setBody(told); };
    __.createAttachment(link, { id: "a", contentType: "text/plain", media: "http://m", n: 1 }, (error, a) => {
      __.readAttachment(a._self, (error, read) => {
        read.n++;
        __.replaceAttachment(link + "/attachments/a", read, { etag: read._etag }, (error, replaced) => tell(replaced.n));
        __.replaceAttachment(link + "/attachments/a", read, { etag: read._etag }, (error) => tell(error.number));
      });
    });
    __.upsertAttachment(link, { id: "b" });
    __.createAttachment(link, { id: "b" }, (error) => tell(error.number));
    __.upsertAttachment(link, { id: "c" }, () => __.deleteAttachment(link + "/attachments/c"));
    __.readAttachments(link, { pageSize: 2 }, (error, page, options) => {
      tell(page.map((a) => a.id).join(), options.continuation);
      __.readAttachments(link, options, (error, rest) => tell(rest.map((a) => a.id).join()));
    });
    __.queryAttachments(link, { query: "SELECT VALUE r.id FROM r WHERE r.n = @n", parameters: [{ name: "@n", value: 1 }] },
      (error, found) => tell(found));
    __.readAttachment(__.getAltLink() + "/docs/none/attachments/a", (error) => tell(error.number));
  })");
  EXPECT_EQ(seen, R"([409,"a,b","2",["a"],404,"",2,412])");
  EXPECT_EQ(
      execute(R"(function () { __.readAttachments(__.getAltLink() + "/docs/d", (e, all) => __.response.setBody(all.length)); })"),
      "2");
}

TEST_F(ScriptsTest, AttachmentsAreRolledBackAndGoWithTheirDocument) {
  create(R"({"id":"d","pk":"x"})");
  const std::string count = R"(function () {
    __.readAttachments(__.getAltLink() + "/docs/d", (error, all) => __.response.setBody(error ? error.number : all.length));
  })";
  EXPECT_THAT(execute(R"(function () {
    __.createAttachment(__.getAltLink() + "/docs/d", { id: "a" }, () => { throw new Error("no"); });
  })"),
              HasSubstr("error"));
  EXPECT_EQ(execute(count), "0");
  execute(R"(function () { __.createAttachment(__.getAltLink() + "/docs/d", { id: "a" }); })");
  EXPECT_EQ(execute(count), "1");
  execute(R"(function () { __.deleteDocument(__.getAltLink() + "/docs/d"); })");
  EXPECT_EQ(execute(count), "404");
  create(R"({"id":"d","pk":"x"})");
  EXPECT_EQ(execute(count), "0");
  TestAccount::expect_consistent(*container_);
}

// By resource id a script names any document of the container; it gets none of another key, nor one that has the same id.
TEST_F(ScriptsTest, AResourceIdOfAnotherKeyIsNotFound) {
  create(R"({"id":"d","pk":"x"})");
  create(R"({"id":"d","pk":"y"})");
  const std::string read =
      R"(function (link) { __.readDocument(link, (error, d) => __.response.setBody(error ? error.number : d.pk)); })";
  const std::string self = execute(
      R"(function () { __.readDocument(__.getAltLink() + "/docs/d", (error, d) => __.response.setBody(d._self)); })", "y");
  EXPECT_EQ(execute(read, "y", "[" + self + "]"), R"("y")");
  EXPECT_EQ(execute(read, "x", "[" + self + "]"), "404");
}

// A split does not wait for it, and what it did in the parent does not count: it runs again in the heir.
TEST_F(ScriptsTest, AProcedureThatRunsDuringSplitsWritesOnce) {
  create(R"({"id":"count","pk":"x","n":0})");
  create(R"({"id":"other","pk":"y"})");
  std::future<std::string> told = std::async(std::launch::async, [&] {
    return execute(
        "function () { const until = Date.now() + 500; while (Date.now() < until); "
        "__.readDocument(__.getAltLink() + '/docs/count', (e, d) => { d.n++; __.replaceDocument(d._self, d, (e, d) => "
        "__.response.setBody(d.n)); }); }");
  });
  Reshaper reshaper(*account_.store, *account_.catalog, account_.clock, {});
  for (int i = 0; i < 2 && told.wait_for(std::chrono::seconds(0)) != std::future_status::ready; ++i) {
    const std::shared_ptr<const Container> now = container_->lineage->newest();
    const Result<ReshapeReport> report = now->places.size() == 1 ? reshaper.split("db", "c", now->places[0].range_id)
                                                                 : reshaper.merge("db", "c", now->places[0].range_id);
    ASSERT_TRUE(report) << report.error().message;
  }
  EXPECT_EQ(told.get(), "1");
  container_ = container_->lineage->newest();
  EXPECT_EQ(execute("function () { __.readDocument(__.getAltLink() + '/docs/count', (e, d) => __.response.setBody(d.n)); }"),
            "1");
  TestAccount::expect_consistent(*container_);
}

// With one worker for all.
TEST_F(ScriptsTest, AScriptThatWaitsForItsLogicalPartitionLeavesTheWorkersToOthers) {
  FairScheduler one_worker(
      {.limits = {.slots = 1, .places = 1, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      account_.clock);
  const ScriptRunner runner(items_, *account_.catalog, engine_, one_worker, texts_);
  const auto start = [&](std::string_view pk) {
    auto told = std::make_shared<std::promise<std::string>>();
    const ProcedureCall call{.procedure = script("p", "function () { __.response.setBody('done'); }"),
                             .key = key(pk),
                             .arguments = "[]",
                             .is_logging = false};
    runner.execute(container_, call, [told](Result<ProcedureOutcome> outcome) {
      told->set_value(outcome ? outcome->body : outcome.error().message);
    });
    return told->get_future();
  };
  const Location held = locate(*container_, key("x"), {});
  std::optional<Partition::Hold> hold;
  held.place->partition->hold(held.logical_partition,
                              [&](Result<Partition::Hold> granted) { hold.emplace(*std::move(granted)); });
  std::future<std::string> waits = start("x");
  EXPECT_EQ(start("y").get(), "\"done\"");
  hold.reset();
  EXPECT_EQ(waits.get(), "\"done\"");
}

TEST_F(ScriptsTest, AScriptThatWaitsForAWorkerKeepsNoWriterWaiting) {
  FairScheduler one_worker(
      {.limits = {.slots = 1, .places = 1, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      account_.clock);
  const ScriptRunner runner(items_, *account_.catalog, engine_, one_worker, texts_);
  std::promise<void> gate;
  one_worker.submit(
      {.tenant = {}, .run = [opened = gate.get_future().share()](Turn&) { opened.wait(); }, .refuse = [](const Error&) {}});
  std::promise<bool> told;
  runner.execute(container_,
                 {.procedure = script("p", "function () {}"), .key = key("x"), .arguments = "[]", .is_logging = false},
                 [&](const Result<ProcedureOutcome>& outcome) { told.set_value(outcome.has_value()); });
  create(R"({"id":"a","pk":"x"})");  // returns when it is written
  gate.set_value();
  EXPECT_TRUE(told.get_future().get());
}

}  // namespace partita
