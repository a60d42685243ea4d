#pragma once

#include "base/clock.h"
#include "base/fair_memory.h"
#include "base/fair_scheduler.h"
#include "base/random.h"
#include "base/result.h"
#include "base/turn.h"
#include "cluster/catalog/catalog.h"
#include "gateway/query/prepared_queries.h"
#include "gateway/query/queries.h"
#include "gateway/query/query_shapes.h"
#include "gateway/query/short_queries.h"
#include "query/query.h"
#include "script/script_engine.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

namespace partita {

// What queries are run with. All of it outlives the runner and is thread-safe.
struct QueryParts {
  const Catalog& catalog;
  script::ScriptEngine& functions;  // that users have defined
  FairScheduler& workers;
  const Clock& clock;
  Random& random;
  // What all queries together may keep in memory; null: what each may keep is the only limit.
  FairMemory* memory = nullptr;
  size_t bytes_max = query::kBufferedBytesMax;  // by one of them
  // How many threads may work for one query at once, and the memory for what is computed ahead; null: nothing is.
  size_t threads_max = 1;
  FairMemory* ahead_memory = nullptr;
  // Which queries were asked; null: nobody wants to know.
  QueryShapes* shapes = nullptr;
};

// One page of a query that a client waits for.
struct QueryCall {
  std::shared_ptr<const Container> container;
  std::shared_ptr<const PreparedQuery> query;
  QueryRequest request;
  const std::atomic<bool>* is_abandoned = nullptr;  // the client is gone; lives until the page was given
  bool is_alone = false;                            // nobody else waits for the thread that calls
  Turn* turn = nullptr;                             // of the thread that calls, if it is a worker
};

// QueryRunner: compiles queries and decides where they run: at once where the caller stands, because most queries are short and a
// switch of threads costs as much as they do, or by a worker in the share of their tenant. Thread-safe.
class QueryRunner {
 public:
  using Callback = std::move_only_function<void(Result<QueryPage>)>;

  explicit QueryRunner(const QueryParts& parts) : parts_(parts) {}

  // The query in the body of a request: text and parameters. kInvalidQuery also when it calls functions that are not there.
  Result<std::shared_ptr<const PreparedQuery>> prepare(std::string_view body, const Container& container) const;

  // Calls back once, with the page or why there is none, on the thread that calls, a worker or the store's committer. A thread
  // that is no worker is kept for a moment only.
  void run(std::shared_ptr<const QueryCall> call, Callback callback) const;

  // What any query may use, over documents or not.
  query::Environment environment() const;

 private:
  struct Waiting;

  Callback noted(const std::shared_ptr<const QueryCall>& call, Callback callback) const;
  query::Environment environment_of(const QueryCall& call, query::UserFunctions& functions) const;
  bool run_at_once(const std::shared_ptr<Waiting>& waiting) const;
  void run_on_worker(const std::shared_ptr<Waiting>& waiting, Turn& turn) const;

  const QueryParts parts_;
  mutable PreparedQueries prepared_;
  mutable ShortQueries short_;
};

}  // namespace partita
