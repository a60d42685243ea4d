#include "gateway/query/query_runner.h"

#include "base/must_not_wait.h"
#include "cluster/tenants.h"
#include "gateway/query/query_functions.h"

#include <span>
#include <utility>

namespace partita {
namespace {

// So long a query may keep the other connections of its thread waiting, and so long if there are none.
constexpr int64_t kMicrosecondsAtOnce = 150;
constexpr int64_t kMicrosecondsAlone = 1000;
// Larger values take longer to make than that.
constexpr size_t kRowBytesAtOnceMax = 256 << 10;
// So do more partitions: to ask one costs about 3 us, whether or not it has anything.
constexpr size_t kPartitionsAtOnceMax = 50;

// FunctionsLater: a script takes longer than a connection's thread may wait.
class FunctionsLater final : public query::UserFunctions {
 public:
  Result<bool> call(std::string_view, std::span<const query::Datum>, StoredWriter&) override {
    return fail(ErrorCode::kTimeout, "functions of users are called by workers");
  }
};

}  // namespace

struct QueryRunner::Waiting {
  std::shared_ptr<const QueryCall> call;
  Callback callback;
  bool is_late = false;  // could not be run at once
};

Result<std::shared_ptr<const PreparedQuery>> QueryRunner::prepare(std::string_view body, const Container& container) const {
  TRY_ASSIGN(std::shared_ptr<const PreparedQuery> query, prepared_.prepare(body, container.definition.properties_for_queries()));
  TRY(check_functions_exist(query->plan, parts_.catalog, container));
  return query;
}

QueryRunner::Callback QueryRunner::noted(const std::shared_ptr<const QueryCall>& call, Callback callback) const {
  return [this, call, callback = std::move(callback)](Result<QueryPage> page) mutable {
    const bool is_short = call->query->specification.text.size() <= QueryShapes::kTextBytesMax;
    if (page && is_short) parts_.shapes->note(*call->container, call->query->shape(), page->charge);
    callback(std::move(page));
  };
}

void QueryRunner::run(std::shared_ptr<const QueryCall> call, Callback callback) const {
  if (parts_.shapes != nullptr && parts_.shapes->wants_next()) callback = noted(call, std::move(callback));
  const auto waiting = std::make_shared<Waiting>(std::move(call), std::move(callback));
  if (Turn* turn = waiting->call->turn) return run_on_worker(waiting, *turn);
  if (run_at_once(waiting)) return;
  parts_.workers.submit({.tenant = tenant_of(*waiting->call->container),
                         .run = [this, waiting](Turn& turn) { run_on_worker(waiting, turn); },
                         .refuse = [waiting](const Error& error) { waiting->callback(std::unexpected(error)); },
                         .is_abandoned = waiting->call->is_abandoned});
}

query::Environment QueryRunner::environment() const {
  return {.clock = parts_.clock, .random = parts_.random, .buffered_bytes_max = parts_.bytes_max, .memory = parts_.memory};
}

query::Environment QueryRunner::environment_of(const QueryCall& call, query::UserFunctions& functions) const {
  query::Environment own = environment();
  own.is_cancelled = call.is_abandoned;
  own.user_functions = &functions;
  own.tenant = call.container->database->number;
  return own;
}

// False when it takes longer than the thread may wait.
bool QueryRunner::run_at_once(const std::shared_ptr<Waiting>& waiting) const {
  const QueryCall& call = *waiting->call;
  const std::string& text = call.query->specification.text;
  if (!call.request.key && call.container->places.size() > kPartitionsAtOnceMax) return false;
  if (!short_.is_worth_a_try(text)) return false;
  FunctionsLater functions;
  query::Environment environment = environment_of(call, functions);
  environment.is_trial = true;
  environment.row_bytes_max = kRowBytesAtOnceMax;
  environment.deadline_steady_us = parts_.clock.steady_us() + (call.is_alone ? kMicrosecondsAlone : kMicrosecondsAtOnce);
  const MustNotWait scope;
  const auto is_put_off = [](const Result<QueryPage>& page) {
    return !page && (page.error().code == ErrorCode::kTimeout || page.error().code == ErrorCode::kWouldWait);
  };
  run_query(call.container, call.query->plan, call.request, environment, [waiting, is_put_off](Result<QueryPage> page) {
    if (!is_put_off(page)) return waiting->callback(std::move(page));
    waiting->is_late = true;  // before run_query returns
  });
  if (waiting->is_late && !MustNotWait::was_refused()) short_.note_long(text);
  return !waiting->is_late;
}

void QueryRunner::run_on_worker(const std::shared_ptr<Waiting>& waiting, Turn& turn) const {
  const QueryCall& call = *waiting->call;
  // A query whose function takes long, or waits for a host, leaves its worker to others meanwhile.
  const auto watch = [&call, &turn]() -> Status {
    turn.step_aside();
    const bool is_abandoned = call.is_abandoned != nullptr && call.is_abandoned->load(std::memory_order_relaxed);
    if (!is_abandoned && !turn.is_cancelled()) return {};
    return fail(ErrorCode::kTimeout, "The query was cancelled.");
  };
  script::FunctionSession session(parts_.functions, call.container->identity.self_link, watch);
  QueryFunctions functions(parts_.catalog, *call.container, session);
  query::Environment environment = environment_of(call, functions);
  environment.turn = &turn;
  const auto callback = [waiting](Result<QueryPage> page) { waiting->callback(std::move(page)); };
  const bool is_parallel = parts_.threads_max > 1 && parts_.ahead_memory != nullptr && call.container->places.size() > 1;
  if (!is_parallel) return run_query(call.container, call.query->plan, call.request, environment, callback);
  const SpareWorkers helpers{parts_.workers, *parts_.ahead_memory, tenant_of(*call.container), parts_.threads_max - 1};
  QueryRequest request = call.request;
  request.helpers = &helpers;
  run_query(call.container, call.query->plan, request, environment, callback);
}

}  // namespace partita
