#include "server/commands.h"

#include "base/encodings.h"
#include "base/machine.h"
#include "cluster/key_definition.h"
#include "cluster/records.h"
#include "cluster/reshaper.h"
#include "document/json.h"
#include "document/stored_writer.h"
#include "observe/log.h"
#include "server/explain.h"
#include "server/send_signed.h"
#include "server/world.h"
#include "tools/check/check_store.h"
#include "tools/simulate/simulation.h"
#include "tools/top/live_screen.h"
#include "tools/top/render_top.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace partita::server {
namespace {

// For commands that open a stopped server's data directory.
constexpr size_t kToolCacheBytes = 64UL << 20;

int complain(const Error& error) {
  fmt::print(stderr, "partita: {}\n", error.message);
  return 1;
}

void greet(const ServeOptions& options, uint16_t port) {
  const std::string host = is_loopback(options.bind) ? "localhost" : options.bind;
  const bool is_well_known = options.key == kWellKnownKey;
  fmt::print("Partita {} is ready.\n", PARTITA_VERSION);
  fmt::print("  endpoint  http://{0}:{1}/ and https://{0}:{1}/\n", host, port);
  fmt::print("  key       {}\n",
             is_well_known ? fmt::format("{} (the SDKs' emulator key; loopback only)", kWellKnownKey) : "the one you gave");
  fmt::print("  data      {} ({})\n", options.data,
             options.durability == Durability::kSynced ? "every acknowledged write is on disk"
                                                       : "RELAXED: a crash may lose the last moment of writes");
  fmt::print("  limits    {}\n", options.has_no_rate_limit
                                     ? "NONE: requests over the provisioned throughput are served"
                                     : "provisioned throughput is enforced, with 429 beyond it (--no-rate-limit: it is not)");
  if (is_loopback(options.bind)) fmt::print("  explorer  http://{}:{}/_explorer/\n", host, port);
  fmt::print("  health    http://{}:{}/_health/ready   metrics /_metrics   certificate /_explorer/emulator.pem\n", host, port);
  std::fflush(stdout);
}

// Asks the admin door of a running server; `name` is what stands behind its prefix, `query` what follows a question mark. What
// has a body is an order, and is answered when it was carried out.
Result<std::string> ask_admin(const EndpointOptions& server, std::string_view method, std::string_view name,
                              std::string_view query = {}, std::string_view body = {}) {
  std::string path = fmt::format("{}{}", kAdminPrefix, name);
  if (!query.empty()) path += fmt::format("?{}", query);
  TRY_ASSIGN(
      net::HttpAnswer answer,
      send_signed(server, {.type = kAdminResourceType, .link = name},
                  {.method = method, .path = path, .body = body, .patience_seconds = body.empty() ? net::kPatienceSeconds : 0}));
  if (answer.status == 200) return std::move(answer.body);
  const Result<std::string> stored = stored_from_json(answer.body);
  const Value message = stored ? Value::view(*stored).find("message") : Value();
  return fail(ErrorCode::kUnavailable, fmt::format("the server answered {}: {}", answer.status,
                                                   message.is_string() ? message.string() : std::string_view(answer.body)));
}

}  // namespace

int run_serve(const ServeOptions& options) {
  if (Status logging = observe::start_logging(options.log); !logging) return complain(logging.error());
  Result<std::unique_ptr<World>> world = World::start(options);
  if (!world) return complain(world.error());
  greet(options, (*world)->port());
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  int received = 0;
  sigwait(&signals, &received);
  fmt::print("Stopping.\n");
  std::fflush(stdout);
  world->reset();
  return 0;
}

