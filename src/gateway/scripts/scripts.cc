#include "gateway/scripts/scripts.h"

#include "cluster/tenants.h"
#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

namespace partita {
namespace {

// A split or merge does not wait for scripts, so one that runs may have to begin again; a container is not reshaped so often that
// this many times would not do. Those that wait for their turn are sent on as often as it takes.
constexpr int kMovesMax = 5;

std::string_view operation_name(ItemVerb verb) {
  switch (verb) {
    case ItemVerb::kCreate: return "Create";
    case ItemVerb::kUpsert: return "Upsert";
    case ItemVerb::kReplace: return "Replace";
    case ItemVerb::kErase: return "Delete";
    case ItemVerb::kRead: return "Read";
    case ItemVerb::kPatch: return "Patch";
  }
  return "";
}

// Triggers keep their type and operation as their clients spelled them.
bool is_same_word(std::string_view left, std::string_view right) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(left, right, {}, lower, lower);
}

// Whether a trigger for `meant` runs with the verb; an upsert is a create or a replace.
bool is_meant_for(std::string_view meant, ItemVerb verb) {
  const auto is = [&](std::string_view word) { return is_same_word(meant, word); };
  if (is("All") || is(operation_name(verb))) return true;
  if (verb == ItemVerb::kReplace) return is("Update");
  if (verb == ItemVerb::kUpsert) return is("Create") || is("Update") || is("Replace");
  return false;
}

std::string_view text_of(const ScriptResource& script, std::string_view property) {
  const Value value = Value::view(script.definition.properties).find(property);
  return value.is_string() ? value.string() : std::string_view();
}

script::ScriptCall call_of(const ScriptResource& script, const Container& container, const ScriptTexts& texts, bool is_logging) {
  script::ScriptCall call;
  call.name = script.definition.id;
  call.source = script.definition.body;
  call.container_link = texts.container_link(container);
  call.alt_link = fmt::format("dbs/{}/colls/{}", container.database->id, container.definition.id);
  call.is_logging = is_logging;
  return call;
}

// All scripts of a request share the time of one.
ScriptBounds bounds_of(const ItemWorkshop& workshop, const script::ScriptEngine& engine, const std::atomic<bool>* is_abandoned,
                       const StagingMemory& staging) {
  return {workshop.clock.steady_us() + std::chrono::microseconds(engine.limits().total).count(), is_abandoned, staging};
}

// A write on its way through its triggers.
struct TriggeredWrite {
  std::shared_ptr<const Container> container;
  TriggeredCall call;  // its document as the triggers leave it
  PartitionKey key;
  Location at;
  std::optional<ItemWork> work;
  TriggeredOutcome outcome;
  bool has_run = false;

