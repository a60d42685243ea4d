#include "client/header_names.h"
#include "tools/bench/run/driver.h"
#include "tools/bench/run/plan.h"
#include "tools/bench/run/target.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

namespace partita::tools::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kMs = 1'000'000;

Plan plan_of(std::string_view workload, uint64_t documents = 100) {
  BenchOptions options;
  options.workload = workload;
  options.documents = documents;
  const Result<Plan> plan = make_plan(options, "r");
  EXPECT_TRUE(plan) << plan.error().message;
  return *plan;
}

client::Response response(int status, std::string_view range = "0") {
  client::Response made;
  made.set_status(status);
  made.add_header(client::header::kRequestCharge, "2.5");
  if (!range.empty()) made.add_header(client::header::kSessionToken, fmt::format("{}:-1#12", range));
  return made;
}

// A server that answers requests one after the other on a thread of its own.
class FakeServer {
 public:
  using Answerer = std::function<client::Answer<client::Response>(const client::Request&)>;

  explicit FakeServer(Answerer answer) : answer_(std::move(answer)), thread_([this] { serve(); }) {}
  ~FakeServer() {
    {
      std::lock_guard lock(mutex_);
      is_closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  Send send() {
    return [this](client::Request request, client::Callback done) {
      std::lock_guard lock(mutex_);
      waiting_.emplace_back(std::move(request), std::move(done));
      changed_.notify_all();
    };
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_closing_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      auto [request, done] = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      done(answer_(request));
      lock.lock();
    }
  }

  Answerer answer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<client::Request, client::Callback>> waiting_;
  bool is_closing_ = false;
  std::thread thread_;
};

// What a run of so many operations reports.
Report run(const Plan& plan, uint64_t operations, FakeServer& server, DocumentNumbers& numbers, size_t connections = 4) {
  const SystemClock clock;
  Recorder recorder;
  recorder.open(0);
  {
    Driver driver({plan, numbers, recorder, server.send(), [](const PartitionKey&) { return "hashed"; }, clock},
                  {.operations_max = operations}, connections);
    driver.start();
    while (!driver.wait(std::chrono::milliseconds(100))) {
    }
  }
  recorder.close(kMs);
  Report report;
  recorder.fill(report, kMs);
  return report;
}

}  // namespace

TEST(LatencyHistogram, HasThreeDigitsEverywhere) {
  for (int64_t nanoseconds = 100; nanoseconds < 3'000'000'000'000; nanoseconds = nanoseconds * 5 / 3) {
    LatencyHistogram histogram;
    histogram.record(nanoseconds);
    histogram.record(nanoseconds * 20);  // so that the greatest does not hide the width of the counter
    const double exact = static_cast<double>(nanoseconds) / 1000;
    EXPECT_NEAR(histogram.percentile_us(50), exact, exact / 1000 + 0.1);
  }
}

TEST(LatencyHistogram, PercentilesAreThoseOfTheSortedValues) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.record(i * 1000);
  EXPECT_DOUBLE_EQ(histogram.percentile_us(0), 1);
  EXPECT_DOUBLE_EQ(histogram.percentile_us(0.1), 1);
  EXPECT_NEAR(histogram.percentile_us(50), 500, 0.6);
  EXPECT_NEAR(histogram.percentile_us(99), 990, 1);
  EXPECT_DOUBLE_EQ(histogram.percentile_us(100), 1000);
  EXPECT_DOUBLE_EQ(histogram.mean_us(), 500.5);
  EXPECT_DOUBLE_EQ(histogram.min_us(), 1);
  histogram.add(histogram);
  EXPECT_EQ(histogram.count(), 2000);
  histogram.clear();
  EXPECT_EQ(histogram.percentile_us(50), 0);
}

TEST(LatencyHistogram, KeepsWhatIsOutsideAtItsEnds) {
  LatencyHistogram histogram;
  histogram.record(-5);
  histogram.record(INT64_MAX);
  EXPECT_EQ(histogram.min_us(), 0);
  EXPECT_DOUBLE_EQ(histogram.max_us(), 3.6e9);
}

