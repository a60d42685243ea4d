#pragma once

#include "tools/transfer/progress/transfer_watch.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

namespace partita::tools::transfer {

// One line about a transfer, of at most so many columns. `rate` is documents a second, lately.
std::string progress_line(const Progress& progress, double rate, std::chrono::seconds elapsed, size_t columns);
// 1234567 as "1.23M", 999 as "999".
std::string short_number(double number);

// TerminalWatch: shows progress on standard error, as a bar on a terminal and as a line now and then elsewhere, and stops the
// transfer upon SIGINT, SIGTERM and SIGHUP; the second of them ends the program as always. One at a time.
class TerminalWatch : public TransferWatch {
 public:
  explicit TerminalWatch(bool is_quiet);
  ~TerminalWatch() override;
  TerminalWatch(const TerminalWatch&) = delete;
  TerminalWatch& operator=(const TerminalWatch&) = delete;

  void show(const Progress& progress) override;
  bool is_stopped() const override;
  // What is done now, when it is no longer documents.
  void say(std::string_view what);
  // Removes the bar.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  struct Sample {
    Clock::time_point time;
    uint64_t documents;
  };

  bool is_quiet_;
  bool is_terminal_;
  bool has_bar_ = false;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point shown_ = begun_;
  std::deque<Sample> samples_;
};

}  // namespace partita::tools::transfer
