#include "script/script_engine.h"

#include "base/golden_file.h"
#include "document/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <map>
#include <thread>

namespace partita::script {
namespace {

// Documents in memory, by id, as a script's operations see them. A query answers with its text and parameters.
class ListedDocuments final : public DocumentOperations {
 public:
  Result<OperationReply> operate(const Message& operation, FunctionSession& functions) override {
    const std::string_view name = operation.field(0);
    if (name == "create" || name == "upsert" || name == "replace") return put(operation);
    if (name == "feed") return feed(operation);
    if (name == "query") {
      if (operation.field(1).find("udf.") != std::string_view::npos) return evaluated(functions);
      return OperationReply{0, "[" + std::string(operation.field(1)) + "]", ""};
    }
    const auto found = documents.find(std::string(operation.field(4)));
    if (found == documents.end()) return OperationReply{404, "Resource Not Found", ""};
    if (name == "read") return OperationReply{0, found->second, ""};
    documents.erase(found);
    return OperationReply{};
  }

  std::map<std::string, std::string> documents;

 private:
  OperationReply put(const Message& operation) {
    const Result<std::string> stored = stored_from_json(operation.field(1));
    if (!stored || !Value::view(*stored).find("id").is_string()) return {400, "no id", ""};
    const std::string id(Value::view(*stored).find("id").string());
    if (operation.field(0) == "create" && documents.contains(id)) return {409, "it exists", ""};
    documents[id] = operation.field(1);
    return {0, documents[id], ""};
  }
  OperationReply feed(const Message& operation) {
    size_t from = 0;
    size_t size = 0;
    std::from_chars(operation.field(1).data(), operation.field(1).data() + operation.field(1).size(), from);
    std::from_chars(operation.field(2).data(), operation.field(2).data() + operation.field(2).size(), size);
    OperationReply reply{0, "[", ""};
    size_t at = 0;
    for (const auto& [id, text] : documents) {
      if (at >= from && at < from + size) reply.body += (at == from ? "" : ",") + text;
      ++at;
    }
    reply.body += "]";
    if (at > from + size) reply.continuation = std::to_string(from + size);
    return reply;
  }
  static OperationReply evaluated(FunctionSession& functions) {
    Result<std::string> result = functions.call("twice", "function (x) { return 2 * x; }", "[21]", "[]");
    if (!result) return {400, result.error().message, ""};
    return {0, "[" + *result + "]", ""};
  }
};

class ScriptEngineTest : public testing::Test {
 protected:
  // A golden case: optional lines "kind pre {...}", "kind post {...} {...}", "arguments [...]", "logging", then the script.
  static ScriptCall parse(const std::vector<std::string>& lines) {
    ScriptCall call;
    call.name = "test";
    call.operation = "Execute";
    call.container_link = "dbs/d==/colls/c==/";
    call.alt_link = "dbs/db/colls/c";
    for (const std::string& line : lines) {
      if (line.starts_with("pre ")) {
        call.kind = ScriptKind::kPreTrigger;
        call.operation = "Create";
        call.request_body = line.substr(4);
      } else if (line.starts_with("post ")) {
        call.kind = ScriptKind::kPostTrigger;
        call.operation = "Create";
        call.request_body = call.response_body = line.substr(5);
      } else if (line.starts_with("arguments ")) {
        call.arguments = line.substr(10);
      } else if (line == "logging") {
        call.is_logging = true;
      } else {
        call.source += line + "\n";
      }
    }
    return call;
  }

