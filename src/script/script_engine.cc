#include "script/script_engine.h"

#include "script/script_failure.h"

#include <algorithm>
#include <utility>

namespace partita::script {
namespace {

// Beyond a script's own time: for its host to end it by itself.
constexpr std::chrono::milliseconds kHostGrace{3'000};
// When its host was ended from outside, a script is given another one.
constexpr int kAttemptsMax = 2;

std::string_view kind_name(ScriptKind kind) {
  switch (kind) {
    case ScriptKind::kStoredProcedure: return "procedure";
    case ScriptKind::kPreTrigger: return "pre";
    case ScriptKind::kPostTrigger: return "post";
  }
  return "procedure";
}

ScriptLimits limits_of(const ScriptCall& call, ScriptLimits usual) {
  if (call.time_left) usual.total = std::min(usual.total, *call.time_left);
  usual.accepts = std::min(usual.accepts, usual.total);
  return usual;
}

Message run_message(const ScriptCall& call, const ScriptLimits& limits) {
  return {MessageType::kRun,
          {std::string(kind_name(call.kind)), call.name, call.source, call.arguments, call.operation, call.request_body,
           call.response_body, call.container_link, call.alt_link, call.is_logging ? "1" : "0",
           std::to_string(limits.accepts.count()), std::to_string(limits.total.count())}};
}

// Whether a host that said this last waits for the next script. One that has no memory left ends.
bool is_free_after(const Message& last) {
  return last.type == MessageType::kDone || (last.type == MessageType::kFailed && last.field(0) != "memory");
}

Result<ScriptOutcome> outcome_of(const Message& last) {
  if (last.type == MessageType::kFailed) return std::unexpected(script_failure(last));
  if (last.type != MessageType::kDone) return fail(ErrorCode::kInternal, "A script host sent an invalid message.");
  const bool is_too_large = last.field(0).size() > kResponseBytesMax || last.field(1).size() > kLogBytesMax;
  if (is_too_large) return fail(ErrorCode::kTooLarge, "The script's response is too large.");
  return ScriptOutcome{std::string(last.field(0)), std::string(last.field(1)), std::string(last.field(2))};
}

}  // namespace

int error_number(ErrorCode code) {
  switch (code) {
    case ErrorCode::kForbidden:
    case ErrorCode::kLogicalPartitionFull: return 403;
    case ErrorCode::kNotFound:
    case ErrorCode::kOwnerNotFound: return 404;
    case ErrorCode::kTimeout: return 408;
    case ErrorCode::kAlreadyExists: return 409;
    case ErrorCode::kPreconditionFailed: return 412;
    case ErrorCode::kTooLarge: return 413;
    case ErrorCode::kThrottled: return 429;
    case ErrorCode::kUnavailable:
    case ErrorCode::kStorageFailure:
    case ErrorCode::kCorruption:
    case ErrorCode::kInternal: return 500;
    default: return 400;
  }
}

ScriptEngine::ScriptEngine(std::string program, ScriptLimits limits, size_t hosts_max, size_t idle_max)
    : limits_(limits), hosts_(std::move(program), hosts_max, idle_max) {}

Result<ScriptOutcome> ScriptEngine::run(const ScriptCall& call, DocumentOperations& operations) {
  for (int attempt = 1;; ++attempt) {
    TRY_ASSIGN(HostLease host, hosts_.take(call.container_link, [&] { return operations.note_time(0); }));
    bool began = false;
    Result<ScriptOutcome> outcome = run_on(*host, call, operations, began);
    if (outcome || began || host->death() != HostDeath::kEnded || attempt == kAttemptsMax) return outcome;
  }
}

Result<ScriptOutcome> ScriptEngine::run_on(HostProcess& host, const ScriptCall& call, DocumentOperations& operations,
                                           bool& began) {
  using SteadyClock = std::chrono::steady_clock;
  const ScriptLimits limits = limits_of(call, limits_);
  const SteadyClock::time_point deadline = SteadyClock::now() + limits.total + kHostGrace;
  const uint64_t used_before_us = host.processor_us();
  SteadyClock::time_point noted_at = SteadyClock::now();
  const HostWatch watch = [&] {
    noted_at = SteadyClock::now();
    return operations.note_time(host.processor_us() - used_before_us);
  };
  const auto talk = [&]() -> Result<Message> {
    TRY(host.send(run_message(call, limits), deadline, watch));
    FunctionSession functions(*this, host, watch);
    while (true) {
      TRY_ASSIGN(Message message, host.receive(deadline, watch));
      if (message.type != MessageType::kOperation) return message;
      began = true;
      // A script that asks all the time is never waited for.
      if (SteadyClock::now() - noted_at >= HostProcess::kWatchInterval) TRY(watch());
      TRY_ASSIGN(OperationReply reply, operations.operate(message, functions));
      TRY(host.send({MessageType::kReply,
                     {std::to_string(reply.number), std::move(reply.body), std::move(reply.continuation),
                      operations.accepts() ? "1" : "0"}},
                    deadline, watch));
    }
  };
  const Result<Message> last = talk();
  if (!last || !is_free_after(*last)) host.end();
  // Whatever it says: the script has ended.
  (void)watch();
  if (!last) return std::unexpected(last.error());
  return outcome_of(*last);
}

FunctionSession::FunctionSession(ScriptEngine& engine, std::string_view tenant, HostWatch watch)
    : engine_(engine), tenant_(tenant), shared_(nullptr), watch_(std::move(watch)), id_(engine.next_session()) {}

FunctionSession::FunctionSession(ScriptEngine& engine, HostProcess& shared, HostWatch watch)
    : engine_(engine), shared_(&shared), watch_(std::move(watch)), id_(engine.next_session()) {}

FunctionSession::~FunctionSession() {
  // What the functions have left is forgotten now, and not when somebody needs the memory.
  if (!own_ || !(*own_)->is_alive()) return;
  (void)(*own_)->send({MessageType::kForget, {}}, std::chrono::steady_clock::now() + kHostGrace, {});
}

Result<HostProcess*> FunctionSession::host() {
  if (shared_ != nullptr) return shared_;
  if (!own_) {
    TRY_ASSIGN(HostLease host, engine_.hosts_.take(tenant_, watch_));
    own_.emplace(std::move(host));
    used_before_us_ = (*own_)->processor_us();
  }
  return &**own_;
}

uint64_t FunctionSession::processor_us() const { return used_us_ + (own_ ? (*own_)->processor_us() - used_before_us_ : 0); }

Result<Message> FunctionSession::ask(const Message& question) {
  for (int attempt = 1;; ++attempt) {
    TRY_ASSIGN(HostProcess * host, this->host());
    const auto deadline = std::chrono::steady_clock::now() + engine_.limits().total + kHostGrace;
    const Status sent = host->send(question, deadline, watch_);
    Result<Message> answer = sent ? host->receive(deadline, watch_) : std::unexpected(sent.error());
    if (answer && !is_free_after(*answer)) host->end();
    if (answer || shared_ != nullptr || host->is_alive()) return answer;
    // The next call gets another host.
    used_us_ = processor_us();
    const bool is_blameless = host->death() == HostDeath::kEnded;
    own_.reset();
    if (!is_blameless || attempt == kAttemptsMax) return answer;
  }
}

Result<std::string> FunctionSession::call(std::string_view name, std::string_view source, std::string_view arguments,
                                          std::string_view missing) {
  TRY_ASSIGN(const Message answer, ask({MessageType::kEvaluate,
                                        {std::string(name), std::string(source), std::string(arguments), std::string(missing),
                                         std::to_string(engine_.limits().total.count()), id_, tenant_}}));
  if (answer.type == MessageType::kFailed) return std::unexpected(script_failure(answer));
  if (answer.type != MessageType::kDone) return fail(ErrorCode::kInternal, "A script host's answer is not that of a function.");
  return std::string(answer.field(0));
}

}  // namespace partita::script
