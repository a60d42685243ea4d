#include "server/world.h"

#include "base/machine.h"
#include "net/tls/certificate.h"
#include "server/admin/statistics.h"
#include "server/directory/upgrade.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace partita::server {
namespace {

// So long requests under way may take to finish once the server stops; then they are cancelled.
constexpr std::chrono::milliseconds kShutdownGrace{300};
// Point operations come first, then queries. Script hosts are as nice as the workers that start them.
constexpr int kWorkerNiceness = 10;
constexpr int kScriptNiceness = 15;

// Of work that waits, in each of the two schedulers.
constexpr size_t kWaitingMax = 4000;
constexpr size_t kWaitingPerDatabaseMax = 1000;
constexpr size_t kWaitingPerContainerMax = 500;
// A single tenant may run about a third of the slots at once: as many jobs as there are processors.
constexpr size_t kSlotsPerProcessor = 2;
// Jobs that gave way keep their threads.
constexpr size_t kThreadsPerSlot = 4;
// Scripts wait for their hosts most of the time, and cannot give way: more of them at once, so that others find a slot.
constexpr size_t kScriptSlotsPerProcessor = 8;
constexpr size_t kScriptSlotsMin = 16;
constexpr size_t kScriptsPerContainerMin = 2;
constexpr size_t kIdleScriptHostsMax = 8;

// Of connections, only one in so many may be kept by a request that waits for changes, whoever they belong to.
constexpr size_t kConnectionsPerWait = 2;

// Of all memtables' bytes one may have so many: two are filled while others are written out.
constexpr size_t kMemtables = 3;
// A plan counts the values of two keys at once; together they get a quarter of what is for work under way.
constexpr size_t kPlanShareOfWork = 8;

FairQueue::Limits limits(size_t slots, size_t places) {
  return {.slots = slots,
          .places = places,
          .waiting_max = kWaitingMax,
          .waiting_per_database_max = kWaitingPerDatabaseMax,
          .waiting_per_container_max = kWaitingPerContainerMax};
}

size_t worker_slots() { return kSlotsPerProcessor * processor_limit() + 1; }
size_t script_slots() { return std::max(kScriptSlotsMin, kScriptSlotsPerProcessor * processor_limit()); }

FairScheduler::Options worker_options() {
  FairScheduler::Options options{.limits = limits(worker_slots(), kThreadsPerSlot * worker_slots()), .niceness = kWorkerNiceness};
  options.limits.processors = processor_limit();
  return options;
}

size_t query_threads(const ServeOptions& options) {
  return options.query_parallelism > 0 ? std::min(options.query_parallelism, processor_limit()) : processor_limit();
}

FairScheduler::Options script_options(size_t slots) {
  FairScheduler::Options options{.limits = limits(slots, slots), .name = "script", .niceness = kScriptNiceness};
  options.limits.slots_per_container_max = std::max(kScriptsPerContainerMin, processor_limit());
  return options;
}

// The script host is beside the server's own program.
std::string script_host_path() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "partita-script";
}

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<MemoryPlan> divide_memory(const ServeOptions& options) {
  return MemoryPlan::divide({.memory_bytes = options.memory_megabytes << 20,
                             .cache_bytes = options.cache_megabytes << 20,
                             .script_hosts = script_slots()});
}

StoreOptions store_options(const ServeOptions& options, const MemoryPlan& memory) {
  return {.directory = {},
          .durability = options.durability,
          .cache_bytes = memory.cache_bytes,
          .memtable_bytes = memory.memtable_bytes / kMemtables};
}

bool has_own_direct_port(const ServeOptions& options) {
  return options.serves_direct && options.direct_port != 0 && options.direct_port != options.port;
}

cosmos::DirectAccess direct_access(const ServeOptions& options) {
  return {.is_served = options.serves_direct, .port = has_own_direct_port(options) ? options.direct_port : uint16_t{0}};
}

Result<net::TlsIdentity> identity_for(const ServeOptions& options, const DataDirectory& directory) {
  if (!options.certificate.empty()) return net::load_identity(options.certificate, options.certificate_key);
  return net::load_or_make_identity(directory.tls_path(), options.names);
}

}  // namespace