  static std::string describe(const ScriptCall& call, const Result<ScriptOutcome>& outcome, const ListedDocuments& documents) {
    std::string text;
    if (!outcome) {
      text = std::string(name_of(outcome.error().code)) + ": " + outcome.error().message.substr(0, 2'000);
      std::erase(text, '\r');
      return text;
    }
    if (call.kind != ScriptKind::kPreTrigger) text += "body " + outcome->response_body + "\n";
    if (call.kind == ScriptKind::kPreTrigger) text += "request " + outcome->request_body + "\n";
    if (!outcome->log.empty()) text += "log " + outcome->log + "\n";
    for (const auto& [id, document] : documents.documents) text += document + "\n";
    return text;
  }

  std::string run(ScriptEngine& engine, const std::vector<std::string>& lines) {
    const ScriptCall call = parse(lines);
    ListedDocuments documents;
    return describe(call, engine.run(call, documents), documents);
  }

  Result<ScriptOutcome> run(ScriptEngine& engine, std::string source) {
    ListedDocuments documents;
    return engine.run(parse({std::move(source)}), documents);
  }

  // On a machine that has no time for it, a short limit ends also a good script.
  Result<ScriptOutcome> run_in_time(ScriptEngine& engine, const std::string& source) {
    while (true) {
      Result<ScriptOutcome> outcome = run(engine, source);
      if (outcome || outcome.error().code != ErrorCode::kTimeout) return outcome;
    }
  }

  // After each of the file's scripts the same engine runs a good one.
  void run_hostile(const std::string& file, const ScriptLimits& limits) {
    ScriptEngine engine(SCRIPT_HOST, limits, 1);
    run_golden_file(TEST_DATA_DIR + file, [&](const std::vector<std::string>& lines) {
      std::string text = run(engine, lines);
      const Result<ScriptOutcome> after =
          run_in_time(engine, "function () { getContext().getResponse().setBody(typeof leak + 1); }");
      EXPECT_TRUE(after) << after.error().message;
      if (after) EXPECT_EQ(after->response_body, "\"undefined1\"");
      return text;
    });
  }

  static constexpr std::string_view kTenant = "dbs/d==/colls/c==/";
  static constexpr ScriptLimits kShort{.accepts = std::chrono::milliseconds(200), .total = std::chrono::milliseconds(1'000)};
  // For scripts that end by themselves, however slow the machine is.
  static constexpr ScriptLimits kLong{.accepts = std::chrono::seconds(5), .total = std::chrono::seconds(200)};
};

}  // namespace

TEST_F(ScriptEngineTest, ScriptsSeeTheServersInterface) {
  ScriptEngine engine(SCRIPT_HOST, {}, 1);
  run_golden_file(TEST_DATA_DIR "/scripts.txt", [&](const std::vector<std::string>& lines) { return run(engine, lines); });
}

TEST_F(ScriptEngineTest, HostileScriptsOnlyHurtThemselves) { run_hostile("/hostile.txt", kLong); }

TEST_F(ScriptEngineTest, ScriptsWithoutEndAreEnded) { run_hostile("/endless.txt", kShort); }

TEST_F(ScriptEngineTest, ScriptsThatUseUpTheirMemoryAreEnded) { run_hostile("/memory.txt", kLong); }

TEST_F(ScriptEngineTest, FunctionsGetValuesAndNothingElse) {
  ScriptEngine engine(SCRIPT_HOST, {}, 1);
  FunctionSession functions(engine, kTenant);
  EXPECT_EQ(functions.call("add", "function (a, b) { return a + b; }", "[1,2]", "[]"), "3");
  EXPECT_EQ(functions.call("kind", "function (a) { return typeof a; }", "[null]", "[0]"), "\"undefined\"");
  EXPECT_EQ(functions.call("nothing", "function () {}", "[]", "[]"), "");
  EXPECT_EQ(functions.call("context", "function () { return typeof getContext + typeof __; }", "[]", "[]"),
            "\"undefinedundefined\"");
  const Result<std::string> thrown = functions.call("throws", "function () { throw new Error('no'); }", "[]", "[]");
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(thrown.error().message, testing::HasSubstr("Exception = Error: no"));
}

TEST_F(ScriptEngineTest, AFunctionWithoutEndIsEnded) {
  ScriptEngine engine(SCRIPT_HOST, kShort, 1);
  FunctionSession functions(engine, kTenant);
  const Result<std::string> endless = functions.call("endless", "function () { for (;;); }", "[]", "[]");
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, ErrorCode::kTimeout);
  Result<std::string> after = functions.call("one", "() => 1", "[]", "[]");
  while (!after && after.error().code == ErrorCode::kTimeout) after = functions.call("one", "() => 1", "[]", "[]");
  EXPECT_EQ(after, "1");
}

TEST_F(ScriptEngineTest, WhatAFunctionPromisesIsForgotten) {
  ScriptEngine engine(SCRIPT_HOST, {}, 1);
  {
    FunctionSession functions(engine, kTenant);
    const Result<std::string> called =
        functions.call("f", "() => { Promise.resolve().then(() => { globalThis.late = 1; for (;;); }); return 1; }", "[]", "[]");
    EXPECT_EQ(called, "1");
  }
  EXPECT_TRUE(run(engine, "async function () { await null; }"));
}

TEST_F(ScriptEngineTest, WhatAFunctionLeavesBehindEndsWithItsSession) {
  ScriptEngine engine(SCRIPT_HOST, {}, 1);
  constexpr std::string_view kCounter = "function () { globalThis.n = (globalThis.n || 0) + 1; return n; }";
  for (int i = 0; i < 2; ++i) {
    FunctionSession functions(engine, kTenant);
    EXPECT_EQ(functions.call("counter", kCounter, "[]", "[]"), "1");
    EXPECT_EQ(functions.call("counter", kCounter, "[]", "[]"), "2");
  }
}

TEST_F(ScriptEngineTest, ATextThatIsNoFunctionFailsWhenItIsRun) {
  ScriptEngine engine(SCRIPT_HOST, {}, 1);
  for (std::string_view good : {"function () {}", "function f(a) { return a; };", "() => 1", "async (x) => await x",
                                "method() { var x = 10; }", "// why\nfunction a() { b(); }\nfunction b() {}"}) {
    EXPECT_TRUE(run(engine, std::string(good))) << good;
  }
  for (std::string_view bad : {"", "function (", "1 + 1", "function () { for(; }", "}) (function () {"}) {
    const Result<ScriptOutcome> refused = run(engine, std::string(bad));
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().detail, ErrorDetail::kNoFunction) << refused.error().message;
  }
  FunctionSession functions(engine, kTenant);
  const Result<std::string> refused = functions.call("f", "function (", "[]", "[]");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().detail, ErrorDetail::kNoFunction) << refused.error().message;
}

TEST_F(ScriptEngineTest, TheNumberOfAThrownErrorIsTold) {
  ScriptEngine engine(SCRIPT_HOST, {}, 1);
  const auto number_of = [&](std::string source) -> std::optional<int64_t> {
    const Result<ScriptOutcome> failed = run(engine, std::move(source));
    if (failed) return -1;
    if (failed.error().detail != ErrorDetail::kThrown) return std::nullopt;
    return failed.error().number;
  };
  EXPECT_EQ(number_of("function () { throw new Error(1234, 'a'); }"), 1234);
  EXPECT_EQ(number_of("function () { getContext().abort(new Error(4444, 'a')); }"), 4444);
  EXPECT_EQ(number_of("async function () { throw { number: 5 }; }"), 5);
  EXPECT_EQ(number_of("function () { __.readDocument(__.getAltLink() + '/docs/none'); }"), 404);
  EXPECT_EQ(number_of("function () { throw new Error('a'); }"), std::nullopt);
  EXPECT_EQ(number_of("function () { throw { number: 'many' }; }"), std::nullopt);
  EXPECT_EQ(number_of("function () { throw new Error('a\\r\\nError number: 7'); }"), std::nullopt);
  FunctionSession functions(engine, kTenant);
  const Result<std::string> thrown = functions.call("f", "() => { throw new Error(32766, 'a'); }", "[]", "[]");
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().detail, ErrorDetail::kThrown);
  EXPECT_EQ(thrown.error().number, 32766);
}

TEST_F(ScriptEngineTest, AHostThatCannotBeStartedIsAnErrorNotACrash) {
  ScriptEngine engine("/nonexistent/partita-script", {}, 1);
  const Result<ScriptOutcome> outcome = run(engine, "function () {}");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kUnavailable);
  // Clients are told; where the server is installed is not their concern.
  EXPECT_EQ(outcome.error().message.find("/nonexistent"), std::string::npos) << outcome.error().message;
}

TEST_F(ScriptEngineTest, ScriptsRunBesideEachOtherAndAHeapBombHurtsOnlyItsOwn) {
  ScriptEngine engine(SCRIPT_HOST, {}, 4);
  std::thread bomber([&] {
    const Result<ScriptOutcome> bomb = run(engine, "function () { const a = []; for (;;) a.push(new Array(1000).fill(a)); }");
    EXPECT_FALSE(bomb);
  });
  for (int i = 0; i < 20; ++i) {
    const Result<ScriptOutcome> outcome = run(engine, "function () { getContext().getResponse().setBody(1); }");
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->response_body, "1");
  }
  bomber.join();
}

}  // namespace partita::script
