#include "script/script_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>

namespace partita::script {
namespace {

using testing::HasSubstr;

// For scripts that end by themselves or are ended, however slow the machine is.
constexpr ScriptLimits kPatient{.accepts = std::chrono::seconds(200), .total = std::chrono::seconds(200)};
constexpr std::string_view kTenant = "dbs/d==/colls/c==/";
constexpr std::string_view kOther = "dbs/d==/colls/other==/";
// More than half of what a script may have: two of these do not fit.
constexpr std::string_view kHoard =
    "function () { globalThis.kept = []; for (let i = 0; i < 80; i++) kept.push(new Array(131072).fill(i + 0.5)); "
    "getContext().getResponse().setBody(kept.length); }";

// Operations that answer nothing, and tell the script to end when the test says so.
class Bounds final : public DocumentOperations {
 public:
  Result<OperationReply> operate(const Message&, FunctionSession&) override {
    ++operations;
    return OperationReply{0, "{}", ""};
  }
  Status note_time(uint64_t processor_us) override {
    used_us = processor_us;
    is_running = true;
    if (!is_abandoned) return {};
    return fail(ErrorCode::kThrottled, "enough");
  }
  bool accepts() const override { return operations < accepted_max; }

  std::atomic<int> operations = 0;
  int accepted_max = 1'000'000;
  uint64_t used_us = 0;
  std::atomic<bool> is_running = false;
  std::atomic<bool> is_abandoned = false;
};

ScriptCall call_of(std::string_view source, std::string_view tenant = kTenant) {
  ScriptCall call;
  call.name = "test";
  call.source = source;
  call.container_link = tenant;
  call.alt_link = "dbs/db/colls/c";
  return call;
}

std::string told(const Result<ScriptOutcome>& outcome) { return outcome ? outcome->response_body : outcome.error().message; }

std::string run(ScriptEngine& engine, std::string_view source, std::string_view tenant = kTenant) {
  Bounds bounds;
  return told(engine.run(call_of(source, tenant), bounds));
}

// A script without end, on a thread of its own.
class Endless {
 public:
  explicit Endless(ScriptEngine& engine, std::string_view source = "function () { for (;;); }")
      : thread_([this, &engine, source = std::string(source)] { outcome_.emplace(engine.run(call_of(source), bounds)); }) {}
  ~Endless() {
    if (thread_.joinable()) thread_.join();
  }

  void wait_until_it_runs() {
    while (!bounds.is_running) std::this_thread::yield();
  }
  const Result<ScriptOutcome>& outcome() {
    thread_.join();
    return *outcome_;
  }

  Bounds bounds;

 private:
  std::optional<Result<ScriptOutcome>> outcome_;
  std::thread thread_;
};

}  // namespace

TEST(ScriptIsolation, SymbolsThatAScriptRegistersGoWithIt) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(run(engine, fmt::format("function () {{ let n = 0; for (; n < 400; n++) Symbol.for('{}'.repeat(1e5 + n)); "
                                      "getContext().getResponse().setBody(n); }}",
                                      i)),
              "400");
  }
  EXPECT_EQ(run(engine, kHoard), "80");
  EXPECT_EQ(engine.hosts().hosts(), 1u);
}

TEST(ScriptIsolation, AScriptHasAllItsMemoryWhateverEarlierOnesLeft) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(run(engine, kHoard), "80");
    EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(typeof kept); }"), "\"undefined\"");
    FunctionSession functions(engine, kTenant);
    const std::string hoard = std::string(kHoard.substr(0, kHoard.find("getContext"))) + "return kept.length; }";
    EXPECT_EQ(functions.call("hoard", hoard, "[]", "[]"), "80");
  }
}

// Texts of scripts are kept compiled, within bounds of their own.
TEST(ScriptIsolation, ManyLargeScriptsLeaveRoomForOthers) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(run(engine, fmt::format("function () {{ getContext().getResponse().setBody({}); /* {} */ }}", i,
                                      std::string(1'500'000, 'x'))),
              std::to_string(i));
  }
  EXPECT_EQ(run(engine, kHoard), "80");
}

