#pragma once

#include "base/result.h"
#include "script/message.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <sys/types.h>

namespace partita::script {

// What became of a host.
enum class HostDeath {
  kNone,         // it lives
  kEnded,        // somebody ended it from outside, or it ended by itself: no script is to blame
  kOutOfMemory,  // of what a script did
  kStuck,        // a script did not end when it was told to
  kNoSandbox,    // the kernel refuses to shut it in
  kCrashed,      // a defect of the engine, most likely because memory ran out where it cannot say so
};

// Asked now and then while somebody waits for a host; an error ends the wait, and the host.
using HostWatch = std::function<Status()>;

// HostProcess: one running script host. Used by one thread at a time, except for cancel().
//
// A host that dies makes every later call fail; its owner throws it away.
class HostProcess {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // How often a watch is asked.
  static constexpr std::chrono::milliseconds kWatchInterval{25};

  // Waits until the host is ready. kUnavailable when the program cannot be started.
  static Result<std::unique_ptr<HostProcess>> start(const std::string& program);
  ~HostProcess();
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  // Whether it waits for something to do: it has not died, and not said anything that nobody has asked for.
  bool is_ready() const;
  // Both wait no longer than until `deadline`, also in the middle of a message; a host that has not listened, or spoken, until
  // then is killed. Errors: the watch's, kInvalidInput when the host died of what the script did, kTimeout when it did not end,
  // kUnavailable when somebody else ended it. kTooLarge when the message cannot be sent; then nothing has happened.
  Status send(const Message& message, TimePoint deadline, const HostWatch& watch);
  Result<Message> receive(TimePoint deadline, const HostWatch& watch);
  // The host must not be used any more.
  void end();

  // From any thread: ends it as if from outside. Whoever waits for it gets an error.
  void cancel();

  bool is_alive() const { return socket_ >= 0; }
  HostDeath death() const { return death_; }
  pid_t process() const { return process_; }
  // Processor time that it has used since it was started; also after its death.
  uint64_t processor_us() const;

 private:
  HostProcess(pid_t process, int socket) : process_(process), socket_(socket) {}

  // Until the socket is ready; else it has ended the host.
  Status wait(short events, TimePoint deadline, const HostWatch& watch);
  // Ends it, if it does not end by itself, and says what it died of.
  Error bury(bool is_late);
  Error describe_death() const;

  const pid_t process_;
  std::mutex burial_;  // the process is waited for under it, so that cancel() never means another one
  int socket_;         // -1 once the host is gone
  HostDeath death_ = HostDeath::kNone;
  int wait_status_ = 0;
  uint64_t used_us_ = 0;  // known after its death
};

}  // namespace partita::script
