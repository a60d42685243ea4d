#include "script/host/engine.h"

#include <libplatform/libplatform.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace partita::script {
namespace {

constexpr char kPrelude[] =
#include <script_prelude.inc>  // made from host/prelude/*.js
    ;
constexpr char kPreludeName[] = "__prelude";

// One thread only, so that memory runs out on the thread that can say so; no code from strings; no WebAssembly, nothing to share
// with other threads. What makes contexts cheap: the garbage of many is collected at once instead of in steps, which cost every
// allocation something; strings keep the hashes of the snapshot, since whoever makes them collide only slows himself down; and
// what only asm.js needs is not put into each of them, which took half of the time.
constexpr char kFlags[] =
    "--single-threaded --no-expose-wasm --no-validate-asm --no-harmony-sharedarraybuffer --no-harmony-atomics "
    "--disallow-code-generation-from-strings --stack-size=900 --no-incremental-marking --min-semi-space-size=16 "
    "--no-rehash-snapshot";

// For the random numbers of each isolate. The engine's own source is a file, which the process may not open.
bool fill_randomly(unsigned char* out, size_t bytes) { return ::getentropy(out, bytes) == 0; }

[[noreturn]] void end_out_of_memory() { ::_exit(kExitOutOfMemory); }

v8::Local<v8::String> literal(v8::Isolate* isolate, std::string_view text) {
  return v8::String::NewFromUtf8(isolate, text.data(), v8::NewStringType::kNormal, static_cast<int>(text.size()))
      .ToLocalChecked();
}

v8::Local<v8::Object> make_host(v8::Local<v8::Context> context, const Natives& natives) {
  v8::Isolate* isolate = context->GetIsolate();
  v8::Local<v8::Object> host = v8::Object::New(isolate);
  const auto add = [&](const char* name, v8::FunctionCallback callback) {
    v8::Local<v8::Function> function = v8::FunctionTemplate::New(isolate, callback)->GetFunction(context).ToLocalChecked();
    host->Set(context, literal(isolate, name), function).Check();
  };
  add("operate", natives.operate);
  add("accepts", natives.accepts);
  add("abort", natives.abort);
  return host;
}

// Runs the prelude once; contexts that start from the result have it already.
v8::StartupData make_snapshot(const Natives& natives, const intptr_t* references) {
  v8::SnapshotCreator creator(references);
  v8::Isolate* isolate = creator.GetIsolate();
  {
    v8::HandleScope handles(isolate);
    v8::Local<v8::Context> context = v8::Context::New(isolate);
    v8::Context::Scope entered(context);
    v8::ScriptOrigin origin(isolate, literal(isolate, "prelude.js"));
    v8::Local<v8::Script> script = v8::Script::Compile(context, literal(isolate, kPrelude), &origin).ToLocalChecked();
    v8::Local<v8::Function> prelude = script->Run(context).ToLocalChecked().As<v8::Function>();
    v8::Local<v8::Value> host = make_host(context, natives);
    v8::Local<v8::Value> result = prelude->Call(context, v8::Undefined(isolate), 1, &host).ToLocalChecked();
    context->Global()->Set(context, literal(isolate, kPreludeName), result).Check();
    creator.SetDefaultContext(context);
  }
  return creator.CreateBlob(v8::SnapshotCreator::FunctionCodeHandling::kKeep);
}

// Near the limit: the script is ended, with some more memory to do so.
size_t near_heap_limit(void* data, size_t current, size_t /*initial*/) {
  bool& is_out_of_memory = *static_cast<bool*>(data);
  if (is_out_of_memory) return current;
  is_out_of_memory = true;
  v8::Isolate::GetCurrent()->TerminateExecution();
  return current + kHeapGraceBytes;
}

// The name behind the first "function", for texts that hold several.
std::string first_function_name(std::string_view source) {
  constexpr std::string_view kWord = "function";
  const size_t at = source.find(kWord);
  if (at == std::string_view::npos) return {};
  const size_t begin = source.find_first_not_of(" \t\r\n*", at + kWord.size());
  if (begin == std::string_view::npos) return {};
  const size_t end = source.find_first_of(" \t\r\n(", begin);
  return std::string(source.substr(begin, end - begin));
}

// How a text may be a function, likeliest first: an expression or declaration, the method of a class, several declarations.
std::vector<std::string> spellings(std::string_view source) {
  const size_t end = source.find_last_not_of(" \t\r\n;");
  const std::string body(source.substr(0, end == std::string_view::npos ? 0 : end + 1));
  std::vector<std::string> all = {"(" + body + "\n)", "Object.values({" + body + "\n})[0]"};
  if (const std::string name = first_function_name(body); !name.empty())
    all.push_back("(function () {" + body + "\nreturn " + name + ";})()");
  return all;
}

}  // namespace

bool CappedAllocator::take(size_t bytes) {
  if (used_.fetch_add(bytes) + bytes <= kArrayBufferBytesMax) return true;
  used_.fetch_sub(bytes);
  return false;
}

void* CappedAllocator::Allocate(size_t bytes) {
  if (!take(bytes)) return nullptr;
  return std::calloc(bytes, 1);
}

void* CappedAllocator::AllocateUninitialized(size_t bytes) {
  if (!take(bytes)) return nullptr;
  return std::malloc(bytes);
}

void CappedAllocator::Free(void* data, size_t bytes) {
  std::free(data);
  used_.fetch_sub(bytes);
}