  ItemVerb verb() const { return call.operation.verb; }
};

// All scripts of a request log as much as one may: it is answered in a header.
void append_log(std::string& log, std::string_view more) {
  log += more.substr(0, script::kLogBytesMax - std::min(log.size(), script::kLogBytesMax));
}

Status run_before(TriggeredWrite& write, const ScriptTexts& texts, script::ScriptEngine& engine, ScriptDocuments& documents) {
  for (const ScriptPtr& trigger : write.call.triggers.before) {
    script::ScriptCall call = call_of(*trigger, *write.container, texts, write.call.is_logging);
    call.kind = script::ScriptKind::kPreTrigger;
    call.operation = operation_name(write.verb());
    call.request_body = write.call.document;
    TRY_ASSIGN(script::ScriptOutcome outcome, documents.run(engine, call));
    if (write.verb() != ItemVerb::kErase) write.call.document = std::move(outcome.request_body);
    append_log(write.outcome.log, outcome.log);
  }
  return {};
}

Status run_after(TriggeredWrite& write, const ScriptTexts& texts, script::ScriptEngine& engine, ScriptDocuments& documents) {
  for (const ScriptPtr& trigger : write.call.triggers.after) {
    script::ScriptCall call = call_of(*trigger, *write.container, texts, write.call.is_logging);
    call.kind = script::ScriptKind::kPostTrigger;
    call.operation = operation_name(write.verb());
    call.request_body = write.call.document;
    call.response_body = write.outcome.body;
    TRY_ASSIGN(script::ScriptOutcome outcome, documents.run(engine, call));
    if (write.verb() != ItemVerb::kErase) write.outcome.body = std::move(outcome.response_body);
    append_log(write.outcome.log, outcome.log);
  }
  return {};
}

Status run_triggered(TriggeredWrite& write, const ItemWorkshop& workshop, const Catalog& catalog, const ScriptTexts& texts,
                     script::ScriptEngine& engine, const StagingMemory& staging, Transaction& transaction) {
  ScriptDocuments documents(workshop, catalog, texts, write.key, transaction,
                            bounds_of(workshop, engine, write.call.is_abandoned, staging));
  TRY(run_before(write, texts, engine, documents));
  ItemOperation operation = write.call.operation;
  operation.body = write.call.document;
  operation.key = write.key;
  operation.takes_computed_key = false;  // triggers may have made another document of it, which must not leave the partition
  TRY_ASSIGN(ItemWork work, ItemWork::prepare(workshop, operation));
  write.work.emplace(std::move(work));
  TRY(write.work->run(transaction));
  if (write.verb() != ItemVerb::kErase) write.outcome.body = to_json(write.work->item().document());
  return run_after(write, texts, engine, documents);
}

// The logical partition that a write goes to: what the request says, else what the document says.
Result<PartitionKey> key_of(const ItemWorkshop& workshop, const ItemOperation& operation, std::string_view json) {
  const ContainerDefinition& container = workshop.container->definition;
  const PartitionKeyDefinition& definition = container.partition_key;
  const bool is_new = operation.verb == ItemVerb::kCreate || operation.verb == ItemVerb::kUpsert;
  if (is_new && container.synthetic_key && leaves_key_open(operation)) return computed_key_of(workshop, operation, json);
  if (operation.key || !is_new) return complete_key(operation.key, definition);
  TRY_ASSIGN(const std::string stored, stored_from_json(json));
  return PartitionKey::of(Value::view(stored), definition);
}

}  // namespace

void ScriptRunner::run(const Container& container, const Location& at, Priority priority, const std::atomic<bool>* is_abandoned,
                       Body body, Partition::CommitCallback callback) const {
  // One that runs is charged as it goes (ScriptDocuments).
  if (const Result<int64_t> admitted = at.place->partition->admit(priority); !admitted) {
    return callback(std::unexpected(admitted.error()));
  }
  auto run = std::make_shared<Run>(tenant_of(container), at.place->partition, std::string(at.logical_partition), priority,
                                   std::move(body), std::move(callback), is_abandoned);
  submit(run, false, [this, run] { hold_and_transact(run); });
}

void ScriptRunner::submit(const std::shared_ptr<Run>& run, bool is_continued, std::move_only_function<void()> work) const {
  workers_.submit({.tenant = run->tenant,
                   .run = [work = std::move(work)](Turn&) mutable { work(); },
                   .refuse = [run](const Error& error) { run->callback(std::unexpected(error)); },
                   .is_continued = is_continued,
                   .is_abandoned = run->is_abandoned});
}

// The worker comes first, so that nobody waits for it with the logical partition in his hands. Where that is held by another, the
// script leaves its worker to others until it gets it.
void ScriptRunner::hold_and_transact(const std::shared_ptr<Run>& run) const {
  // Read only by this thread while it is true.
  auto is_on_worker = std::make_shared<bool>(true);
  auto granted = [this, run, is_on_worker, worker = std::this_thread::get_id()](Result<Partition::Hold> hold) mutable {
    if (!hold) return run->callback(std::unexpected(std::move(hold).error()));
    if (std::this_thread::get_id() == worker && *is_on_worker) return transact(*run, *std::move(hold));
    submit(run, true, [run, hold = *std::move(hold)]() mutable { transact(*run, std::move(hold)); });
  };
  run->partition->hold(run->logical_partition, std::move(granted));
  *is_on_worker = false;
}

void ScriptRunner::transact(Run& run, Partition::Hold hold) {
  if (const Result<int64_t> admitted = run.partition->admit(run.priority); !admitted) {
    return run.callback(std::unexpected(admitted.error()));
  }
  hold.transact(run.body, std::move(run.callback));
}

