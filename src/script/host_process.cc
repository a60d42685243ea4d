#include "script/host_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace partita::script {
namespace {

// As host/engine.h says.
constexpr int kExitStuck = 2;
constexpr int kExitOutOfMemory = 3;
constexpr int kExitNoSandbox = 4;

// A host that is not ready until then has no use.
constexpr std::chrono::seconds kStartMax{10};
// A host whose socket is closed ends at once; one that does not is killed.
constexpr int kBurialMilliseconds = 1'000;

// Whether the process ends within a moment. It is not waited for.
bool ends_soon(pid_t process) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return false;
  struct pollfd ended = {handle, POLLIN, 0};
  int ready = 0;
  do ready = ::poll(&ended, 1, kBurialMilliseconds);
  while (ready < 0 && errno == EINTR);
  ::close(handle);
  return ready > 0;
}

HostDeath death_by(int status) {
  if (WIFEXITED(status)) {
    switch (WEXITSTATUS(status)) {
      case 0: return HostDeath::kEnded;
      case kExitStuck: return HostDeath::kStuck;
      case kExitOutOfMemory: return HostDeath::kOutOfMemory;
      case kExitNoSandbox: return HostDeath::kNoSandbox;
      default: return HostDeath::kCrashed;
    }
  }
  // Signals that the engine's defects raise; all others come from somebody else.
  switch (WTERMSIG(status)) {
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGSEGV:
    case SIGSYS:
    case SIGTRAP: return HostDeath::kCrashed;
    default: return HostDeath::kEnded;
  }
}

uint64_t microseconds(const struct timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
}

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
    return fail(ErrorCode::kUnavailable, fmt::format("The script host cannot be started: {}", std::strerror(error)));
  }
  std::unique_ptr<HostProcess> host(new HostProcess(process, sockets[0]));
  const Result<Message> ready = host->receive(std::chrono::steady_clock::now() + kStartMax, {});
  if (ready && ready->type == MessageType::kReady) return host;
  host->end();
  if (host->death() == HostDeath::kNoSandbox) return std::unexpected(host->describe_death());
  return fail(ErrorCode::kUnavailable, fmt::format("The script host does not start (wait status {}).", host->wait_status_));
}

HostProcess::~HostProcess() { end(); }

void HostProcess::end() {
  if (is_alive()) bury(true);
}

void HostProcess::cancel() {
  std::lock_guard lock(burial_);
  if (death_ == HostDeath::kNone) ::kill(process_, SIGKILL);
}

Error HostProcess::bury(bool is_late) {
  if (!is_alive()) return describe_death();
  // Before its socket is closed: a host that is writing would notice that first, and seem to have died by itself.
  if (is_late) ::kill(process_, SIGKILL);
  ::close(socket_);
  socket_ = -1;
  const bool is_killed = is_late || !ends_soon(process_);
  std::lock_guard lock(burial_);
  if (is_killed) ::kill(process_, SIGKILL);
  struct rusage usage = {};
  while (::wait4(process_, &wait_status_, 0, &usage) < 0 && errno == EINTR) {
  }
  used_us_ = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
  const bool died_of_it = WIFSIGNALED(wait_status_) && WTERMSIG(wait_status_) == SIGKILL;
  death_ = is_killed && died_of_it ? HostDeath::kStuck : death_by(wait_status_);
  return describe_death();
}

Error HostProcess::describe_death() const {
  switch (death_) {
    case HostDeath::kNone:
    case HostDeath::kEnded:
      return {ErrorCode::kUnavailable,
              fmt::format("The script host was ended by somebody else (wait status {}), not by the script. Try again.",
                          wait_status_)};
    case HostDeath::kOutOfMemory: return {ErrorCode::kInvalidInput, "The script used more memory than it may."};
    case HostDeath::kStuck:
      return {ErrorCode::kTimeout, "The script took longer than it may, and did not stop when it was told to."};
    case HostDeath::kNoSandbox:
      return {ErrorCode::kUnavailable, "Scripts cannot run: the kernel refuses to shut the script host in (seccomp)."};
    case HostDeath::kCrashed: break;
  }
  return {ErrorCode::kInvalidInput,
          fmt::format(
              "The script host died while it ran the script (wait status {}). The script may have used more memory than it may.",
              wait_status_)};
}

bool HostProcess::is_ready() const {
  if (!is_alive()) return false;
  char byte = 0;
  const ssize_t got = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

Status HostProcess::wait(short events, TimePoint deadline, const HostWatch& watch) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::unexpected(bury(true));
    struct pollfd socket = {socket_, events, 0};
    const int ready = ::poll(&socket, 1, static_cast<int>(std::min(left, kWatchInterval).count()));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return std::unexpected(bury(true));
    if (Status goes_on = watch ? watch() : Status(); !goes_on) {
      end();
      return goes_on;
    }
  }
}

Status HostProcess::send(const Message& message, TimePoint deadline, const HostWatch& watch) {
  if (!is_alive()) return std::unexpected(describe_death());
  Status sent = send_message(socket_, message, [&](short events) { return wait(events, deadline, watch); });
  if (sent || !is_alive() || sent.error().code == ErrorCode::kTooLarge) return sent;
  return std::unexpected(bury(false));
}

Result<Message> HostProcess::receive(TimePoint deadline, const HostWatch& watch) {
  if (!is_alive()) return std::unexpected(describe_death());
  Result<Message> message = receive_message(socket_, [&](short events) { return wait(events, deadline, watch); });
  if (message || !is_alive()) return message;
  return std::unexpected(bury(false));
}

uint64_t HostProcess::processor_us() const {
  if (!is_alive()) return used_us_;
  clockid_t clock = 0;
  timespec used = {};
  if (::clock_getcpuclockid(process_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000 + static_cast<uint64_t>(used.tv_nsec) / 1'000;
}

}  // namespace partita::script
