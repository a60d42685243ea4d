#pragma once

#include "base/result.h"
#include "script/host_process.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::script {

struct ScriptLimits {
  std::chrono::milliseconds accepts{5'000};  // after that, operations of a script are refused, and a good one comes to its end
  std::chrono::milliseconds total{10'000};   // after that, it is ended
};

enum class ScriptKind { kStoredProcedure, kPreTrigger, kPostTrigger };

// One run of a script. JSON texts; an empty one means undefined.
struct ScriptCall {
  ScriptKind kind = ScriptKind::kStoredProcedure;
  std::string name;
  std::string source;
  std::string arguments = "[]";
  std::string operation;  // what getOperationType() says
  std::string request_body;
  std::string response_body;
  std::string self_link;  // of the container, by resource id and by names
  std::string alt_link;
  bool is_logging = false;
};

struct ScriptOutcome {
  std::string response_body;  // JSON text; empty: undefined
  std::string log;
  std::string request_body;  // JSON text
};

class ScriptEngine;

// FunctionSession: user defined functions for one query. What a function leaves behind (its globals) lives as long as the
// session. Used by one thread at a time. Takes a host with the first call, unless it shares that of a running script.
class FunctionSession {
 public:
  explicit FunctionSession(ScriptEngine& engine, HostProcess* shared = nullptr);
  ~FunctionSession();

  // `arguments`: a JSON array, null where `missing` (a JSON array of positions) says that there is nothing. The result is JSON
  // text, empty for undefined. Errors: kInvalidInput, kTimeout, kUnavailable.
  Result<std::string> call(std::string_view name, std::string_view source, std::string_view arguments, std::string_view missing);

 private:
  ScriptEngine& engine_;
  HostProcess* shared_;
  std::unique_ptr<HostProcess> own_;
  std::string id_;
};

// What an operation of a script came to.
struct OperationReply {
  int number = 0;  // 0, or what the error's `number` is
  std::string body;
  std::string continuation;
};

// DocumentOperations: what a running script can do with documents.
class DocumentOperations {
 public:
  virtual ~DocumentOperations() = default;
  // `operation.field(0)` names it; docs: host/prelude/collection.js.
  virtual OperationReply operate(const Message& operation, FunctionSession& functions) = 0;
};

// ScriptEngine: runs scripts in host processes, which are started when they are needed and kept for the next script.
//
// Thread-safe; every call occupies one host and its thread until the script has ended. Errors: kInvalidInput (the text is no
// function, the script threw or used up its memory), kTimeout, kUnavailable (no host can be started).
class ScriptEngine {
 public:
  // `program`: the script host. At most `idle_max` hosts are kept.
  ScriptEngine(std::string program, ScriptLimits limits, size_t idle_max);

  Result<ScriptOutcome> run(const ScriptCall& call, DocumentOperations& operations);

  const ScriptLimits& limits() const { return limits_; }

 private:
  friend class FunctionSession;

  Result<std::unique_ptr<HostProcess>> take();
  void give_back(std::unique_ptr<HostProcess> host);
  std::string next_session();

  const std::string program_;
  const ScriptLimits limits_;
  const size_t idle_max_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<HostProcess>> idle_;  // guarded by mutex_
  uint64_t sessions_ = 0;                           // guarded by mutex_
};

// The `number` by which scripts know an error.
int error_number(ErrorCode code);

}  // namespace partita::script
