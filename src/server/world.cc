#include "server/world.h"

#include "base/machine.h"
#include "net/certificate.h"
#include "server/statistics.h"

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

// Of all memtables' bytes one may have so many: two are filled while others are written out.
constexpr size_t kMemtables = 3;

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
  return {.limits = limits(worker_slots(), kThreadsPerSlot * worker_slots()), .niceness = kWorkerNiceness};
}

FairScheduler::Options script_options(size_t slots) {
  FairScheduler::Options options{.limits = limits(slots, slots), .niceness = kScriptNiceness};
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

Result<net::TlsIdentity> identity_for(const ServeOptions& options, const DataDirectory& directory) {
  if (!options.certificate.empty()) return net::load_identity(options.certificate, options.certificate_key);
  return net::load_or_make_identity(directory.tls_path(), options.names);
}

}  // namespace

Result<StoredWorld> StoredWorld::open(DataDirectory directory, StoreOptions options, RateLimits limits) {
  StoredWorld world{.directory = std::move(directory), .clock = {}, .random = {}, .etags = {}, .store = {}, .catalog = {}};
  world.clock = std::make_unique<SystemClock>();
  world.random = std::make_unique<Random>(Random::system_seed());
  world.etags = std::make_unique<EtagSource>(*world.random);
  options.directory = world.directory.store_path();
  options.has_no_ledger = world.directory.format() < kDataFormatWithLedger;
  TRY_ASSIGN(world.store, Store::open(options));
  TRY_ASSIGN(world.catalog, Catalog::open(*world.store, *world.clock, *world.etags, limits));
  return world;
}

Result<StoredWorld> StoredWorld::open(const std::string& data, StoreOptions store, RateLimits limits) {
  TRY_ASSIGN(DataDirectory directory, DataDirectory::open(data));
  TRY_ASSIGN(StoredWorld world, open(std::move(directory), std::move(store), limits));
  TRY(world.directory.raise_format());
  return world;
}

Result<StoredWorld> StoredWorld::open_to_read(const std::string& data, size_t cache_bytes) {
  TRY_ASSIGN(DataDirectory directory, DataDirectory::open_to_read(data));
  StoreOptions options;
  options.is_read_only = true;
  options.cache_bytes = cache_bytes;
  return open(std::move(directory), std::move(options), {});
}

World::World(StoredWorld stored, const MemoryPlan& memory, auth::MasterKeyVerifier keys, std::string certificate_pem,
             const ServeOptions& options)
    : memory_plan_(memory),
      network_memory_(memory.network_bytes),
      query_memory_(memory.query_bytes),
      staged_memory_(memory.staged_bytes),
      stored_(std::move(stored)),
      keys_(std::move(keys)),
      items_(*stored_.clock, *stored_.etags, *stored_.random),
      script_engine_(script_host_path(), {}, memory.script_hosts, std::max(kIdleScriptHostsMax, processor_limit())),
      scripts_(items_, *stored_.catalog, script_engine_, script_workers_,
               {&staged_memory_, memory.staged_bytes_each, &query_memory_, memory.query_bytes_each}),
      account_({*stored_.catalog, items_, keys_, *stored_.clock, *stored_.random, workers_, scripts_, options.consistency,
                options.public_endpoint, cosmos::OriginPolicy(options.cors_origins), &query_memory_, memory.query_bytes_each}),
      reshaper_(*stored_.store, *stored_.catalog, *stored_.clock, options.reshape),
      index_builder_(*stored_.catalog),
      reshape_door_(*stored_.catalog, reshaper_, keys_, &workers_),
      guard_(guard_rules(options)),
      store_watch_(*stored_.store, *stored_.clock),
      front_door_(
          {account_, *stored_.store, store_watch_, *stored_.catalog, metrics_, *stored_.clock, reshape_door_, keys_, guard_},
          {std::move(certificate_pem), is_loopback(options.bind), options.metrics_key, options.watches_event_loops}),
      housekeeping_(*stored_.catalog, *stored_.clock, options.logical_partition_bytes_max),
      workers_(worker_options(), *stored_.clock),
      script_workers_(script_options(memory.script_hosts), *stored_.clock) {}

