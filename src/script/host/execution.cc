#include "script/host/execution.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace partita::script {
namespace {

std::chrono::milliseconds milliseconds(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::chrono::milliseconds(value);
}

Message failed(std::string_view kind, std::string_view number, std::string text) {
  return {MessageType::kFailed, {std::string(kind), std::string(number), std::move(text)}};
}

// Without the frames of the prelude, which mean nothing to a script's author.
std::string own_frames(std::string_view stack) {
  std::string own;
  while (!stack.empty()) {
    const std::string_view line = stack.substr(0, stack.find('\n'));
    if (line.find("prelude.js:") == std::string_view::npos) own += (own.empty() ? "" : "\n") + std::string(line);
    stack.remove_prefix(std::min(stack.size(), line.size() + 1));
  }
  return own;
}

v8::Local<v8::Value> member(v8::Local<v8::Context> context, v8::Local<v8::Object> object, v8::Local<v8::String> name) {
  v8::Local<v8::Value> value;
  if (!object->Get(context, name).ToLocal(&value)) return v8::Undefined(context->GetIsolate());
  return value;
}

}  // namespace

Executions::Executions(int socket)
    : socket_(socket), engine_({operate, accepts, abort}, [this](v8::Isolate* isolate) {
        isolate->SetData(0, this);
        isolate->SetPromiseRejectCallback(note_rejection);
      }) {
  engine_.prepare();
}

int Executions::serve() {
  if (!send_message(socket_, {MessageType::kReady, {}})) return 0;
  while (true) {
    const Result<Message> request = receive_message(socket_);
    if (!request) return 0;
    Message answer;
    switch (request->type) {
      case MessageType::kRun: answer = run(*request); break;
      case MessageType::kEvaluate: answer = evaluate(*request); break;
      case MessageType::kForget: break;
      default: return 1;
    }
    if (request->type != MessageType::kForget && !send_message(socket_, answer)) {
      if (!send_message(socket_, failed("error", "413", "The script's result is too large."))) return 0;
    }
    if (engine_.is_out_of_memory()) return kExitOutOfMemory;
    // Now nobody waits. Functions of a query keep what they have until its end.
    if (request->type != MessageType::kEvaluate) {
      forget_functions();
      if (engine_.is_littered()) start_over();
    }
    engine_.prepare();
  }
}

void Executions::admit(std::string_view tenant) {
  if (tenant_ == tenant) return;
  if (!tenant_.empty()) start_over();
  tenant_ = tenant;
}

void Executions::forget_functions() {
  functions_.clear();
  session_.clear();
}

void Executions::start_over() {
  forget_functions();
  aborted_with_.Reset();
  rejections_.clear();
  engine_.renew();
  tenant_.clear();
}

Executions& Executions::of(const v8::FunctionCallbackInfo<v8::Value>& call) {
  return *static_cast<Executions*>(call.GetIsolate()->GetData(0));
}

void Executions::accepts(const v8::FunctionCallbackInfo<v8::Value>& call) {
  call.GetReturnValue().Set(Watchdog::Clock::now() < of(call).refuses_at_);
}

// Ends the script in a way that it cannot catch.
void Executions::abort(const v8::FunctionCallbackInfo<v8::Value>& call) {
  Executions& self = of(call);
  self.aborted_with_.Reset(call.GetIsolate(), call[0]);
  call.GetIsolate()->TerminateExecution();
}

// Asks the server; while it works, it may need functions of this host.
void Executions::operate(const v8::FunctionCallbackInfo<v8::Value>& call) {
  Executions& self = of(call);
  v8::Isolate* isolate = call.GetIsolate();
  const auto answer = [&](const std::array<std::string_view, 3>& texts) {
    v8::Local<v8::Context> context = isolate->GetCurrentContext();
    v8::Local<v8::Array> fields = v8::Array::New(isolate, 3);
    for (uint32_t i = 0; i < 3; ++i) {
      if (fields->Set(context, i, self.engine_.text(texts[i])).IsNothing()) return;
    }
    call.GetReturnValue().Set(fields);
  };
  // A script that has tampered with arrays may send anything.
  if (static_cast<size_t>(call.Length()) > kMessageFieldsMax) return answer({"400", "The operation has too many fields.", ""});
  Message operation{MessageType::kOperation, {}};
  for (int i = 0; i < call.Length(); ++i) operation.fields.push_back(to_utf8(isolate, call[i]));
  if (isolate->IsExecutionTerminating()) return;
  Status sent = send_message(self.socket_, operation);
  if (!sent && sent.error().code == ErrorCode::kTooLarge) return answer({"413", "The document is too large.", ""});
  while (sent) {
    const Result<Message> reply = receive_message(self.socket_);
    if (!reply) break;
    if (reply->type == MessageType::kReply) {
      if (reply->field(3) != "1") self.refuses_at_ = TimePoint::min();
      return answer({reply->field(0), reply->field(1), reply->field(2)});
    }
    if (reply->type != MessageType::kEvaluate) break;
    sent = send_message(self.socket_, self.evaluate(*reply));
  }
  self.is_server_gone_ = true;
  isolate->TerminateExecution();
}

