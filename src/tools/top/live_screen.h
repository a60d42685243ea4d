#pragma once

#include <termios.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace partita::tools {

struct ScreenSize {
  size_t lines = 24;
  size_t columns = 80;
};

// The text as it fits: the first lines, and instead of those that do not, a last one that says so. It stands at the top of the
// screen, over what was shown before.
std::string screen_frame(std::string_view text, const ScreenSize& size);

// LiveScreen: the terminal while it shows something that changes; afterwards it is as it was. Not thread-safe; one at a time.
// REQUIRES: standard input and output are a terminal; SIGINT and SIGTERM are blocked.
class LiveScreen {
 public:
  enum class Event { kTimeout, kResized, kQuit };

  LiveScreen();
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  static bool is_possible();
  static ScreenSize size();
  void show(std::string_view text);
  // Until somebody presses q, Ctrl-C or Ctrl-D or sends a signal, changes the window, or the time is over.
  Event wait(std::chrono::milliseconds time);

 private:
  termios before_{};
  int signals_ = -1;  // a file to read them from
};

}  // namespace partita::tools
