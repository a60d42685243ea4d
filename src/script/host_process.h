#pragma once

#include "base/result.h"
#include "script/message.h"

#include <chrono>
#include <memory>
#include <string>

#include <sys/types.h>

namespace partita::script {

// HostProcess: one running script host. Used by one thread at a time.
//
// A host that dies (a script used up its memory, or an engine's defect) makes every later call fail; its owner throws it away.
class HostProcess {
 public:
  // kUnavailable when the program cannot be started.
  static Result<std::unique_ptr<HostProcess>> start(const std::string& program);
  ~HostProcess();
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  Status send(const Message& message);
  // Waits no longer than until `deadline`; a host that says nothing until then is killed. Errors: kInvalidInput when the host
  // died of what the script did, kTimeout when it did not end.
  Result<Message> receive(std::chrono::steady_clock::time_point deadline);

  bool is_alive() const { return socket_ >= 0; }

 private:
  HostProcess(pid_t process, int socket) : process_(process), socket_(socket) {}

  // Ends it and says what it died of.
  Error bury(bool is_late);

  pid_t process_;
  int socket_;  // -1 once the host is gone
};

}  // namespace partita::script