Result<StoredWorld> StoredWorld::open(DataDirectory directory, StoreOptions options, RateLimits limits) {
  StoredWorld world{
      .directory = std::move(directory), .clock = {}, .events = {}, .random = {}, .etags = {}, .store = {}, .catalog = {}};
  world.clock = std::make_unique<SystemClock>();
  world.events = std::make_unique<observe::EventLog>(*world.clock);
  world.random = std::make_unique<Random>(Random::system_seed());
  world.etags = std::make_unique<EtagSource>(*world.random);
  options.directory = world.directory.store_path();
  options.events = world.events.get();
  TRY_ASSIGN(world.store, Store::open(options));
  TRY_ASSIGN(world.catalog, Catalog::open(*world.store, *world.clock, *world.etags, limits));
  return world;
}

Result<StoredWorld> StoredWorld::open(const std::string& data, StoreOptions store, RateLimits limits) {
  TRY_ASSIGN(DataDirectory directory, DataDirectory::open(data));
  TRY(upgrade(directory));
  return open(std::move(directory), std::move(store), limits);
}

Result<StoredWorld> StoredWorld::open_to_read(const std::string& data, size_t cache_bytes) {
  TRY_ASSIGN(DataDirectory directory, DataDirectory::open_to_read(data));
  StoreOptions options;
  options.is_read_only = true;
  options.cache_bytes = cache_bytes;
  options.has_no_ledger = directory.format() < kDataFormatWithLedger;
  return open(std::move(directory), std::move(options), {});
}

World::World(StoredWorld stored, const MemoryPlan& memory, auth::MasterKeyVerifier keys, std::string certificate_pem,
             const ServeOptions& options)
    : memory_plan_(memory),
      network_memory_(memory.network_bytes),
      query_memory_(memory.query_bytes),
      ahead_memory_(memory.ahead_bytes),
      staged_memory_(memory.staged_bytes),
      stored_(std::move(stored)),
      keys_(std::move(keys)),
      documents_(*stored_.etags),
      items_(*stored_.clock, documents_, *stored_.random, &network_memory_),
      script_engine_(script_host_path(), {}, memory.script_hosts, std::max(kIdleScriptHostsMax, processor_limit())),
      scripts_(items_, *stored_.catalog, script_engine_, script_workers_, script_texts_,
               {&staged_memory_, memory.staged_bytes_each, &query_memory_, memory.query_bytes_each}),
      query_shapes_(options.records_workload),
      queries_({*stored_.catalog, script_engine_, workers_, *stored_.clock, *stored_.random, &query_memory_,
                memory.query_bytes_each, query_threads(options), &ahead_memory_, &query_shapes_}),
      account_({*stored_.catalog, items_, keys_, *stored_.clock, *stored_.random, workers_, scripts_, queries_, changes_,
                options.consistency, options.fidelity, options.public_endpoint, cosmos::OriginPolicy(options.cors_origins),
                cosmos::kChangeWaitMsMax, direct_access(options), &network_memory_}),
      reshaper_(*stored_.store, *stored_.catalog, *stored_.clock, options.reshape),
      index_builder_(*stored_.catalog),
      store_watch_(*stored_.store, *stored_.clock),
      admin_api_({*stored_.catalog, reshaper_, keys_, *stored_.store, store_watch_, metrics_, &workers_, &query_shapes_, &items_},
                 {.certificate_pem = std::move(certificate_pem),
                  .is_on_loopback = is_loopback(options.bind),
                  .metrics_key = options.metrics_key,
                  .plan_bytes_max = memory.work_bytes / kPlanShareOfWork}),
      guard_(guard_rules(options)),
      front_door_({account_, admin_api_, guard_, metrics_, *stored_.clock}, options.watches_event_loops),
      direct_wire_(front_door_, account_),
      http_wire_(front_door_),
      housekeeping_(*stored_.catalog, *stored_.clock, *stored_.events, options.logical_partition_bytes_max),
      changes_(*stored_.clock, {.subscriptions_max = memory.connections_max / kConnectionsPerWait}),
      workers_(worker_options(), *stored_.clock),
      script_workers_(script_options(memory.script_hosts), *stored_.clock) {}