TEST(ScriptIsolation, TenantsFollowEachOtherInOneHost) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
  for (int i = 0; i < 10; ++i) {
    for (const std::string_view tenant : {kTenant, kOther}) {
      EXPECT_EQ(
          run(engine, "async function () { await null; getContext().getResponse().setBody(typeof leak); leak = 1; }", tenant),
          "\"undefined\"");
      FunctionSession functions(engine, tenant);
      EXPECT_EQ(functions.call("f", "() => globalThis.n = (globalThis.n || 0) + 1", "[]", "[]"), "1");
      EXPECT_EQ(functions.call("f", "() => globalThis.n = (globalThis.n || 0) + 1", "[]", "[]"), "2");
    }
  }
  EXPECT_EQ(engine.hosts().hosts(), 1u);
}

TEST(ScriptIsolation, RandomNumbersAreNotThoseOfAnotherHost) {
  constexpr std::string_view kRandom = "function () { getContext().getResponse().setBody(Math.random()); }";
  std::set<std::string> seen;
  for (int i = 0; i < 3; ++i) {
    ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
    EXPECT_TRUE(seen.insert(run(engine, kRandom)).second);
    EXPECT_TRUE(seen.insert(run(engine, kRandom)).second);
    EXPECT_TRUE(seen.insert(run(engine, kRandom, kOther)).second);
  }
}

TEST(ScriptHosts, AnIdleHostThatWasKilledIsReplacedInSilence) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 2);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(1); }"), "1");
    for (const pid_t process : engine.hosts().processes()) ASSERT_EQ(::kill(process, i % 2 == 0 ? SIGKILL : SIGTERM), 0);
  }
  FunctionSession functions(engine, kTenant);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(functions.call("f", "() => 1", "[]", "[]"), "1");
    for (const pid_t process : engine.hosts().processes()) ASSERT_EQ(::kill(process, SIGKILL), 0);
  }
  EXPECT_EQ(functions.call("f", "() => 1", "[]", "[]"), "1");
}

TEST(ScriptHosts, AScriptWhoseHostIsKilledFromOutsideIsNotBlamed) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
  Endless endless(engine, "function () { const go = () => { __.readDocument(__.getAltLink() + '/docs/a', go); }; go(); }");
  while (endless.bounds.operations == 0) std::this_thread::yield();
  for (const pid_t process : engine.hosts().processes()) ::kill(process, SIGKILL);
  const Result<ScriptOutcome>& outcome = endless.outcome();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("ended by somebody else"));
  EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(1); }"), "1");
}

TEST(ScriptHosts, AScriptIsEndedWhenNobodyWantsItAnyMore) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
  for (const std::string_view source : {"function () { for (;;); }", "async function () { for (;;) await null; }",
                                        "function () { /^(a+)+$/.test('a'.repeat(60) + 'b'); }"}) {
    Endless endless(engine, source);
    endless.wait_until_it_runs();
    endless.bounds.is_abandoned = true;
    EXPECT_EQ(told(endless.outcome()), "enough") << source;
  }
  EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(1); }"), "1");
}

TEST(ScriptHosts, AFunctionIsEndedWhenItsQueryIsCancelled) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
  std::atomic<bool> is_cancelled = false;
  FunctionSession functions(engine, kTenant, [&]() -> Status {
    if (!is_cancelled) return {};
    return fail(ErrorCode::kTimeout, "cancelled");
  });
  std::thread canceller([&] {
    while (engine.hosts().hosts() == 0) std::this_thread::yield();
    is_cancelled = true;
  });
  const Result<std::string> called = functions.call("f", "() => { for (;;); }", "[]", "[]");
  canceller.join();
  ASSERT_FALSE(called);
  EXPECT_THAT(called.error().message, HasSubstr("cancelled"));
}