void Executions::note_rejection(v8::PromiseRejectMessage message) {
  v8::Isolate* isolate = v8::Isolate::GetCurrent();
  auto& rejections = static_cast<Executions*>(isolate->GetData(0))->rejections_;
  if (message.GetEvent() == v8::kPromiseRejectWithNoHandler) {
    rejections.emplace_back(v8::Global<v8::Promise>(isolate, message.GetPromise()),
                            v8::Global<v8::Value>(isolate, message.GetValue()));
  } else if (message.GetEvent() == v8::kPromiseHandlerAddedAfterReject) {
    std::erase_if(rejections, [&](const auto& rejection) { return rejection.first == message.GetPromise(); });
  }
}

bool Executions::has_unhandled_rejection() {
  if (rejections_.empty()) return false;
  engine_.isolate()->ThrowException(rejections_.front().second.Get(engine_.isolate()));
  return true;
}

void Executions::drop_promised() {
  engine_.isolate()->TerminateExecution();
  engine_.isolate()->PerformMicrotaskCheckpoint();
  engine_.isolate()->CancelTerminateExecution();
  rejections_.clear();
}

// The script's function, then its operations one by one, each with its callback and what promises make of it.
bool Executions::run_to_end(v8::Local<v8::Context> context, v8::Local<v8::Object> prelude, v8::Local<v8::Function> main) {
  v8::Isolate* isolate = engine_.isolate();
  v8::Local<v8::Function> run = member(context, prelude, engine_.text("run")).As<v8::Function>();
  v8::Local<v8::Function> step = member(context, prelude, engine_.text("step")).As<v8::Function>();
  v8::Local<v8::Value> argument = main;
  if (run->Call(context, prelude, 1, &argument).IsEmpty()) return false;
  while (true) {
    isolate->PerformMicrotaskCheckpoint();
    if (isolate->IsExecutionTerminating()) return false;
    v8::Local<v8::Value> had_work;
    if (!step->Call(context, prelude, 0, nullptr).ToLocal(&had_work)) return false;
    if (had_work->IsFalse()) return !has_unhandled_rejection();
  }
}

Message Executions::run(const Message& request) {
  forget_functions();
  admit(request.field(7));
  const TimePoint begun = Watchdog::Clock::now();
  v8::Isolate* isolate = engine_.isolate();
  v8::Isolate::Scope in_isolate(isolate);
  v8::HandleScope handles(isolate);
  const Engine::Opened opened = engine_.open();
  v8::Local<v8::Context> context = opened.context;
  v8::Context::Scope entered(context);
  v8::TryCatch caught(isolate);
  refuses_at_ = begun + milliseconds(request.field(10));
  aborted_with_.Reset();
  rejections_.clear();
  is_running_ = true;
  engine_.watchdog().arm(begun + milliseconds(request.field(11)));

  const auto text = [&](size_t field) -> v8::Local<v8::Value> {
    if (request.field(field).empty()) return v8::Undefined(isolate);
    return engine_.text(request.field(field));
  };
  std::array<v8::Local<v8::Value>, 8> given = {text(0), text(3), text(4), text(5),
                                               text(6), text(7), text(8), v8::Boolean::New(isolate, request.field(9) == "1")};
  v8::Local<v8::Function> start = member(context, opened.prelude, engine_.text("start")).As<v8::Function>();
  v8::Local<v8::Function> main;
  v8::Local<v8::Value> results;
  Message answer{MessageType::kDone, {}};
  bool is_done = !start->Call(context, opened.prelude, static_cast<int>(given.size()), given.data()).IsEmpty() &&
                 engine_.function(context, request.field(1), request.field(2)).ToLocal(&main) &&
                 run_to_end(context, opened.prelude, main);
  if (is_done) {
    v8::Local<v8::Function> finish = member(context, opened.prelude, engine_.text("finish")).As<v8::Function>();
    is_done = finish->Call(context, opened.prelude, 0, nullptr).ToLocal(&results);
  }
  for (uint32_t i = 0; is_done && i < 3; ++i) {
    v8::Local<v8::Value> result;
    is_done = results.As<v8::Array>()->Get(context, i).ToLocal(&result);
    if (is_done) answer.fields.push_back(result->IsUndefined() ? std::string() : to_utf8(isolate, result));
  }
  if (!is_done) answer = failure(caught, main.IsEmpty() ? "compile" : "error");
  engine_.watchdog().disarm();
  drop_promised();
  is_running_ = false;
  return answer;
}

