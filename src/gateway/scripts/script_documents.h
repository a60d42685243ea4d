#pragma once

#include "base/fair_memory.h"
#include "base/result.h"
#include "cluster/catalog/catalog.h"
#include "engine/transaction.h"
#include "gateway/items/item_work.h"
#include "gateway/query/queries.h"
#include "gateway/scripts/script_texts.h"
#include "partition/charge/meter.h"
#include "query/query.h"
#include "script/script_engine.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace partita {

// How far a script may overdraw the budget of its partition, in time that the budget needs to recover from what it did itself:
// those that run beside it do not count. Beyond the first its operations are not accepted any more, as when its time runs out, so
// that a well-made one commits what it has and is called again; beyond the second it is ended, and its transaction with it.
inline constexpr int64_t kScriptDebtAcceptedUs = 1 * RequestBudget::kSecondUs;
inline constexpr int64_t kScriptDebtMaxUs = 4 * RequestBudget::kSecondUs;
static_assert(kScriptDebtMaxUs < RequestBudget::kDebtMaxUs);
// The same for what its transaction keeps in memory: half of what it may.
inline constexpr uint64_t kScriptWritesAccepted = kTransactionWritesMax / 2;
// Documents that were only read are forgotten when there are more.
inline constexpr size_t kScriptReadBytesKept = 8 << 20;

// Memory for what scripts have written and is not stored yet, and for what their queries keep.
struct StagingMemory {
  FairMemory* memory = nullptr;                       // of all of them; null: without limit
  size_t bytes_each_max = kTransactionBytesMax;       // of one transaction
  FairMemory* queries = nullptr;                      // of all queries; null: without limit
  size_t query_bytes_max = query::kBufferedBytesMax;  // of one query
};

// Until when the scripts of one request run, whether anybody still waits for them, and what they may keep.
struct ScriptBounds {
  int64_t deadline_steady_us = INT64_MAX;
  const std::atomic<bool>* is_abandoned = nullptr;
  StagingMemory staging;
};

// ScriptDocuments: what a script does with the documents of its logical partition, inside its transaction. Not thread-safe.
//
// The script is not trusted: whatever it sends is checked here. An operation that fails changes nothing. What it does, and the
// processor's time, is charged to its partition as it happens, and stays charged when the transaction is undone.
class ScriptDocuments final : public script::DocumentOperations {
 public:
  ScriptDocuments(const ItemWorkshop& workshop, const Catalog& catalog, const ScriptTexts& texts, const PartitionKey& key,
                  Transaction& transaction, const ScriptBounds& bounds);

  Result<script::OperationReply> operate(const script::Message& operation, script::FunctionSession& functions) override;
  Status note_time(uint64_t processor_us) override;
  bool accepts() const override;

  // Runs a script with these documents; several have the time of one. Errors: those of scripts, kThrottled when it has
  // overdrawn the budget, kTimeout when nobody waits for it any more.
  Result<script::ScriptOutcome> run(script::ScriptEngine& engine, script::ScriptCall call);

  uint64_t operations() const { return operations_; }

 private:
  // kTooLarge when the transaction keeps as much as it may.
  Status check_room() const;
  // Charges what was not charged so far. Errors end the script.
  Status settle();
  // The debt of the partition's budget, as far as it is this transaction's.
  int64_t debt_us() const;
  QueryRequest page_request(size_t items_max) const;
  query::Environment environment() const;
  Result<std::string> write(const script::Message& operation);
  Result<script::OperationReply> read_feed(const script::Message& operation);
  Result<script::OperationReply> operate_on_attachments(const script::Message& operation);
  Result<script::OperationReply> run_query(const script::Message& operation, script::FunctionSession& functions);
  // The id of the document that an operation names, by id or by number.
  Result<std::string> named(const script::Message& operation);
  Result<std::string> id_of_number(DocumentNumber number);

  const ItemWorkshop& workshop_;
  const Catalog& catalog_;
  const ScriptTexts& texts_;
  const PartitionKey& key_;
  Transaction& transaction_;
  const ScriptBounds bounds_;
  const PartitionPtr partition_;
  MemoryLoan staged_;
  std::vector<PendingDurability> pending_;  // of the operation that is under way
  uint64_t earlier_us_ = 0;                 // of scripts that have ended
  uint64_t operations_ = 0;
};

}  // namespace partita