Result<std::unique_ptr<World>> World::start(const ServeOptions& options) {
  TRY(check_options(options));
  const RateLimits limits{.is_enforced = !options.has_no_rate_limit,
                          .allows_bursts = options.has_burst_capacity,
                          .new_partition_throughput = options.new_partition_throughput};
  TRY_ASSIGN(const MemoryPlan memory, divide_memory(options));
  TRY_ASSIGN(StoredWorld stored, StoredWorld::open(options.data, store_options(options, memory), limits));
  TRY_ASSIGN(net::TlsIdentity identity, identity_for(options, stored.directory));
  TRY_ASSIGN(auth::MasterKeyVerifier keys,
             auth::MasterKeyVerifier::create(
                 {options.key, options.secondary_key, options.read_only_key, options.secondary_read_only_key}, *stored.clock));
  std::unique_ptr<World> world(new World(std::move(stored), memory, std::move(keys), identity.certificate_pem, options));
  net::HttpServerOptions http;
  http.bind_address = options.bind;
  http.port = options.port;
  http.threads = options.threads;
  http.measures_loops = options.watches_event_loops;
  http.tls = std::move(identity);
  http.limits.connections_max = memory.connections_max;
  http.memory = &world->network_memory_;
  TRY_ASSIGN(world->http_, net::HttpServer::start(std::move(http), world->front_door_));
  world->add_gauges();
  world->reshaper_.start();
  world->index_builder_.start();
  world->stored_.store->merge_when_idle();
  return world;
}

// Everything is told to end before anything is waited for; what is acknowledged is on disk at any time.
World::~World() {
  if (http_) http_->begin_stop();
  workers_.stop();
  script_workers_.stop();
  script_engine_.stop();
  if (http_) http_->stop(kShutdownGrace);
  index_builder_.stop();
  reshaper_.stop();  // before the connections end, on which it answers
}

void World::add_gauges() {
  metrics_.add_gauge("partita_connections_open", "Connections that are open now.",
                     [this] { return static_cast<double>(http_->counters().connections_open); });
  metrics_.add_gauge("partita_malformed_requests", "Requests refused because they were not HTTP.",
                     [this] { return static_cast<double>(http_->counters().malformed_requests); });
  metrics_.add_gauges(
      "partita_event_loop_stalls", "How often something kept a connection's thread from all others for so long.", [this] {
        const net::HttpServerCounters counters = http_->counters();
        return observe::Metrics::Samples{{{{"over", "1ms"}}, static_cast<double>(counters.callbacks_over_1_ms)},
                                         {{{"over", "10ms"}}, static_cast<double>(counters.callbacks_over_10_ms)},
                                         {{{"over", "100ms"}}, static_cast<double>(counters.callbacks_over_100_ms)}};
      });
  metrics_.add_gauges(
      "partita_event_loop_longest_microseconds", "The longest of these, and by processor time if that is measured.", [this] {
        const net::HttpServerCounters counters = http_->counters();
        return observe::Metrics::Samples{{{{"time", "wall"}}, static_cast<double>(counters.callback_us_max)},
                                         {{{"time", "processor"}}, static_cast<double>(counters.callback_processor_us_max)}};
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
  metrics_.add_gauge("partita_memory_limit_bytes", "What the server and its script hosts may use together.",
                     [this] { return static_cast<double>(memory_plan_.memory_bytes); });
  metrics_.add_gauge("partita_network_memory_bytes", "Taken by large bodies that arrive and answers that are being read.",
                     [this] { return static_cast<double>(network_memory_.taken()); });
  metrics_.add_gauge("partita_query_memory_bytes", "Taken by rows that queries keep.",
                     [this] { return static_cast<double>(query_memory_.taken()); });
  metrics_.add_gauge("partita_staged_memory_bytes", "Taken by changes of scripts that are not written yet.",
                     [this] { return static_cast<double>(staged_memory_.taken()); });
  metrics_.add_gauge("partita_requests_refused_for_memory", "Requests refused because their tenant had as much as it may have.",
                     [this] { return static_cast<double>(http_->counters().refused_for_memory); });
  add_partition_gauges(metrics_, *stored_.catalog);
  add_scheduler_gauges(metrics_, {{"queries", &workers_}, {"scripts", &script_workers_}}, *stored_.catalog);
}

}  // namespace partita::server
