#include "server/commands.h"

#include "observe/log.h"
#include "server/world.h"
#include "tools/check/check_store.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>

namespace partita::server {
namespace {

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
  if (is_loopback(options.bind)) fmt::print("  explorer  http://{}:{}/_explorer/\n", host, port);
  fmt::print("  health    http://{}:{}/_health/ready   metrics /_metrics   certificate /_explorer/emulator.pem\n", host, port);
  std::fflush(stdout);
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

int run_check(const CheckOptions& options) {
  constexpr size_t kCacheBytes = 64UL << 20;
  Result<StoredWorld> world = StoredWorld::open(options.data, Durability::kSynced, kCacheBytes);
  if (!world) return complain(world.error());
  const Result<tools::CheckTotals> totals =
      tools::check_store(*world->store, *world->catalog, [](std::string_view line) { fmt::print("{}\n", line); });
  if (!totals) return complain(totals.error());
  fmt::print("{} containers, {} partitions, {} documents, {} index entries: {}\n", totals->containers, totals->partitions,
             totals->documents, totals->index_entries,
             totals->faults == 0 ? "everything is consistent" : fmt::format("{} FAULTS", totals->faults));
  return totals->faults == 0 ? 0 : 1;
}

}  // namespace partita::server
