#include "server/commands/commands.h"

#include "base/machine.h"
#include "document/json/json.h"
#include "document/json/terminal_text.h"
#include "observe/log.h"
#include "server/commands/command_parts.h"
#include "server/commands/explain.h"
#include "server/stop_signals.h"
#include "server/world.h"
#include "tools/check/check_store.h"
#include "tools/simulate/simulation.h"
#include "tools/top/live_screen.h"
#include "tools/top/render_top.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace partita::server {
namespace {

// Connections and tables take a file each; most systems let a process have many more than it gets without asking.
Status allow_many_files() {
  constexpr rlim_t kFilesMin = 256;
  constexpr rlim_t kFilesForAllConnections = 12'000;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < kFilesMin) {
    return fail(
        ErrorCode::kUnavailable,
        fmt::format("the system lets this process open {} files, it needs {} or more; see ulimit -n", limit.rlim_max, kFilesMin));
  }
  if (limit.rlim_max < kFilesForAllConnections) {
    spdlog::warn("the system lets this process open {} files: clients beyond that are turned away; see ulimit -n",
                 limit.rlim_max);
  }
  return {};
}

void greet(const ServeOptions& options, const World& world) {
  const uint16_t port = world.port();
  const std::string host = is_loopback(options.bind) ? "localhost" : options.bind;
  const bool is_well_known = options.key == kWellKnownKey;
  fmt::print("Partita {} is ready.\n", PARTITA_VERSION);
  fmt::print("  endpoint  {0}https://{1}:{2}/{3}\n", options.is_https_only ? "" : fmt::format("http://{}:{}/ and ", host, port),
             host, port, options.is_https_only ? " (--https-only)" : "");
  fmt::print("  key       {}\n",
             is_well_known ? fmt::format("{} (the SDKs' emulator key; loopback only)", kWellKnownKey) : "the one you gave");
  fmt::print("  data      {} ({})\n", options.data,
             options.durability == Durability::kSynced ? "every acknowledged write is on disk"
                                                       : "RELAXED: a crash may lose the last moment of writes");
  fmt::print("  limits    {}\n", options.has_no_rate_limit
                                     ? "NONE: requests over the provisioned throughput are served"
                                     : "provisioned throughput is enforced, with 429 beyond it (--no-rate-limit: it is not)");
  fmt::print("  memory    {}\n", world.memory_plan().describe());
  if (is_loopback(options.bind)) {
    fmt::print("  explorer  {}://{}:{}/_explorer/\n", options.is_https_only ? "https" : "http", host, port);
  }
  fmt::print("  health    http://{}:{}/_health/ready   metrics /_metrics   certificate /_explorer/emulator.pem\n", host, port);
  std::fflush(stdout);
}

}  // namespace

int run_serve(const ServeOptions& options) {
  if (Status logging = observe::start_logging(options.log); !logging) return complain(logging.error());
  if (Status files = allow_many_files(); !files) return complain(files.error());
  StopSignals signals;  // outlives the world, whose end it watches
  Result<std::unique_ptr<World>> world = World::start(options);
  if (!world) return complain(world.error());
  greet(options, **world);
  signals.note_started();
  signals.wait();
  world->reset();
  return 0;
}

namespace {

// Whether anything had to be given up.
Result<bool> give_up_losses(const std::string& data) {
  TRY(DataDirectory::expect(data));
  TRY_ASSIGN(const DataDirectory directory, DataDirectory::open(data));
  TRY_ASSIGN(const std::vector<std::string> done, Store::give_up_losses(directory.store_path()));
  for (const std::string& line : done) fmt::print(stderr, "REPAIRED: {}\n", line);
  return !done.empty();
}

}  // namespace

int run_check(const CheckOptions& options) {
  if (options.repairs) {
    const Result<bool> is_repaired = give_up_losses(options.data);
    if (!is_repaired) return complain(is_repaired.error());
    if (!*is_repaired) fmt::print(stderr, "The logs have lost nothing: there is nothing to give up.\n");
  }
  Result<StoredWorld> world = open_stopped_to_read(options.data);
  if (!world) return complain(world.error());
  const Result<tools::CheckTotals> totals = tools::check_store(*world->store, *world->catalog, [&](std::string_view line) {
    fmt::print(options.is_json ? stderr : stdout, "{}\n", terminal_text(line));
  });
  if (!totals) return complain(totals.error());
  if (options.is_json) {
    fmt::print(R"({{"containers":{},"partitions":{},"documents":{},"indexEntries":{},"faults":{}}})"
               "\n",
               totals->containers, totals->partitions, totals->documents, totals->index_entries, totals->faults);
    return totals->faults == 0 ? 0 : 1;
  }
  fmt::print("{} containers, {} partitions, {} documents, {} index entries: {}\n", totals->containers, totals->partitions,
             totals->documents, totals->index_entries,
             totals->faults == 0 ? "everything is consistent" : fmt::format("{} FAULTS", totals->faults));
  return totals->faults == 0 ? 0 : 1;
}

namespace {

Result<std::string> top_table(const TopOptions& options, const tools::TopView& view) {
  TRY_ASSIGN(const std::string statistics, ask_admin(options.server, "GET", "statistics", "history=true"));
  return tools::render_top(statistics, view);
}

}  // namespace

int run_top(const TopOptions& options) {
  constexpr std::chrono::seconds kPause{1};
  if (options.is_json) {
    const Result<std::string> statistics = ask_admin(options.server, "GET", "statistics", "history=true");
    if (!statistics) return complain(statistics.error());
    return fmt::print("{}", *statistics), 0;
  }
  tools::TopView view{.lines_max = options.lines_max, .span = options.span};
  const Result<std::string> first = top_table(options, view);
  if (!first) return complain(first.error());
  if (options.is_once || !tools::LiveScreen::is_possible()) return fmt::print("{}", *first), 0;
  tools::LiveScreen screen;
  view.is_coloured = std::getenv("NO_COLOR") == nullptr;
  do {
    view.columns = tools::LiveScreen::size().columns;
    const Result<std::string> table = top_table(options, view);
    // A server that is being restarted comes back.
    screen.show(table ? *table : fmt::format("{}\n", terminal_text(table.error().message)));
  } while (screen.wait(kPause) != tools::LiveScreen::Event::kQuit);
  return 0;
}

int run_explain(const ExplainOptions& options) {
  const Result<std::string> explanation = explain(options);
  if (!explanation) return complain(explanation.error());
  fmt::print("{}", terminal_lines(*explanation));
  return 0;
}

int run_simulate(const SimulateOptions& options) {
  const size_t threads = options.threads == 0 ? processor_limit() : options.threads;
  tools::SimulationOptions simulation = options.simulation;
  if (!options.shares_path.empty()) {
    Result<std::vector<double>> shares = tools::read_shares(options.shares_path);
    if (!shares) return complain(shares.error());
    simulation.shares = *std::move(shares);
  }
  std::vector<tools::SimulationTotals> outcomes;
  for (const size_t partitions : options.partitions) {
    simulation.partitions = partitions;
    outcomes.push_back(tools::simulate(simulation, threads));
  }
  if (!options.is_json) return fmt::print("{}", tools::simulation_text(outcomes)), 0;
  StoredWriter out;
  tools::write_simulation(out, outcomes);
  fmt::print("{}\n", to_json(out.view()));
  return 0;
}

}  // namespace partita::server
