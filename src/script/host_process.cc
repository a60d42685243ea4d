#include "script/host_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace partita::script {
namespace {

// As host/engine.h says.
constexpr int kExitStuck = 2;
constexpr int kExitOutOfMemory = 3;
constexpr int kExitNoSandbox = 4;

}  // namespace

Result<std::unique_ptr<HostProcess>> HostProcess::start(const std::string& program) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return fail(ErrorCode::kUnavailable, fmt::format("No script host can be started: {}", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, sockets[1], STDIN_FILENO);
  // Signals that mean the server, from its terminal, do not mean the host: it ends with its socket.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  std::string name = "partita-script";
  char* arguments[] = {name.data(), nullptr};
  char* environment[] = {nullptr};
  pid_t process = 0;
  const int error = ::posix_spawn(&process, program.c_str(), &actions, &attributes, arguments, environment);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(sockets[1]);
  if (error != 0) {
    ::close(sockets[0]);
    return fail(ErrorCode::kUnavailable, fmt::format("The script host {} cannot be started: {}", program, std::strerror(error)));
  }
  return std::unique_ptr<HostProcess>(new HostProcess(process, sockets[0]));
}

HostProcess::~HostProcess() {
  if (is_alive()) bury(true);
}

Error HostProcess::bury(bool is_late) {
  ::close(socket_);
  socket_ = -1;
  if (is_late) ::kill(process_, SIGKILL);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  if (is_late || (WIFEXITED(status) && WEXITSTATUS(status) == kExitStuck)) {
    return {ErrorCode::kTimeout, "The script took longer than it may, and did not stop when it was told to."};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitOutOfMemory) {
    return {ErrorCode::kInvalidInput, "The script used more memory than it may."};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitNoSandbox) {
    return {ErrorCode::kUnavailable, "Scripts cannot run: the kernel refuses to shut the script host in (seccomp)."};
  }
  return {ErrorCode::kInvalidInput,
          fmt::format(
              "The script host died while it ran the script (wait status {}). The script may have used more memory than it may.",
              status)};
}

Status HostProcess::send(const Message& message) {
  Status sent = send_message(socket_, message);
  if (sent || sent.error().code == ErrorCode::kTooLarge) return sent;
  return std::unexpected(bury(false));
}

Result<Message> HostProcess::receive(std::chrono::steady_clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    struct pollfd readable = {socket_, POLLIN, 0};
    const int ready = ::poll(&readable, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::unexpected(bury(true));
    break;
  }
  Result<Message> message = receive_message(socket_);
  if (!message) return std::unexpected(bury(false));
  return message;
}

}  // namespace partita::script