Result<std::unique_ptr<World>> World::start(const ServeOptions& options) {
  TRY(check_options(options));
  TRY_ASSIGN(const MemoryPlan memory, divide_memory(options));
  const RateLimits limits{.is_enforced = !options.has_no_rate_limit,
                          .allows_bursts = options.has_burst_capacity,
                          .records_workload = options.records_workload,
                          .new_partition_throughput = options.new_partition_throughput,
                          .memory_bytes = memory.catalog_bytes};
  TRY_ASSIGN(StoredWorld stored, StoredWorld::open(options.data, store_options(options, memory), limits));
  TRY_ASSIGN(net::TlsIdentity identity, identity_for(options, stored.directory));
  TRY_ASSIGN(auth::MasterKeyVerifier keys,
             auth::MasterKeyVerifier::create(
                 {options.key, options.secondary_key, options.read_only_key, options.secondary_read_only_key}, *stored.clock));
  std::unique_ptr<World> world(new World(std::move(stored), memory, std::move(keys), identity.certificate_pem, options));
  net::ServerOptions network;
  network.threads = options.threads;
  network.measures_loops = options.watches_event_loops;
  network.tls = std::move(identity);
  network.limits.connections_max = memory.connections_max;
  network.memory = &world->network_memory_;
  TRY_ASSIGN(world->network_, net::Server::start(std::move(network), world->listeners(options)));
  world->add_gauges();
  world->reshaper_.start();
  world->index_builder_.start();
  if (!world->stored_.catalog->scripts().is_empty()) world->script_engine_.expect_scripts();
  world->stored_.store->merge_when_idle([failures = world->stored_.catalog->failures()](const Status& outcome) {
    failures->note(background::kMergeTables, {}, outcome);
  });
  return world;
}

std::vector<net::ListenerOptions> World::listeners(const ServeOptions& options) {
  std::vector<net::ListenerOptions> listeners{{.bind_address = options.bind, .port = options.port, .wires = {&http_wire_}}};
  if (has_own_direct_port(options)) {
    listeners.push_back({.bind_address = options.bind, .port = options.direct_port, .wires = {&direct_wire_}});
  } else if (options.serves_direct) {
    listeners.front().wires = {&direct_wire_, &http_wire_};
  }
  return listeners;
}

// Everything is told to end before anything is waited for; what is acknowledged is on disk at any time.
World::~World() {
  if (network_) network_->begin_stop();
  changes_.stop();
  workers_.stop();
  script_workers_.stop();
  script_engine_.stop();
  if (network_) network_->stop(kShutdownGrace);
  index_builder_.stop();
  reshaper_.stop();  // before the connections end, on which it answers
}