// What the exception says, without trusting it: it may be anything a script can throw.
Message Executions::failure(v8::TryCatch& caught, std::string_view kind) {
  v8::Isolate* isolate = engine_.isolate();
  if (engine_.is_out_of_memory()) return failed("memory", "", "The script used more memory than it may.");
  if (engine_.watchdog().has_expired()) return failed("time", "", "The script took longer than it may.");
  if (is_server_gone_) return failed("gone", "", "");
  v8::Local<v8::Value> exception = caught.Exception();
  if (isolate->IsExecutionTerminating()) isolate->CancelTerminateExecution();
  if (!aborted_with_.IsEmpty()) exception = aborted_with_.Get(isolate);
  caught.Reset();
  std::string number;
  std::string stack;
  std::string text = exception.IsEmpty() ? "unknown" : to_utf8(isolate, exception);
  if (!exception.IsEmpty() && exception->IsObject()) {
    v8::Local<v8::Context> context = isolate->GetCurrentContext();
    v8::Local<v8::Value> own_number = member(context, exception.As<v8::Object>(), engine_.text("number"));
    if (own_number->IsInt32()) number = to_utf8(isolate, own_number);
    v8::Local<v8::Value> own_stack = member(context, exception.As<v8::Object>(), engine_.text("stack"));
    if (own_stack->IsString()) stack = own_frames(to_utf8(isolate, own_stack));
  }
  if (engine_.watchdog().has_expired()) return failed("time", "", "The script took longer than it may.");
  constexpr size_t kTextBytesMax = 16 << 10;
  text = text.substr(0, kTextBytesMax);
  if (!stack.empty()) text += "\r\nStack trace: " + stack.substr(0, kTextBytesMax);
  return failed(kind, number, std::move(text));
}

Result<Executions::Function*> Executions::find_function(const Message& request) {
  if (session_ != request.field(5)) {
    functions_.clear();
    session_ = request.field(5);
  }
  const std::string name(request.field(0));
  if (const auto known = functions_.find(name); known != functions_.end()) return &known->second;
  v8::Isolate* isolate = engine_.isolate();
  const Engine::Opened opened = engine_.open();
  v8::Context::Scope entered(opened.context);
  v8::Local<v8::Function> function;
  if (!engine_.function(opened.context, request.field(0), request.field(1)).ToLocal(&function)) {
    return fail(ErrorCode::kInvalidInput, "");
  }
  Function& added = functions_[name];
  added.context.Reset(isolate, opened.context);
  added.prelude.Reset(isolate, opened.prelude);
  added.function.Reset(isolate, function);
  return &added;
}

Message Executions::evaluate(const Message& request) {
  // Within a script, the functions are those of its container.
  if (!is_running_) admit(request.field(6));
  v8::Isolate* isolate = engine_.isolate();
  v8::Isolate::Scope in_isolate(isolate);
  v8::HandleScope handles(isolate);
  v8::TryCatch caught(isolate);
  // Within a script, the script's own time counts.
  if (!is_running_) engine_.watchdog().arm(Watchdog::Clock::now() + milliseconds(request.field(4)));
  Message answer{MessageType::kDone, {""}};
  v8::Local<v8::Value> result;
  const Result<Function*> found = find_function(request);
  v8::Local<v8::Context> context = found ? (*found)->context.Get(isolate) : v8::Context::New(isolate);
  v8::Context::Scope entered(context);
  if (found) {
    v8::Local<v8::Object> prelude = (*found)->prelude.Get(isolate);
    v8::Local<v8::Function> call = member(context, prelude, engine_.text("evaluate")).As<v8::Function>();
    v8::Local<v8::Value> arguments[] = {(*found)->function.Get(isolate), engine_.text(request.field(2)),
                                        engine_.text(request.field(3))};
    if (call->Call(context, prelude, 3, arguments).ToLocal(&result)) {
      if (!result->IsUndefined()) answer.fields[0] = to_utf8(isolate, result);
    }
  }
  if (result.IsEmpty()) answer = failure(caught, found ? "error" : "compile");
  if (!is_running_) {
    engine_.watchdog().disarm();
    drop_promised();
  }
  return answer;
}

}  // namespace partita::script