namespace {

Result<PartitionKeyDefinition> key_of(const std::vector<std::string>& paths) {
  PartitionKeyDefinition key;
  key.version = 2;
  if (paths.size() > 1) key.kind = PartitionKeyDefinition::Kind::kMultiHash;
  for (const std::string& text : paths) {
    TRY_ASSIGN(DocumentPath path, DocumentPath::parse(text));
    key.paths.push_back(std::move(path));
  }
  return key;
}

Result<ReshapeReport> reshape(Reshaper& reshaper, Command command, const ReshapeOptions& options) {
  if (command == Command::kMerge) return reshaper.merge(options.database, options.container, options.range);
  if (command == Command::kMigrate) {
    TRY_ASSIGN(const PartitionKeyDefinition key, key_of(options.paths));
    return reshaper.rekey(options.database, options.container, key);
  }
  std::optional<std::string> at;
  if (!options.at.empty()) {
    at = from_hex(options.at);
    if (!at) return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not hexadecimal", options.at));
  }
  return reshaper.split(options.database, options.container, options.range, at);
}

std::string_view name_of(Command command) {
  return command == Command::kSplit ? "split" : command == Command::kMerge ? "merge" : "migrate";
}

// For people, from what write_report() wrote.
std::string report_text(Command command, const Value& report) {
  const auto texts = [&](std::string_view name) {
    std::vector<std::string_view> all;
    const Value array = report.find(name);
    for (size_t i = 0; array.is_array() && i < array.size(); ++i) all.push_back(array.element(i).string());
    return fmt::format("{}", fmt::join(all, ", "));
  };
  const auto number = [&](std::string_view name) { return report.find(name).is_number() ? report.find(name).number() : 0; };
  std::string out = fmt::format("{}: {} became {}; {} documents, {} bytes in {:.3f} s; writers waited {:.1f} ms",
                                name_of(command), texts("parents"), texts("children"), number("documents"), number("bytes"),
                                number("copyMs") / 1000, number("pauseMs"));
  if (number("verified") > 0) out += fmt::format("; {} documents verified", number("verified"));
  out += "\n";
  if (command == Command::kMigrate) {
    out += "Programs that use the container must read it again, to learn its new partition key.\n";
  }
  return out;
}

// Everything there must be consistent afterwards, and as many documents as before.
Status verify_reshaped(const StoredWorld& world, const ReshapeOptions& options, uint64_t documents_before) {
  TRY_ASSIGN(const std::shared_ptr<const Container> container, world.catalog->container(options.database, options.container));
  TRY_ASSIGN(const tools::CheckTotals totals,
             tools::check_container(*container, [](std::string_view line) { fmt::print("{}\n", line); }));
  if (totals.faults == 0 && totals.documents == documents_before) {
    fmt::print("Verified: all {} documents are there, nothing is wrong.\n", totals.documents);
    return {};
  }
  return fail(ErrorCode::kCorruption,
              fmt::format("{} faults, {} documents instead of {}", totals.faults, totals.documents, documents_before));
}

uint64_t documents_in(const Container& container) {
  uint64_t documents = 0;
  for (const PartitionPlace& place : container.places) documents += place.partition->counters().documents;
  return documents;
}

Status reshape_offline(Command command, const ReshapeOptions& options) {
  TRY_ASSIGN(const StoredWorld world, StoredWorld::open(options.data, Durability::kSynced, kToolCacheBytes));
  Reshaper reshaper(*world.store, *world.catalog, *world.clock, {});
  uint64_t before = 0;
  {
    TRY_ASSIGN(const std::shared_ptr<const Container> container, world.catalog->container(options.database, options.container));
    before = documents_in(*container);
  }
  TRY_ASSIGN(const ReshapeReport report, reshape(reshaper, command, options));
  StoredWriter written;
  write_report(written, report);
  fmt::print("{}", report_text(command, written.view()));
  TRY(verify_reshaped(world, options, before));
  return reshaper.drop_retired();
}

// What the admin door of a running server is to do.
Result<std::string> order_of(Command command, const ReshapeOptions& options) {
  StoredWriter order;
  const auto text = [&](std::string_view name, std::string_view value) {
    order.key(name);
    order.string(value);
  };
  order.begin_object();
  text("database", options.database);
  text("container", options.container);
  text("mode", options.mode);
  if (!options.range.empty()) text("range", options.range);
  if (!options.at.empty()) text("at", options.at);
  if (command == Command::kMigrate) {
    TRY_ASSIGN(const PartitionKeyDefinition key, key_of(options.paths));
    order.key("partitionKey");
    write_partition_key_definition(order, key);
  }
  order.end_object();
  return to_json(order.view());
}

Status reshape_online(Command command, const ReshapeOptions& options) {
  const std::string_view name = command == Command::kMigrate ? "rekey" : name_of(command);
  TRY_ASSIGN(const std::string order, order_of(command, options));
  TRY_ASSIGN(const std::string report, ask_admin(options.server, "POST", name, {}, order));
  TRY_ASSIGN(const std::string stored, stored_from_json(report));
  fmt::print("{}", report_text(command, Value::view(stored)));
  return {};
}

}  // namespace

