#pragma once

#include "base/result.h"
#include "script/host_pool.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita::script {

// What one host may take from the machine, whatever its script does: what the kernel lets it have (host/sandbox.cc) and the pages
// of its program. A host that has run nothing large has about 30 MB.
inline constexpr size_t kHostMemoryBytesMax = 288 << 20;

// Of what a script leaves, in UTF-8. The host keeps to less, in characters; a script that outwits it gets an error.
inline constexpr size_t kResponseBytesMax = 12 << 20;
inline constexpr size_t kLogBytesMax = 12 << 10;

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
  std::string container_link;  // as it stays when names change, and by names; the first tells tenants apart
  std::string alt_link;
  bool is_logging = false;
  std::optional<std::chrono::milliseconds> time_left;  // less than what scripts usually have
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
  // `tenant`: whose functions they are. `watch` is asked now and then while a call waits for a host or for its answer; an error
  // ends the call with it.
  FunctionSession(ScriptEngine& engine, std::string_view tenant, HostWatch watch = {});
  ~FunctionSession();

  // `arguments`: a JSON array, null where `missing` (a JSON array of positions) says that there is nothing. The result is JSON
  // text, empty for undefined. Errors: kInvalidInput, kTimeout, kUnavailable.
  Result<std::string> call(std::string_view name, std::string_view source, std::string_view arguments, std::string_view missing);

  // Processor time that its functions have used so far; nothing in a running script, whose time that is.
  uint64_t processor_us() const;

 private:
  friend class ScriptEngine;
  FunctionSession(ScriptEngine& engine, HostProcess& shared, HostWatch watch);

  Result<HostProcess*> host();
  Result<Message> ask(const Message& question);

  ScriptEngine& engine_;
  const std::string tenant_;
  HostProcess* const shared_;
  const HostWatch watch_;
  std::optional<HostLease> own_;
  uint64_t used_before_us_ = 0;  // by own_, for others
  uint64_t used_us_ = 0;         // by hosts that died
  const std::string id_;
};

// What an operation of a script came to.
struct OperationReply {
  int number = 0;  // 0, or what the error's `number` is
  std::string body;
  std::string continuation;
};

// DocumentOperations: what a running script can do with documents, and whether it may go on.
class DocumentOperations {
 public:
  virtual ~DocumentOperations() = default;
  // `operation.field(0)` names it; docs: host/prelude/collection.js. An error ends the script with it; one that the script may
  // handle is a reply.
  virtual Result<OperationReply> operate(const Message& operation, FunctionSession& functions) = 0;
  // Told now and then while the script runs, and when it has ended: the processor time that it has used so far. An error ends the
  // script with it.
  virtual Status note_time(uint64_t /*processor_us*/) { return {}; }
  // Whether further operations will be run; asked after every one. A well-made script ends when it hears no.
  virtual bool accepts() const { return true; }
};

// ScriptEngine: runs scripts in host processes, which are started when they are needed and kept for the next script.
//
// Thread-safe; every call occupies one host and its thread until the script has ended. Nothing of a script can be noticed by the
// next one. Errors: kInvalidInput (the text is no function, the script threw or used up its memory), kTooLarge (what it leaves),
// kTimeout, kUnavailable (no host can be started, somebody ended it, or the engine has stopped).
class ScriptEngine {
 public:
  // `program`: the script host. At most `hosts_max` of them live at a time, and `idle_max` without anything to do.
  ScriptEngine(std::string program, ScriptLimits limits, size_t hosts_max, size_t idle_max = SIZE_MAX);

  Result<ScriptOutcome> run(const ScriptCall& call, DocumentOperations& operations);

  // For whoever stores a script, or finds one at the start: it will be run, and its first caller shall not wait for a host.
  void expect_scripts() { hosts_.expect_scripts(); }

  // For the server's end: ends all running scripts at once, and runs no more.
  void stop() { hosts_.stop(); }

  const ScriptLimits& limits() const { return limits_; }
  HostPool& hosts() { return hosts_; }

 private:
  friend class FunctionSession;

  // `began`: whether the script has asked for anything, so that it cannot be run again.
  Result<ScriptOutcome> run_on(HostProcess& host, const ScriptCall& call, DocumentOperations& operations, bool& began);
  std::string next_session() { return std::to_string(++sessions_); }

  const ScriptLimits limits_;
  HostPool hosts_;
  std::atomic<uint64_t> sessions_ = 0;
};

// The `number` by which scripts know an error.
int error_number(ErrorCode code);

}  // namespace partita::script
