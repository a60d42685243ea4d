#include "tools/shell/terminal/terminal_console.h"

#include "tools/shell/terminal/interruption.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace partita::tools {
namespace {

constexpr size_t kEditedBytesMax = 4 << 20;

std::string editor_command() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (const char* editor = std::getenv(name); editor != nullptr && *editor != '\0') return editor;
  }
  return "vi";
}

// Whether it said that all is well. The editor's words are the user's own, so a shell reads them.
bool run_editor(const std::string& path) {
  const std::string command = fmt::format("{} \"$1\"", editor_command());
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    ::unsetenv("PARTITA_KEY");
    ::execl("/bin/sh", "sh", "-c", command.c_str(), "sh", path.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void TerminalConsole::print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void TerminalConsole::remark(std::string_view text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

RowStyle TerminalConsole::style() const {
  if (::isatty(STDOUT_FILENO) == 0) return {};
  winsize size{};
  constexpr size_t kColumnsUsual = 80;
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return {.is_terminal = true, .columns_max = is_known ? size.ws_col : kColumnsUsual};
}

bool TerminalConsole::wants_more() {
  remark("-- Enter for more, q to stop --");
  char key = 0;
  bool is_wanted = true;
  // The line is read to its end; it counts by its first character.
  for (size_t i = 0; key != '\n'; ++i) {
    if (::read(STDIN_FILENO, &key, 1) != 1) return remark("\n"), false;
    if (i == 0) is_wanted = key != 'q' && key != 'Q';
  }
  return is_wanted;
}

bool TerminalConsole::is_interrupted() const { return Interruption::is_wanted(); }

bool TerminalConsole::wait(std::chrono::milliseconds time) {
  // A signal ends it.
  if (!is_interrupted()) ::poll(nullptr, 0, static_cast<int>(time.count()));
  return !is_interrupted();
}

Result<EditedText> TerminalConsole::edit(const std::string& text) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/partita-XXXXXX.json", folder == nullptr || *folder == '\0' ? "/tmp" : folder);
  const int file = ::mkstemps(path.data(), static_cast<int>(std::strlen(".json")));  // for its owner only
  if (file < 0) return fail(ErrorCode::kUnavailable, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  const bool is_written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  if (!is_written || !run_editor(path)) {
    ::unlink(path.c_str());
    return fail(ErrorCode::kUnavailable, fmt::format("the editor '{}' did not end well; nothing was written", editor_command()));
  }
  std::ifstream in(path, std::ios::binary);
  std::stringstream edited;
  edited << in.rdbuf();
  if (!in || edited.view().size() > kEditedBytesMax) {
    return fail(ErrorCode::kTooLarge, fmt::format("{} cannot be read, or is larger than a document may be", path));
  }
  return EditedText{edited.str(), path};
}

}  // namespace partita::tools