int run_reshape(Command command, const ReshapeOptions& options) {
  const bool is_online = !options.server.endpoint.empty();
  const Status outcome = is_online ? reshape_online(command, options) : reshape_offline(command, options);
  return outcome ? 0 : complain(outcome.error());
}

int run_check(const CheckOptions& options) {
  Result<StoredWorld> world = StoredWorld::open(options.data, Durability::kSynced, kToolCacheBytes);
  if (!world) return complain(world.error());
  const Result<tools::CheckTotals> totals =
      tools::check_store(*world->store, *world->catalog, [](std::string_view line) { fmt::print("{}\n", line); });
  if (!totals) return complain(totals.error());
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
    screen.show(table ? *table : fmt::format("{}\n", table.error().message));
  } while (screen.wait(kPause) != tools::LiveScreen::Event::kQuit);
  return 0;
}

int run_explain(const ExplainOptions& options) {
  const Result<std::string> explanation = explain(options);
  if (!explanation) return complain(explanation.error());
  fmt::print("{}", *explanation);
  return 0;
}

int run_simulate(const SimulateOptions& options) {
  const size_t threads = options.threads == 0 ? processor_limit() : options.threads;
  fmt::print("{}", tools::simulation_head());
  for (const size_t partitions : options.partitions) {
    tools::SimulationOptions simulation = options.simulation;
    simulation.partitions = partitions;
    fmt::print("{}", tools::simulation_line(tools::simulate(simulation, threads)));
    std::fflush(stdout);
  }
  return 0;
}

namespace {

std::string plan_order(const tools::PlanOptions& plan) {
  StoredWriter order;
  order.begin_object();
  order.key("database");
  order.string(plan.database);
  order.key("container");
  order.string(plan.container);
  if (plan.throughput) {
    order.key("throughput");
    order.integer(*plan.throughput);
  }
  order.key("partitionBytes");
  order.integer(static_cast<int64_t>(plan.limits.partition_bytes_max));
  order.key("merge");
  order.boolean(plan.limits.merges);
  order.key("partitionKeyPaths");
  order.begin_array();
  for (const std::string& path : plan.partition_key) order.string(path);
  order.end_array();
  order.end_object();
  return to_json(order.view());
}

Result<std::string> plan_split(const PlanSplitOptions& options) {
  if (!options.server.endpoint.empty()) return ask_admin(options.server, "POST", "plan", {}, plan_order(options.plan));
  TRY_ASSIGN(const StoredWorld world, StoredWorld::open(options.data, Durability::kSynced, kToolCacheBytes));
  return tools::plan_split(*world.catalog, options.plan);
}

}  // namespace

int run_plan_split(const PlanSplitOptions& options) {
  const Result<std::string> plan = plan_split(options);
  if (!plan) return complain(plan.error());
  fmt::print("{}", *plan);
  return 0;
}

}  // namespace partita::server