void World::add_gauges() {
  metrics_.add_gauge("partita_connections_open", "Connections that are open now.",
                     [this] { return static_cast<double>(network_->counters().connections_open); });
  metrics_.add_gauges("partita_wire_connections_open", "The same by what is spoken on them, once that is known.", [this] {
    return observe::Metrics::Samples{
        {{{"wire", std::string(http_wire_.name())}}, static_cast<double>(http_wire_.connections_open())},
        {{{"wire", std::string(direct_wire_.name())}}, static_cast<double>(direct_wire_.connections_open())}};
  });
  metrics_.add_gauge("partita_malformed_requests", "Requests refused because they were not what is spoken here.",
                     [this] { return static_cast<double>(network_->counters().malformed_requests); });
  metrics_.add_gauges(
      "partita_event_loop_stalls", "How often something kept a connection's thread from all others for so long.", [this] {
        const net::ServerCounters counters = network_->counters();
        return observe::Metrics::Samples{{{{"over", "1ms"}}, static_cast<double>(counters.callbacks_over_1_ms)},
                                         {{{"over", "10ms"}}, static_cast<double>(counters.callbacks_over_10_ms)},
                                         {{{"over", "100ms"}}, static_cast<double>(counters.callbacks_over_100_ms)}};
      });
  metrics_.add_gauges(
      "partita_event_loop_longest_microseconds", "The longest of these, and by processor time if that is measured.", [this] {
        const net::ServerCounters counters = network_->counters();
        return observe::Metrics::Samples{{{{"time", "wall"}}, static_cast<double>(counters.callback_us_max)},
                                         {{{"time", "processor"}}, static_cast<double>(counters.callback_processor_us_max)}};
      });
  metrics_.add_gauges("partita_committer_stalls",
                      "How often something kept the thread that tells of durable writes from all others for so long.", [this] {
                        const CallbackTimes times = stored_.store->callback_times();
                        return observe::Metrics::Samples{{{{"over", "1ms"}}, static_cast<double>(times.over_1_ms)},
                                                         {{{"over", "10ms"}}, static_cast<double>(times.over_10_ms)},
                                                         {{{"over", "100ms"}}, static_cast<double>(times.over_100_ms)}};
                      });
  metrics_.add_gauges("partita_committer_longest_microseconds",
                      "The longest of these, and the processor time that it took to tell all who waited for one sync.", [this] {
                        const CallbackTimes times = stored_.store->callback_times();
                        return observe::Metrics::Samples{
                            {{{"time", "wall"}}, static_cast<double>(times.longest_us)},
                            {{{"time", "processor"}}, static_cast<double>(times.longest_round_processor_us)}};
                      });
  metrics_.add_gauge("partita_store_bytes", "Size of the store's files.",
                     [this] { return static_cast<double>(stored_.store->disk_bytes()); });
  metrics_.add_gauge("partita_log_syncs", "How often the write-ahead log was synced.",
                     [this] { return static_cast<double>(stored_.store->log_syncs()); });
  metrics_.add_gauge("partita_store_failed", "1 while writes are refused because the disk failed.",
                     [this] { return stored_.store->failure() ? 1.0 : 0.0; });
  metrics_.add_gauge("partita_databases", "Databases.",
                     [this] { return static_cast<double>(stored_.catalog->databases().size()); });
  metrics_.add_gauge("process_resident_memory_bytes", "Resident memory.", resident_bytes);
  metrics_.add_counter("process_cpu_seconds_total", "Processor time of the server, without its script hosts.", processor_seconds);
  metrics_.add_gauge("partita_memory_limit_bytes", "What the server and its script hosts may use together.",
                     [this] { return static_cast<double>(memory_plan_.memory_bytes); });
  metrics_.add_gauge("partita_network_memory_bytes", "Taken by large bodies that arrive and answers that are being read.",
                     [this] { return static_cast<double>(network_memory_.taken()); });
  metrics_.add_gauge("partita_query_memory_bytes", "Taken by rows that queries keep.",
                     [this] { return static_cast<double>(query_memory_.taken()); });
  metrics_.add_gauge("partita_catalog_memory_bytes", "Taken by definitions, scripts, permissions and partitions.",
                     [this] { return static_cast<double>(stored_.catalog->memory_taken()); });
  metrics_.add_gauge("partita_staged_memory_bytes", "Taken by changes of scripts that are not written yet.",
                     [this] { return static_cast<double>(staged_memory_.taken()); });
  metrics_.add_gauge("partita_requests_refused_for_memory", "Requests refused because their tenant had as much as it may have.",
                     [this] { return static_cast<double>(network_->counters().refused_for_memory); });
  metrics_.add_gauges("partita_events", "Events that rooms reported, also those that were not logged.",
                      [this] { return stored_.events->counts(); });
  metrics_.add_gauge("partita_waiting_for_changes", "Requests that wait for changes.",
                     [this] { return static_cast<double>(changes_.size()); });
  add_partition_gauges(metrics_, *stored_.catalog);
  add_scheduler_gauges(metrics_, {{"queries", &workers_}, {"scripts", &script_workers_}}, *stored_.catalog);
}

}  // namespace partita::server
