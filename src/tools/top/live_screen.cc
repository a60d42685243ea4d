#include "tools/top/live_screen.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

namespace partita::tools {
namespace {

// A second screen beside the one with the shell's lines; no cursor; lines that are too long are cut, not wrapped.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view kLeave = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::string_view kFromTheTop = "\x1b[H";
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearRest = "\x1b[J";

constexpr char kControlC = 3;
constexpr char kControlD = 4;

void print(std::string_view text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

}  // namespace

std::string screen_frame(std::string_view text, const ScreenSize& size) {
  const auto lines = static_cast<size_t>(std::ranges::count(text, '\n'));
  const bool is_cut = lines > size.lines;
  std::string out(kFromTheTop);
  for (size_t line = 0; line < (is_cut ? size.lines - 1 : lines); ++line) {
    const size_t end = text.find('\n');
    if (line > 0) out += "\r\n";
    out += fmt::format("{}{}", text.substr(0, end), kClearLine);
    text.remove_prefix(end + 1);
  }
  if (is_cut) out += fmt::format("\r\n... {} more lines; a higher window shows them{}", lines - size.lines + 1, kClearLine);
  return out += kClearRest;
}

bool LiveScreen::is_possible() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

ScreenSize LiveScreen::size() {
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row < 2 || window.ws_col == 0) return {};
  return {.lines = window.ws_row, .columns = window.ws_col};
}

LiveScreen::LiveScreen() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&signals, each);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  tcgetattr(STDIN_FILENO, &before_);
  termios keys = before_;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  print(kEnter);
}

LiveScreen::~LiveScreen() {
  print(kLeave);
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  close(signals_);
}

void LiveScreen::show(std::string_view text) { print(screen_frame(text, size())); }

LiveScreen::Event LiveScreen::wait(std::chrono::milliseconds time) {
  std::array<pollfd, 2> watched = {pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = signals_, .events = POLLIN, .revents = 0}};
  if (poll(watched.data(), watched.size(), static_cast<int>(time.count())) <= 0) return Event::kTimeout;
  signalfd_siginfo signal{};
  if (read(signals_, &signal, sizeof signal) == sizeof signal) {
    return signal.ssi_signo == SIGWINCH ? Event::kResized : Event::kQuit;
  }
  char key = 0;
  if (read(STDIN_FILENO, &key, 1) != 1) return Event::kQuit;  // the terminal is gone
  return key == 'q' || key == 'Q' || key == kControlC || key == kControlD ? Event::kQuit : Event::kResized;
}

}  // namespace partita::tools
