#pragma once

#include "base/fair_scheduler.h"
#include "base/result.h"
#include "cluster/catalog/catalog.h"
#include "gateway/items/items.h"
#include "gateway/scripts/script_documents.h"
#include "script/script_engine.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

struct ProcedureOutcome {
  std::string body;  // JSON text; empty: nothing
  std::string log;
  const PartitionPlace* place = nullptr;
  Lsn lsn;
  double charge = 0;
};

// A stored procedure to run.
struct ProcedureCall {
  ScriptPtr procedure;
  std::optional<PartitionKey> key;  // a partitioned container needs the whole one
  std::string arguments;            // a JSON array
  bool is_logging = false;
  Priority priority = Priority::kHigh;
  const std::atomic<bool>* is_abandoned = nullptr;  // by its client; lives until the callback was called
  int moves = 0;                                    // how often it had run, and began again where its documents went
};

// What runs before and after a write, in this order.
struct Triggers {
  std::vector<ScriptPtr> before;
  std::vector<ScriptPtr> after;

  bool is_empty() const { return before.empty() && after.empty(); }
};

// A create, upsert, replace or deletion with its triggers.
struct TriggeredCall {
  ItemOperation operation;  // without its document
  std::string document;     // JSON text; empty for a deletion
  Triggers triggers;
  bool is_logging = false;
  const std::atomic<bool>* is_abandoned = nullptr;  // by its client; lives until the callback was called
  int moves = 0;                                    // as above
};

struct TriggeredOutcome {
  ItemOutcome item;
  std::string body;  // JSON text of the answer, as triggers left it; empty after a deletion
  std::string log;
};

// ScriptRunner: runs scripts as transactions of one logical partition.
//
// Thread-safe. A script waits for a worker in its tenant's queue, then for its logical partition in that one's, and no caller
// waits for it; callbacks run exactly once, after what they tell is durable. Errors: those of items and of scripts, and those of
// the scheduler.
class ScriptRunner {
 public:
  using ContainerPtr = std::shared_ptr<const Container>;

  // All of it outlives the runner.
  ScriptRunner(const Items& items, const Catalog& catalog, script::ScriptEngine& engine, FairScheduler& workers,
               const ScriptTexts& texts, const StagingMemory& staging = {})
      : items_(items), catalog_(catalog), engine_(engine), workers_(workers), texts_(texts), staging_(staging) {}

  using ProcedureCallback = std::move_only_function<void(Result<ProcedureOutcome>)>;
  using TriggeredCallback = std::move_only_function<void(Result<TriggeredOutcome>)>;

  void execute(const ContainerPtr& container, const ProcedureCall& call, ProcedureCallback callback) const;

  // The triggers with these names (separated by commas), which must be meant for that time and that operation.
  Result<Triggers> find_triggers(const Container& container, ItemVerb verb, std::string_view before,
                                 std::string_view after) const;
  // All of it in one transaction.
  void write(const ContainerPtr& container, const TriggeredCall& call, TriggeredCallback callback) const;

  script::ScriptEngine& engine() const { return engine_; }
  FairScheduler& workers() const { return workers_; }

 private:
  using Body = std::function<Status(Transaction&)>;
  // A script on its way to a worker and to its logical partition.
  struct Run {
    Tenant tenant;
    PartitionPtr partition;
    std::string logical_partition;
    Priority priority;
    Body body;
    Partition::CommitCallback callback;
    const std::atomic<bool>* is_abandoned;
  };
  // Runs the body on a worker, alone in the logical partition.
  void run(const Container& container, const Location& at, Priority priority, const std::atomic<bool>* is_abandoned, Body body,
           Partition::CommitCallback callback) const;
  void submit(const std::shared_ptr<Run>& run, bool is_continued, std::move_only_function<void()> work) const;
  void hold_and_transact(const std::shared_ptr<Run>& run) const;
  // Asks for the budget once more: those who ran while it waited may have spent it.
  static void transact(Run& run, Partition::Hold hold);

  const Items& items_;
  const Catalog& catalog_;
  script::ScriptEngine& engine_;
  FairScheduler& workers_;
  const ScriptTexts& texts_;
  const StagingMemory staging_;
};

}  // namespace partita