TEST(Turns, AClosedLoopGoesOnAtOnce) {
  Turns turns({.operations_max = 2}, 0);
  EXPECT_EQ(turns.next(0, 5), 5);
  EXPECT_EQ(turns.next(0, 9), 9);
  EXPECT_EQ(turns.next(0, 10), std::nullopt);
  EXPECT_TRUE(turns.is_over(10));
  EXPECT_EQ(turns.wake_at(), std::nullopt);
}

TEST(Turns, AnOpenLoopCountsFromWhenAnOperationWasDue) {
  Turns turns({.end_ns = 10 * kMs, .rate = 1000, .spacing = Arrivals::Spacing::kFixed}, 0);
  EXPECT_EQ(turns.next(0, 0), std::nullopt);
  EXPECT_EQ(turns.wake_at(), kMs);
  EXPECT_FALSE(turns.due(kMs - 1));
  const std::optional<Turns::Turn> first = turns.due(kMs);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->due_ns, kMs);
  EXPECT_FALSE(turns.due(2 * kMs)) << "its only connection is busy";
  // The server stalled for 4 ms: what was due meanwhile has waited since then.
  EXPECT_EQ(turns.next(0, 5 * kMs), 2 * kMs);
  EXPECT_EQ(turns.next(0, 5 * kMs), 3 * kMs);
  EXPECT_EQ(turns.missed(5 * kMs), 1);
}

TEST(Turns, EndsWithTheTime) {
  Turns closed({.end_ns = 10}, 0);
  EXPECT_EQ(closed.next(0, 9), 9);
  EXPECT_EQ(closed.next(0, 10), std::nullopt);
  Turns open({.end_ns = 2 * kMs, .rate = 1000, .spacing = Arrivals::Spacing::kFixed}, 0);
  EXPECT_EQ(open.next(0, kMs), kMs);
  EXPECT_TRUE(open.is_over(kMs)) << "the next one is due at the end";
}

TEST(Turns, AConnectionThatRestsComesBack) {
  Turns turns({}, 0);
  turns.rest(3, 100);
  EXPECT_EQ(turns.wake_at(), 100);
  EXPECT_FALSE(turns.due(99));
  EXPECT_EQ(turns.due(100)->connection, 3);
}

TEST(Driver, CountsWhatTheServerSaw) {
  std::map<std::string, int> methods;
  FakeServer server([&](const client::Request& request) {
    ++methods[request.method];
    return response(200);
  });
  DocumentNumbers numbers(100);
  const Report report = run(plan_of("a"), 500, server, numbers);
  EXPECT_EQ(report.operations(), 500);
  EXPECT_EQ(report.errors(), 0);
  ASSERT_EQ(report.kinds.size(), 2);
  EXPECT_EQ(report.kinds[0].name, "read");
  EXPECT_EQ(static_cast<int>(report.kinds[0].operations), methods["GET"]);
  EXPECT_EQ(static_cast<int>(report.kinds[1].operations), methods["PUT"]);
  EXPECT_DOUBLE_EQ(report.request_units(), 1250);
  ASSERT_EQ(report.partitions.size(), 1);
  EXPECT_EQ(report.partitions[0].range, "0");
  EXPECT_EQ(report.partitions[0].requests, 500);
}

TEST(Driver, ReadModifyWriteIsTwoRequests) {
  FakeServer server([](const client::Request&) { return response(200); });
  DocumentNumbers numbers(100);
  Plan plan = plan_of("f");
  plan.workload = *Workload::parse_mix("read-modify-write=1");
  const Report report = run(plan, 50, server, numbers);
  EXPECT_EQ(report.operations(), 50);
  EXPECT_EQ(report.requests(), 100);
}

TEST(Driver, QueriesReadAllTheirPages) {
  FakeServer server([](const client::Request& request) {
    client::Response page = response(200);
    const bool is_first = std::ranges::none_of(request.headers, [](const auto& each) { return each.second == "more"; });
    if (is_first) page.add_header(client::header::kContinuation, "more");
    return page;
  });
  DocumentNumbers numbers(100);
  EXPECT_EQ(run(plan_of("query"), 20, server, numbers).requests(), 40);
}

