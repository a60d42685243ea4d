#pragma once

#include "base/result.h"
#include "cluster/catalog.h"
#include "engine/transaction.h"
#include "gateway/item_work.h"
#include "gateway/queries.h"
#include "query/query.h"
#include "script/script_engine.h"

#include <string>
#include <string_view>

namespace partita {

// ScriptDocuments: what a script does with the documents of its logical partition, inside its transaction. Not thread-safe.
//
// The script is not trusted: whatever it sends is checked here. An operation that fails changes nothing.
class ScriptDocuments final : public script::DocumentOperations {
 public:
  ScriptDocuments(const ItemWorkshop& workshop, const Catalog& catalog, const PartitionKey& key, Transaction& transaction,
                  int64_t deadline_steady_us)
      : workshop_(workshop), catalog_(catalog), key_(key), transaction_(transaction), deadline_steady_us_(deadline_steady_us) {}

  script::OperationReply operate(const script::Message& operation, script::FunctionSession& functions) override;

  // Runs a script with these documents. The time it takes counts as work of the transaction, as what it reads and writes does.
  Result<script::ScriptOutcome> run(script::ScriptEngine& engine, const script::ScriptCall& call);

  uint64_t operations() const { return operations_; }

 private:
  QueryRequest page_request(size_t items_max) const;
  query::Environment environment() const;
  Result<std::string> write(const script::Message& operation);
  Result<script::OperationReply> read_feed(const script::Message& operation);
  Result<script::OperationReply> operate_on_attachments(const script::Message& operation);
  Result<script::OperationReply> run_query(const script::Message& operation, script::FunctionSession& functions);
  // The id of the document that an operation names, by id or by resource id.
  Result<std::string> named(const script::Message& operation);
  Result<std::string> id_of_number(DocumentNumber number);

  const ItemWorkshop& workshop_;
  const Catalog& catalog_;
  const PartitionKey& key_;
  Transaction& transaction_;
  const int64_t deadline_steady_us_;
  uint64_t operations_ = 0;
};

}  // namespace partita