std::string to_utf8(v8::Isolate* isolate, v8::Local<v8::Value> value) {
  v8::String::Utf8Value text(isolate, value);
  return *text == nullptr ? std::string() : std::string(*text, static_cast<size_t>(text.length()));
}

Engine::Engine(const Natives& natives, std::function<void(v8::Isolate*)> settle)
    : natives_(natives),
      settle_(std::move(settle)),
      references_{reinterpret_cast<intptr_t>(natives.operate), reinterpret_cast<intptr_t>(natives.accepts),
                  reinterpret_cast<intptr_t>(natives.abort), 0},
      platform_(v8::platform::NewSingleThreadedDefaultPlatform()) {
  v8::V8::SetFlagsFromString(kFlags);
  v8::V8::SetEntropySource(fill_randomly);
  v8::V8::InitializePlatform(platform_.get());
  v8::V8::Initialize();
  snapshot_ = make_snapshot(natives_, references_.data());
  make_isolate();
  watchdog_ = std::make_unique<Watchdog>([this] { isolate_->TerminateExecution(); }, [] { ::_exit(kExitStuck); });
}

Engine::~Engine() {
  watchdog_.reset();
  drop_isolate();
  v8::V8::Dispose();
  v8::V8::DisposePlatform();
  delete[] snapshot_.data;
}

void Engine::make_isolate() {
  v8::Isolate::CreateParams params;
  params.snapshot_blob = &snapshot_;
  params.external_references = references_.data();
  params.array_buffer_allocator = &buffers_;
  params.constraints.ConfigureDefaultsFromHeapSize(0, kHeapBytesMax);
  isolate_ = v8::Isolate::New(params);
  isolate_->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
  isolate_->SetCaptureStackTraceForUncaughtExceptions(false);
  isolate_->AddNearHeapLimitCallback(near_heap_limit, &is_out_of_memory_);
  isolate_->SetOOMErrorHandler([](const char*, bool) { end_out_of_memory(); });
  isolate_->SetFatalErrorHandler([](const char*, const char*) { end_out_of_memory(); });
  settle_(isolate_);
}

void Engine::drop_isolate() {
  compiled_.clear();
  compiled_bytes_ = 0;
  prepared_.Reset();
  isolate_->Dispose();
}

void Engine::renew() {
  drop_isolate();
  make_isolate();
}

void Engine::prepare() {
  if (!prepared_.IsEmpty()) return;
  v8::Isolate::Scope in_isolate(isolate_);
  v8::HandleScope handles(isolate_);
  prepared_.Reset(isolate_, v8::Context::New(isolate_));
}

Engine::Opened Engine::open() {
  prepare();
  v8::Local<v8::Context> context = prepared_.Get(isolate_);
  prepared_.Reset();
  context->AllowCodeGenerationFromStrings(false);
  v8::Context::Scope entered(context);
  v8::Local<v8::String> name = literal(isolate_, kPreludeName);
  v8::Local<v8::Object> prelude = context->Global()->Get(context, name).ToLocalChecked().As<v8::Object>();
  context->Global()->Delete(context, name).Check();
  return {context, prelude};
}

v8::Local<v8::String> Engine::text(std::string_view utf8) { return literal(isolate_, utf8); }

v8::MaybeLocal<v8::UnboundScript> Engine::compile(std::string_view name, const std::string& source) {
  std::string key = std::string(name) + '\0' + source;
  if (const auto known = compiled_.find(key); known != compiled_.end()) return known->second.Get(isolate_);
  v8::ScriptOrigin origin(isolate_, text(std::string(name) + ".js"));
  v8::ScriptCompiler::Source compiled(text(source), origin);
  v8::Local<v8::UnboundScript> script;
  if (!v8::ScriptCompiler::CompileUnboundScript(isolate_, &compiled).ToLocal(&script)) return {};
  if (compiled_.size() >= kCompiledScriptsMax || compiled_bytes_ + key.size() > kCompiledBytesMax) {
    compiled_.clear();
    compiled_bytes_ = 0;
  }
  compiled_bytes_ += key.size();
  compiled_[std::move(key)].Reset(isolate_, script);
  return script;
}

v8::MaybeLocal<v8::Function> Engine::function(v8::Local<v8::Context> context, std::string_view name, std::string_view source) {
  v8::Local<v8::Value> first_exception;
  for (const std::string& spelling : spellings(source)) {
    v8::TryCatch attempt(isolate_);
    v8::Local<v8::UnboundScript> script;
    v8::Local<v8::Value> value;
    if (compile(name, spelling).ToLocal(&script)) {
      if (!script->BindToCurrentContext()->Run(context).ToLocal(&value)) {
        attempt.ReThrow();
        return {};
      }
      if (value->IsFunction()) return value.As<v8::Function>();
    } else if (first_exception.IsEmpty()) {
      first_exception = attempt.Exception();
    }
  }
  if (first_exception.IsEmpty()) first_exception = v8::Exception::SyntaxError(text("The script must be one function."));
  isolate_->ThrowException(first_exception);
  return {};
}

bool Engine::is_littered() {
  const auto used = [this] {
    v8::HeapStatistics heap;
    isolate_->GetHeapStatistics(&heap);
    return heap.used_heap_size() + heap.external_memory();
  };
  // Less may be garbage, and most of it is: collecting it after every script costs more than it is worth.
  constexpr size_t kMuch = 2 * kLeftBytesMax;
  if (used() <= kMuch) return false;
  isolate_->LowMemoryNotification();
  return used() > kLeftBytesMax;
}

}  // namespace partita::script
