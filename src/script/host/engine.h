#pragma once

#include "script/host/watchdog.h"

#include <v8.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::script {

// Limits of one script. What V8 cannot keep within them ends the process, which the server notices and replaces.
inline constexpr size_t kHeapBytesMax = 128 << 20;
inline constexpr size_t kHeapGraceBytes = 64 << 20;  // to end the script in an orderly way
inline constexpr size_t kArrayBufferBytesMax = 64 << 20;
inline constexpr size_t kCompiledScriptsMax = 200;
inline constexpr size_t kCompiledBytesMax = 4 << 20;  // of their texts
// What scripts may leave behind on the heap, after a collection, for the isolate to be used again: an eighth of what one may use.
inline constexpr size_t kLeftBytesMax = kHeapBytesMax / 8;

// How the process ends when it cannot go on; the server turns these into words.
inline constexpr int kExitStuck = 2;
inline constexpr int kExitOutOfMemory = 3;
inline constexpr int kExitNoSandbox = 4;

// The functions that the prelude is given.
struct Natives {
  v8::FunctionCallback operate;
  v8::FunctionCallback accepts;
  v8::FunctionCallback abort;
};

// CappedAllocator: memory for array buffers, which V8's heap limit does not count.
class CappedAllocator final : public v8::ArrayBuffer::Allocator {
 public:
  void* Allocate(size_t bytes) override;
  void* AllocateUninitialized(size_t bytes) override;
  void Free(void* data, size_t bytes) override;

 private:
  bool take(size_t bytes);

  std::atomic<size_t> used_ = 0;
};

// Engine: one isolate at a time, with its limits; contexts come from a snapshot that has the prelude. Not thread-safe.
//
// Scripts with different contexts share an isolate's heap, caches and random numbers, none of which a script can look at. What
// one could leave there for the next to notice is kept out of its reach by the prelude (isolation.js), and ends with the isolate.
class Engine {
 public:
  // `settle` is called with every new isolate.
  Engine(const Natives& natives, std::function<void(v8::Isolate*)> settle);
  ~Engine();

  // Another isolate in place of this one. REQUIRES: nobody has handles of it, and the watchdog is not armed.
  void renew();

  v8::Isolate* isolate() { return isolate_; }
  Watchdog& watchdog() { return *watchdog_; }
  bool is_out_of_memory() const { return is_out_of_memory_; }

  // Makes the next context ready: work for the time in which nobody waits.
  void prepare();
  // A fresh context, and what the prelude returned in it.
  struct Opened {
    v8::Local<v8::Context> context;
    v8::Local<v8::Object> prelude;
  };
  Opened open();

  // The function that the text is. Empty with an exception pending when it is none.
  v8::MaybeLocal<v8::Function> function(v8::Local<v8::Context> context, std::string_view name, std::string_view source);

  v8::Local<v8::String> text(std::string_view utf8);
  // After a script that used much: collects it. True when much is still there.
  bool is_littered();

 private:
  v8::MaybeLocal<v8::UnboundScript> compile(std::string_view name, const std::string& text);
  void make_isolate();
  void drop_isolate();

  const Natives natives_;
  const std::function<void(v8::Isolate*)> settle_;
  std::vector<intptr_t> references_;
  std::unique_ptr<v8::Platform> platform_;
  v8::StartupData snapshot_{};
  CappedAllocator buffers_;
  v8::Isolate* isolate_ = nullptr;
  std::unique_ptr<Watchdog> watchdog_;
  v8::Global<v8::Context> prepared_;
  std::map<std::string, v8::Global<v8::UnboundScript>> compiled_;  // by name and wrapped text
  size_t compiled_bytes_ = 0;
  bool is_out_of_memory_ = false;
};

// The value as UTF-8; empty when it cannot be made a string.
std::string to_utf8(v8::Isolate* isolate, v8::Local<v8::Value> value);

}  // namespace partita::script
