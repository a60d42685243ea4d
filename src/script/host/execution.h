#pragma once

#include "script/host/engine.h"
#include "script/message.h"

#include <chrono>
#include <map>
#include <string>

namespace partita::script {

// Executions: what a host does for the server, one request after the other; within a script, also functions that its queries use.
class Executions {
 public:
  explicit Executions(int socket);

  // Answers requests until the server is gone. Returns the exit status of the process.
  int serve();

 private:
  using TimePoint = Watchdog::Clock::time_point;

  // A user defined function that was called in the current session.
  struct Function {
    v8::Global<v8::Context> context;
    v8::Global<v8::Object> prelude;
    v8::Global<v8::Function> function;
  };

  // Forgets everything of the last tenant before something of another one runs.
  void admit(std::string_view tenant);
  // The functions of the last query.
  void forget_functions();
  // A fresh isolate.
  void start_over();

  Message run(const Message& request);
  Message evaluate(const Message& request);

  bool run_to_end(v8::Local<v8::Context> context, v8::Local<v8::Object> prelude, v8::Local<v8::Function> main);
  bool has_unhandled_rejection();
  // What a script or function has promised ends with it: nothing of it runs in the time of the next one.
  void drop_promised();
  Result<Function*> find_function(const Message& request);
  // `kind`: "error", or "compile" when the text is no function.
  Message failure(v8::TryCatch& caught, std::string_view kind);

  static Executions& of(const v8::FunctionCallbackInfo<v8::Value>& call);
  static void operate(const v8::FunctionCallbackInfo<v8::Value>& call);
  static void accepts(const v8::FunctionCallbackInfo<v8::Value>& call);
  static void abort(const v8::FunctionCallbackInfo<v8::Value>& call);
  static void note_rejection(v8::PromiseRejectMessage message);

  const int socket_;
  Engine engine_;
  TimePoint refuses_at_;  // operations of the running script
  bool is_running_ = false;
  bool is_server_gone_ = false;
  v8::Global<v8::Value> aborted_with_;
  std::vector<std::pair<v8::Global<v8::Promise>, v8::Global<v8::Value>>> rejections_;  // not handled so far
  std::string tenant_;  // whose scripts the isolate has run; empty: none
  std::string session_;
  std::map<std::string, Function> functions_;  // of session_, by name
};

}  // namespace partita::script