TEST(ScriptHosts, StoppingEndsRunningScriptsAndRunsNoMore) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 2);
  EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(1); }"), "1");
  Endless first(engine);
  Endless second(engine);
  first.wait_until_it_runs();
  second.wait_until_it_runs();
  engine.stop();
  for (Endless* endless : {&first, &second}) {
    const Result<ScriptOutcome>& outcome = endless->outcome();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::kUnavailable);
  }
  EXPECT_THAT(run(engine, "function () {}"), HasSubstr("stopping"));
  EXPECT_EQ(engine.hosts().hosts(), 0u);
}

TEST(ScriptHosts, AreEndedWhenNobodyUsesThem) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 2);
  EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(1); }"), "1");
  EXPECT_EQ(engine.hosts().hosts(), 1u);
  engine.hosts().end_idle(HostPool::TimePoint::min());
  EXPECT_EQ(engine.hosts().hosts(), 1u);
  engine.hosts().end_idle(HostPool::TimePoint::max());
  EXPECT_EQ(engine.hosts().hosts(), 0u);
  EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(1); }"), "1");

  HostPool impatient(SCRIPT_HOST, 1, 1, std::chrono::milliseconds(1));
  ASSERT_TRUE(impatient.take(kTenant, {}));
  while (impatient.hosts() > 0) std::this_thread::yield();
}

TEST(ScriptHosts, OneIsReadyAheadWhereScriptsAreExpected) {
  HostPool pool(SCRIPT_HOST, 2, 2, std::chrono::milliseconds(1));
  EXPECT_EQ(pool.hosts(), 0u);
  pool.expect_scripts();
  const auto await_one = [&pool] {
    while (pool.processes().size() != 1) std::this_thread::yield();
    return pool.processes()[0];
  };
  const pid_t ahead = await_one();
  {
    // Also somebody who has not had it before gets it, and nobody starts another one meanwhile.
    const Result<HostLease> lease = pool.take(kTenant, {});
    ASSERT_TRUE(lease);
    EXPECT_EQ((*lease)->process(), ahead);
    EXPECT_EQ(pool.hosts(), 1u);
  }
  // What has run scripts is ended after its time; then there is one that has not.
  while (await_one() == ahead) std::this_thread::yield();
  const pid_t fresh = await_one();
  for (int i = 0; i < 20; ++i) {
    pool.end_idle(HostPool::TimePoint::max());
    EXPECT_EQ(await_one(), fresh);
  }
  pool.stop();
  EXPECT_EQ(pool.hosts(), 0u);
}

TEST(ScriptHosts, ThoseWhoComeWhileOneIsStartedAheadWaitForIt) {
  HostPool pool(SCRIPT_HOST, 8, 8);
  pool.expect_scripts();
  const Result<HostLease> lease = pool.take(kTenant, {});
  ASSERT_TRUE(lease);
  EXPECT_EQ(pool.hosts(), 1u);
}

TEST(ScriptHosts, AHostAheadThatCannotBeStartedIsNotTriedWithoutEnd) {
  HostPool pool("/nonexistent/partita-script", 2, 2);
  pool.expect_scripts();
  EXPECT_FALSE(pool.take(kTenant, {}));
  EXPECT_EQ(pool.hosts(), 0u);
}

TEST(ScriptHosts, AreNotMoreThanAllowed) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 2);
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      for (int n = 0; n < 20; ++n) {
        EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(1); }"), "1");
        EXPECT_LE(engine.hosts().hosts(), 2u);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(ScriptHosts, AreNotTakenFromOthersWhileThereAreFew) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 3, 2);
  constexpr std::string_view kNothing = "function () {}";
  for (const std::string_view tenant : {kTenant, kOther, kTenant, kOther}) run(engine, kNothing, tenant);
  EXPECT_EQ(engine.hosts().hosts(), 2u);
  const std::vector<pid_t> before = engine.hosts().processes();
  run(engine, kNothing, "dbs/d==/colls/third==/");
  EXPECT_THAT(engine.hosts().processes(), testing::UnorderedElementsAreArray(before));
}

TEST(ScriptHosts, AreNotAllTakenByOneDatabase) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 3);
  std::vector<std::unique_ptr<Endless>> all;
  for (int i = 0; i < 5; ++i) all.push_back(std::make_unique<Endless>(engine));
  for (const auto& each : all) each->wait_until_it_runs();  // or waits for a host
  EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(1); }", "dbs/e==/colls/c==/"), "1");
  for (const auto& each : all) each->bounds.is_abandoned = true;
}

