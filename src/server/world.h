#pragma once

#include "auth/master_key.h"
#include "base/clock.h"
#include "base/fair_memory.h"
#include "base/fair_scheduler.h"
#include "base/random.h"
#include "cluster/catalog/catalog.h"
#include "cluster/index/index_builder.h"
#include "cluster/reshape/reshaper.h"
#include "engine/item/etag.h"
#include "gateway/items/items.h"
#include "gateway/query/query_runner.h"
#include "gateway/scripts/scripts.h"
#include "net/http/http_wire.h"
#include "net/server.h"
#include "observe/event_log.h"
#include "observe/metrics.h"
#include "partition/changes/change_subscriptions.h"
#include "protocols/cosmos/direct/direct_wire.h"
#include "protocols/cosmos/documents/service_documents.h"
#include "protocols/cosmos/script_texts.h"
#include "protocols/cosmos/service.h"
#include "script/script_engine.h"
#include "server/admin/admin_api.h"
#include "server/directory/data_directory.h"
#include "server/front_door.h"
#include "server/housekeeping.h"
#include "server/memory_plan.h"
#include "server/options/options.h"
#include "server/store_watch.h"
#include "storage/store.h"

#include <memory>
#include <vector>

namespace partita::server {

// StoredWorld: an opened data directory. Members are in the order in which they need each other.
struct StoredWorld {
  DataDirectory directory;
  std::unique_ptr<SystemClock> clock;
  std::unique_ptr<observe::EventLog> events;
  std::unique_ptr<Random> random;
  std::unique_ptr<EtagSource> etags;
  std::unique_ptr<Store> store;
  std::unique_ptr<Catalog> catalog;

  // The directory of the store's options is the data directory's own.
  static Result<StoredWorld> open(const std::string& data, StoreOptions store, RateLimits limits = {});
  // Changes nothing in it.
  static Result<StoredWorld> open_to_read(const std::string& data, size_t cache_bytes);

 private:
  static Result<StoredWorld> open(DataDirectory directory, StoreOptions options, RateLimits limits);
};

// World: the running server, wired together. Nothing else constructs these parts.
class World {
 public:
  static Result<std::unique_ptr<World>> start(const ServeOptions& options);
  ~World();

  uint16_t port() const { return network_->port(); }
  const MemoryPlan& memory_plan() const { return memory_plan_; }

 private:
  World(StoredWorld stored, const MemoryPlan& memory, auth::MasterKeyVerifier keys, std::string certificate_pem,
        const ServeOptions& options);
  // Which ports there are, and what is spoken on them.
  std::vector<net::ListenerOptions> listeners(const ServeOptions& options);
  void add_gauges();

  const MemoryPlan memory_plan_;
  FairMemory network_memory_;
  FairMemory query_memory_;
  FairMemory ahead_memory_;
  FairMemory staged_memory_;
  StoredWorld stored_;
  auth::MasterKeyVerifier keys_;
  observe::Metrics metrics_;
  cosmos::ServiceDocuments documents_;
  Items items_;
  script::ScriptEngine script_engine_;
  cosmos::WireScriptTexts script_texts_;
  ScriptRunner scripts_;
  QueryShapes query_shapes_;
  QueryRunner queries_;
  cosmos::Service account_;
  Reshaper reshaper_;
  IndexBuilder index_builder_;
  StoreWatch store_watch_;
  AdminApi admin_api_;
  RequestGuard guard_;
  FrontDoor front_door_;
  cosmos::direct::DirectWire direct_wire_;
  net::HttpWire http_wire_;
  Housekeeping housekeeping_;
  std::unique_ptr<net::Server> network_;
  ChangeSubscriptions changes_;
  // Last, so that they end first: their jobs answer on connections.
  FairScheduler workers_;
  FairScheduler script_workers_;
};

}  // namespace partita::server