TEST(Driver, InsertsEachDocumentOnce) {
  std::set<std::string> ids;
  FakeServer server([&](const client::Request& request) {
    const bool is_refused = ids.size() == 10 && ids.insert("a refusal").second;
    if (is_refused) return response(503);
    EXPECT_TRUE(ids.insert(request.body.substr(0, request.body.find(','))).second) << request.body;
    return response(201);
  });
  DocumentNumbers numbers(0);
  const Report report = run(plan_of("insert", 0), 100, server, numbers);
  EXPECT_EQ(report.operations(), 99);
  EXPECT_EQ(report.errors(), 1);
  EXPECT_EQ(numbers.readable(), 99);
  EXPECT_EQ(report.statuses.at("503"), 1);
}

TEST(Driver, KnowsThePartitionOfRefusalsByTheirKey) {
  FakeServer server([](const client::Request&) { return response(429, ""); });
  DocumentNumbers numbers(100);
  const Report report = run(plan_of("read"), 7, server, numbers);
  EXPECT_EQ(report.errors(), 7);
  EXPECT_EQ(report.throttles(), 7);
  ASSERT_EQ(report.partitions.size(), 1);
  EXPECT_EQ(report.partitions[0].range, "hashed");
  EXPECT_EQ(report.partitions[0].throttles, 7);
}

TEST(Driver, RequestsThatAreLostAreErrors) {
  FakeServer server([](const client::Request&) -> client::Answer<client::Response> {
    return std::unexpected(client::Failure(Error{ErrorCode::kUnavailable, "nobody\nis there"}));
  });
  DocumentNumbers numbers(100);
  const Report report = run(plan_of("read"), 4, server, numbers);
  EXPECT_EQ(report.statuses.at("lost"), 4);
  EXPECT_EQ(report.first_error, "nobody is there");
}

TEST(Recorder, CountsOnlyWhileItIsOpen) {
  Recorder recorder;
  const OperationOutcome outcome{.kind = OperationKind::kRead, .is_success = true, .latency_ns = kMs};
  recorder.record(outcome);
  recorder.open(1000 * kMs);
  recorder.record(outcome);
  recorder.close(3000 * kMs);
  recorder.record(outcome);
  Report report;
  recorder.fill(report, 9000 * kMs);
  EXPECT_EQ(report.operations(), 1);
  EXPECT_DOUBLE_EQ(report.seconds, 2);
  ASSERT_EQ(report.timeline.size(), 1);
  EXPECT_EQ(report.timeline[0].operations, 1);
  EXPECT_NEAR(report.timeline[0].p50_us, 1000, 1);
}

TEST(Recorder, LongRunsKeepABoundedTimeline) {
  constexpr int64_t kSeconds = 10'000;
  Recorder recorder;
  recorder.open(0);
  for (int64_t second = 1; second <= kSeconds; ++second) {
    recorder.record({.kind = OperationKind::kRead, .is_success = true, .latency_ns = kMs});
    recorder.end_interval(second * 1000 * kMs);
  }
  recorder.close(kSeconds * 1000 * kMs);
  Report report;
  recorder.fill(report, 0);
  EXPECT_LE(report.timeline.size(), 1201);
  uint64_t operations = 0;
  double seconds = 0;
  for (const IntervalReport& interval : report.timeline) operations += interval.operations, seconds += interval.seconds;
  EXPECT_EQ(operations, kSeconds);
  EXPECT_NEAR(seconds, kSeconds, 1e-6);
}

TEST(Plan, RefusesWhatCannotBeHad) {
  BenchOptions options;
  options.documents = 0;
  EXPECT_THAT(make_plan(options, "r").error().message, HasSubstr("needs documents"));
  options.workload = "insert";
  EXPECT_TRUE(make_plan(options, "r"));
  options.template_file = "/nowhere/template.json";
  EXPECT_THAT(make_plan(options, "r").error().message, HasSubstr("cannot read the template /nowhere"));
}

TEST(Plan, ScansHaveDocumentsToScan) {
  EXPECT_EQ(plan_of("e").documents_per_key, 100);
  EXPECT_EQ(plan_of("b").documents_per_key, 1);
}

TEST(MetricIn, FindsWholeNames) {
  constexpr std::string_view kText = "# HELP work_total x\nwork_total_more 1\nwork_total 2.5\n";
  EXPECT_EQ(metric_in(kText, "work_total"), 2.5);
  EXPECT_EQ(metric_in(kText, "work"), std::nullopt);
  EXPECT_EQ(metric_in("work_total x", "work_total"), std::nullopt);
}

}  // namespace partita::tools::bench
