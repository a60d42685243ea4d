#include "script/script_engine.h"

#include "script/script_failure.h"

namespace partita::script {
namespace {

// Beyond a script's own time: for its host to end it by itself.
constexpr std::chrono::milliseconds kHostGrace{3'000};

std::string_view kind_name(ScriptKind kind) {
  switch (kind) {
    case ScriptKind::kStoredProcedure: return "procedure";
    case ScriptKind::kPreTrigger: return "pre";
    case ScriptKind::kPostTrigger: return "post";
  }
  return "procedure";
}

Message run_message(const ScriptCall& call, const ScriptLimits& limits) {
  return {MessageType::kRun,
          {std::string(kind_name(call.kind)), call.name, call.source, call.arguments, call.operation, call.request_body,
           call.response_body, call.self_link, call.alt_link, call.is_logging ? "1" : "0", std::to_string(limits.accepts.count()),
           std::to_string(limits.total.count())}};
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

ScriptEngine::ScriptEngine(std::string program, ScriptLimits limits, size_t idle_max)
    : program_(std::move(program)), limits_(limits), idle_max_(idle_max) {}

Result<std::unique_ptr<HostProcess>> ScriptEngine::take() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<HostProcess> host = std::move(idle_.back());
      idle_.pop_back();
      return host;
    }
  }
  return HostProcess::start(program_);
}

void ScriptEngine::give_back(std::unique_ptr<HostProcess> host) {
  if (!host->is_alive()) return;
  std::lock_guard lock(mutex_);
  if (idle_.size() < idle_max_) idle_.push_back(std::move(host));
}

std::string ScriptEngine::next_session() {
  std::lock_guard lock(mutex_);
  return std::to_string(++sessions_);
}

Result<ScriptOutcome> ScriptEngine::run(const ScriptCall& call, DocumentOperations& operations) {
  TRY_ASSIGN(std::unique_ptr<HostProcess> host, take());
  const auto deadline = std::chrono::steady_clock::now() + limits_.total + kHostGrace;
  TRY(host->send(run_message(call, limits_)));
  FunctionSession functions(*this, host.get());
  while (true) {
    TRY_ASSIGN(Message message, host->receive(deadline));
    if (message.type == MessageType::kOperation) {
      OperationReply reply = operations.operate(message, functions);
      TRY(host->send(
          {MessageType::kReply, {std::to_string(reply.number), std::move(reply.body), std::move(reply.continuation)}}));
      continue;
    }
    const bool is_spent = message.type == MessageType::kFailed && message.field(0) == "memory";  // it ends by itself
    if (!is_spent) give_back(std::move(host));
    if (message.type == MessageType::kFailed) return std::unexpected(script_failure(message));
    return ScriptOutcome{std::string(message.field(0)), std::string(message.field(1)), std::string(message.field(2))};
  }
}

FunctionSession::FunctionSession(ScriptEngine& engine, HostProcess* shared)
    : engine_(engine), shared_(shared), id_(engine.next_session()) {}

FunctionSession::~FunctionSession() {
  if (own_) engine_.give_back(std::move(own_));
}

Result<std::string> FunctionSession::call(std::string_view name, std::string_view source, std::string_view arguments,
                                          std::string_view missing) {
  if (shared_ == nullptr && !own_) {
    TRY_ASSIGN(own_, engine_.take());
  }
  HostProcess& host = shared_ != nullptr ? *shared_ : *own_;
  const std::chrono::milliseconds total = engine_.limits().total;
  TRY(host.send({MessageType::kEvaluate,
                 {std::string(name), std::string(source), std::string(arguments), std::string(missing),
                  std::to_string(total.count()), id_}}));
  TRY_ASSIGN(const Message message, host.receive(std::chrono::steady_clock::now() + total + kHostGrace));
  if (message.type == MessageType::kFailed) return std::unexpected(script_failure(message));
  return std::string(message.field(0));
}

}  // namespace partita::script