TEST(ScriptHosts, ThatAreNotNeededAreNotKept) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 3, 1);
  {
    FunctionSession first(engine, kTenant);
    FunctionSession second(engine, "dbs/e==/colls/c==/");
    EXPECT_EQ(first.call("f", "() => 1", "[]", "[]"), "1");
    EXPECT_EQ(second.call("f", "() => 1", "[]", "[]"), "1");
    EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(1); }", "dbs/f==/colls/c==/"), "1");
    EXPECT_EQ(engine.hosts().hosts(), 3u);
  }
  EXPECT_EQ(engine.hosts().hosts(), 1u);
}

TEST(ScriptHosts, TellTheProcessorTimeOfAScriptWhileItRuns) {
  ScriptEngine engine(SCRIPT_HOST, {.accepts = std::chrono::milliseconds(200), .total = std::chrono::milliseconds(500)}, 1);
  Bounds bounds;
  EXPECT_FALSE(engine.run(call_of("function () { for (;;); }"), bounds));
  EXPECT_GT(bounds.used_us, 10'000u);
  FunctionSession functions(engine, kTenant);
  EXPECT_FALSE(functions.call("f", "() => { for (;;); }", "[]", "[]"));
  EXPECT_GT(functions.processor_us(), 10'000u);
}

TEST(ScriptHosts, TellAScriptThatNoMoreOperationsAreAccepted) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
  Bounds bounds;
  bounds.accepted_max = 3;
  EXPECT_EQ(told(engine.run(call_of(R"(function () {
    let done = 0;
    const next = () => {
      if (!__.createDocument(__.getSelfLink(), { id: "a" + done }, () => { done++; next(); })) getContext().getResponse().setBody(done);
    };
    next();
  })"),
                            bounds)),
            "3");
  EXPECT_EQ(run(engine, "function () { getContext().getResponse().setBody(__.createDocument(__.getSelfLink(), { id: 'a' })); }"),
            "true");
}

TEST(ScriptHosts, AScriptThatOutwitsTheInterfaceIsStillBounded) {
  ScriptEngine engine(SCRIPT_HOST, kPatient, 1);
  ScriptCall call = call_of(R"(function () {
    const lower = String.prototype.toLowerCase;
    String.prototype.toLowerCase = function () { return String(this) === "scriptLog" ? "body" : lower.call(this); };
    getContext().getResponse().setValue("scriptlog", "x".repeat(1e6));
    Object.defineProperty(String.prototype, "length", { get: () => 0 });
  })");
  call.is_logging = true;
  Bounds bounds;
  const Result<ScriptOutcome> outcome = engine.run(call, bounds);
  if (outcome) EXPECT_LE(outcome->log.size(), kLogBytesMax);
  EXPECT_EQ(run(engine, R"(function () {
    const text = "\u4e2d".repeat(12e6);
    __.createDocument(__.getSelfLink(), { id: "a", text }, (e) => getContext().getResponse().setBody(e ? e.number : "sent"));
  })"),
            "413");
  EXPECT_LT(run(engine, R"(function () {
    const e = new Error("x".repeat(1e6)); e.number = 2 ** 40; e.stack = "y".repeat(1e6); throw e;
  })")
                .size(),
            40'000u);
  // Formats have memory outside of the heap. Whether that or the time runs out first depends on the machine.
  call = call_of(R"(function () {
    const all = []; for (let i = 0; ; i++) all.push(new Intl.NumberFormat("en", { minimumFractionDigits: i % 20 }));
  })");
  call.time_left = std::chrono::seconds(5);
  EXPECT_FALSE(engine.run(call, bounds));
  // A script that has used up its time before it begins.
  call = call_of("function () { for (;;); }");
  call.time_left = std::chrono::milliseconds(1);
  const Result<ScriptOutcome> late = engine.run(call, bounds);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
}

}  // namespace partita::script
