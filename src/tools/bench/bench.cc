#include "tools/bench/bench.h"

#include "base/random.h"
#include "tools/bench/report/words.h"
#include "tools/bench/run/driver.h"
#include "tools/bench/run/plan.h"
#include "tools/bench/run/target.h"
#include "tools/bench/run/view.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace partita::tools::bench {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSecond{1000};
// Answers that a server owes at the end are waited for no longer.
constexpr int64_t kLastAnswersNs = 10'000'000'000;
constexpr size_t kThrottlesMax = 1000;

client::Options client_options(const BenchOptions& options) {
  client::Options made = options.client;
  made.connections_max = options.connections;
  made.threads = options.threads;
  made.keeps_sessions = false;  // tokens of all partitions in every read are not what is measured
  made.retry.throttled_max = options.retries_throttled ? kThrottlesMax : 0;
  made.retry.failed_max = 0;  // a run shows what fails
  made.user_agent = "partita-bench";
  return made;
}

double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string now_text() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

// Session: one run from its options to its report. Not thread-safe.
class Session {
 public:
  Session(const BenchOptions& options, Plan plan, client::Client client)
      : options_(options),
        plan_(std::move(plan)),
        target_(std::move(client)),
        numbers_(plan_.document_count),
        view_(options.is_json) {}

  Result<Report> run() {
    TRY(target_.prepare(options_));
    Result<Report> report = measured();
    view_.close();
    if (options_.cleans_up) TRY(target_.clean_up());
    return report;
  }

 private:
  Result<Report> measured() {
    find_range_ = target_.find_range();
    report_.version = options_.version;
    report_.started_at = now_text();
    report_.settings = describe_settings(options_, plan_);
    if (plan_.workload.needs_documents()) TRY(load());
    if (!view_.is_interrupted()) warm_up();
    if (!view_.is_interrupted()) measure();
    report_.is_interrupted = view_.is_interrupted();
    return report_;
  }

  int64_t now_ns() const { return clock_.steady_us() * 1000; }

  Driver::Parts parts(const Plan& plan, DocumentNumbers& numbers, Recorder& recorder) {
    return {.plan = plan,
            .numbers = numbers,
            .recorder = recorder,
            .send = [this](client::Request request,
                           client::Callback done) { target_.client().send(std::move(request), std::move(done)); },
            .find_range = find_range_,
            .clock = clock_};
  }

  // Shows what happens, second by second, until it is over or somebody ends it.
  void follow(Driver& driver, Recorder& recorder, std::string_view phase, int64_t end_ns) {
    int64_t next_ns = now_ns();
    while (!driver.wait(milliseconds(0))) {
      next_ns += milliseconds(kSecond).count() * 1'000'000;
      const int64_t until_ns = std::min(next_ns, std::max(end_ns, now_ns() + 1'000'000));
      if (pause(driver, until_ns)) break;
      recorder.end_interval(now_ns());
      Report report = report_;
      recorder.fill(report, now_ns());
      view_.show(report, phase);
      if (now_ns() >= end_ns) break;
    }
    driver.stop();
    const int64_t patience_ns = now_ns() + kLastAnswersNs;
    while (!driver.wait(milliseconds(100)) && now_ns() < patience_ns) {
    }
  }

  // True when somebody wants the run to end.
  bool pause(Driver& driver, int64_t until_ns) {
    constexpr int64_t kStepMs = 50;  // so that the end of a counted run is seen soon
    while (now_ns() < until_ns && !driver.wait(milliseconds(0))) {
      const int64_t left_ms = (until_ns - now_ns()) / 1'000'000;
      if (view_.wait(milliseconds(std::clamp<int64_t>(left_ms, 1, kStepMs)))) return true;
    }
    return false;
  }

  Status load() {
    const Plan loading = loading_plan(plan_);
    view_.say(fmt::format("Loading {} documents into {}/{} ...", count_text(plan_.document_count), options_.database,
                          options_.container));
    DocumentNumbers numbers(0);
    Recorder recorder;
    recorder.open(now_ns());
    Driver driver(parts(loading, numbers, recorder), {.operations_max = plan_.document_count}, options_.connections);
    driver.start();
    while (!driver.wait(milliseconds(0))) {
      if (pause(driver, now_ns() + kSecond.count() * 1'000'000)) break;
      Report report = report_;
      recorder.end_interval(now_ns());
      recorder.fill(report, now_ns());
      if (report.errors() > 0) break;
      view_.show(report, fmt::format("loading, {} of {}", count_text(numbers.readable()), count_text(plan_.document_count)));
    }
    driver.stop();
    Report report;
    recorder.fill(report, now_ns());
    if (report.errors() == 0) return {};
    return fail(ErrorCode::kUnavailable, fmt::format("a document could not be loaded: {}", report.first_error));
  }

  void warm_up() {
    if (options_.warm_up_seconds <= 0) return;
    view_.say(fmt::format("Warming up for {} ...", duration_text(options_.warm_up_seconds)));
    run_phase(options_.warm_up_seconds, 0, "warming up", nullptr);
  }

  void measure() {
    view_.say(fmt::format("Measuring for {} ...", describe_end()));
    Recorder recorder;
    const std::optional<double> server_before = target_.server_cpu_seconds();
    const double own_before = own_cpu_seconds();
    run_phase(options_.count != 0 ? 0 : options_.seconds, options_.count, "measuring", &recorder);
    report_.client_cpu_seconds = own_cpu_seconds() - own_before;
    const std::optional<double> server_after = target_.server_cpu_seconds();
    if (server_before && server_after) report_.server_cpu_seconds = *server_after - *server_before;
    recorder.fill(report_, now_ns());
  }

  std::string describe_end() const {
    return options_.count != 0 ? count_text(options_.count) + " operations" : duration_text(options_.seconds);
  }

  // `measured`: null while warming up.
  void run_phase(double seconds, uint64_t count, std::string_view phase, Recorder* measured) {
    Recorder ignored;
    Recorder& recorder = measured != nullptr ? *measured : ignored;
    const int64_t start_ns = now_ns();
    Turns::Terms terms{.rate = options_.rate, .spacing = options_.spacing, .seed = mix(options_.seed)};
    if (count != 0) terms.operations_max = count;
    if (seconds > 0) terms.end_ns = start_ns + static_cast<int64_t>(seconds * 1e9);
    recorder.open(start_ns);
    Driver driver(parts(plan_, numbers_, recorder), terms, options_.connections);
    driver.start();
    follow(driver, recorder, phase, terms.end_ns);
    if (measured != nullptr && !view_.is_interrupted()) report_.missed = driver.missed();
    recorder.close(count != 0 && driver.wait(milliseconds(0)) ? driver.ended_ns() : now_ns());
  }

  const BenchOptions& options_;
  const Plan plan_;
  Target target_;
  FindRange find_range_;
  DocumentNumbers numbers_;
  SystemClock clock_;
  View view_;
  Report report_;
};

Status check_files(const BenchOptions& options) {
  if (options.json_file.empty() || options.json_file != options.html_file) return {};
  return fail(ErrorCode::kInvalidInput, "--save and --html name the same file");
}

}  // namespace

Result<Report> run_bench(const BenchOptions& options) {
  TRY(check_files(options));
  TRY_ASSIGN(Plan plan, make_plan(options, fmt::format("{:x}", Random::system_seed())));
  TRY_ASSIGN(client::Client client, client::Client::create(client_options(options)));
  return Session(options, std::move(plan), std::move(client)).run();
}

}  // namespace partita::tools::bench