void ScriptRunner::execute(const ContainerPtr& container, const ProcedureCall& call, ProcedureCallback callback) const {
  Result<PartitionKey> whole = complete_key(call.key, container->definition.partition_key);
  if (!whole) return callback(std::unexpected(std::move(whole).error()));
  const Location at = locate(*container, *whole, {});
  auto outcome = std::make_shared<ProcedureOutcome>();
  outcome->place = at.place;
  auto has_run = std::make_shared<bool>(false);
  auto body = [this, container, call, key = *std::move(whole), outcome, has_run](Transaction& transaction) -> Status {
    *has_run = true;
    script::ScriptCall run = call_of(*call.procedure, *container, texts_, call.is_logging);
    run.operation = "Execute";
    run.arguments = call.arguments;
    const ItemWorkshop workshop = items_.workshop(container);
    ScriptDocuments documents(workshop, catalog_, texts_, key, transaction,
                              bounds_of(workshop, engine_, call.is_abandoned, staging_));
    TRY_ASSIGN(script::ScriptOutcome done, documents.run(engine_, run));
    outcome->body = std::move(done.response_body);
    outcome->log = std::move(done.log);
    return {};
  };
  run(*container, at, call.priority, call.is_abandoned, std::move(body),
      [this, container, call = call, outcome, has_run, callback = std::move(callback)](Result<Partition::Commit> commit) mutable {
        if (const ContainerPtr heir = heir_of(container, commit); heir && call.moves < kMovesMax) {
          if (*has_run) ++call.moves;
          return execute(heir, call, std::move(callback));
        }
        if (!commit) return callback(std::unexpected(std::move(commit).error()));
        outcome->lsn = commit->lsn;
        outcome->charge = commit->charge;
        callback(std::move(*outcome));
      });
}

Result<Triggers> ScriptRunner::find_triggers(const Container& container, ItemVerb verb, std::string_view before,
                                             std::string_view after) const {
  Triggers triggers;
  const auto find = [&](std::string_view names, std::string_view type, std::vector<ScriptPtr>& found) -> Status {
    while (!names.empty()) {
      std::string_view name = names.substr(0, names.find(','));
      names.remove_prefix(std::min(names.size(), name.size() + 1));
      while (name.starts_with(' ')) name.remove_prefix(1);
      while (name.ends_with(' ')) name.remove_suffix(1);
      if (name.empty()) continue;
      Result<ScriptPtr> trigger = catalog_.scripts().find(container, ScriptType::kTrigger, {.id = name, .number = std::nullopt});
      if (!trigger) return fail(ErrorCode::kInvalidInput, fmt::format("The trigger '{}' does not exist.", name));
      if (!is_same_word(text_of(**trigger, "triggerType"), type) || !is_meant_for(text_of(**trigger, "triggerOperation"), verb)) {
        return fail(
            ErrorCode::kInvalidInput,
            fmt::format("The trigger '{}' is a {}-trigger for {}; it cannot be used as a {}-trigger of {}.", name,
                        text_of(**trigger, "triggerType"), text_of(**trigger, "triggerOperation"), type, operation_name(verb)));
      }
      found.push_back(*std::move(trigger));
    }
    return {};
  };
  TRY(find(before, "Pre", triggers.before));
  TRY(find(after, "Post", triggers.after));
  return triggers;
}

void ScriptRunner::write(const ContainerPtr& container, const TriggeredCall& call, TriggeredCallback callback) const {
  Result<PartitionKey> key = key_of(items_.workshop(container), call.operation, call.document);
  if (!key) return callback(std::unexpected(std::move(key).error()));
  auto write = std::make_shared<TriggeredWrite>();
  write->container = container;
  write->call = call;
  write->key = *std::move(key);
  write->at = locate(*container, write->key, {});
  auto body = [this, container, write, document = call.document](Transaction& transaction) {
    write->has_run = true;
    // It may run again: what an earlier run left is not there.
    write->call.document = document;
    write->work.reset();
    write->outcome = {};
    return run_triggered(*write, items_.workshop(container), catalog_, texts_, engine_, staging_, transaction);
  };
  run(*container, write->at, call.operation.priority, call.is_abandoned, std::move(body),
      [this, call = call, write, callback = std::move(callback)](Result<Partition::Commit> commit) mutable {
        if (const ContainerPtr heir = heir_of(write->container, commit); heir && call.moves < kMovesMax) {
          if (write->has_run) ++call.moves;
          return this->write(heir, call, std::move(callback));
        }
        if (!commit) return callback(std::unexpected(std::move(commit).error()));
        ItemOutcome& item = write->outcome.item;
        item.container = write->container;
        item.place = write->at.place;
        item.lsn = commit->lsn;
        item.was_created = write->work->was_created();
        item.charge = commit->charge;
        item.item = write->work->take_item(commit->lsn);
        callback(std::move(write->outcome));
      });
}

}  // namespace partita
