#include "tools/transfer/progress/terminal_watch.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "document/json/terminal_text.h"

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace partita::tools::transfer {
namespace {

constexpr std::chrono::milliseconds kBarPause{200};
constexpr std::chrono::seconds kLinePause{10};
constexpr std::chrono::seconds kRateOver{5};
constexpr size_t kBarColumns = 20;
constexpr size_t kColumnsElsewhere = 150;
constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t stop_requested = 0;

void request_stop(int) { stop_requested = 1; }

size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string duration_text(double seconds) {
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 60 * kMinute;
  const int64_t whole = static_cast<int64_t>(std::min(seconds, 1e9) + 0.5);
  if (whole >= kHour) return fmt::format("{}h{:02}m", whole / kHour, whole % kHour / kMinute);
  return whole >= kMinute ? fmt::format("{}m{:02}s", whole / kMinute, whole % kMinute) : fmt::format("{}s", whole);
}

std::string bar_text(double share) {
  const size_t full = static_cast<size_t>(share * static_cast<double>(kBarColumns));
  return fmt::format("[{}{}] {:3.0f}% ", std::string(full, '='), std::string(kBarColumns - full, ' '), share * 100);
}

}  // namespace

std::string short_number(double number) {
  for (const auto& [unit, name] : {std::pair{1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}}) {
    if (number < unit) continue;
    const double share = number / unit;
    return fmt::format("{:.{}f}{}", share, share < 10 ? 2 : share < 100 ? 1 : 0, name);
  }
  return fmt::format("{:.0f}", number);
}

std::string progress_line(const Progress& progress, double rate, std::chrono::seconds elapsed, size_t columns) {
  const Tally& tally = progress.tally;
  std::string line = progress.share ? bar_text(*progress.share) : "";
  line += fmt::format("{} docs, {}/s", short_number(static_cast<double>(tally.documents())), short_number(rate));
  const double seconds = static_cast<double>(elapsed.count());
  if (progress.request_units > 0 && seconds > 0) line += fmt::format(", {} RU/s", short_number(progress.request_units / seconds));
  if (progress.throttles > 0) line += fmt::format(", {} throttles", short_number(static_cast<double>(progress.throttles)));
  if (tally.refused > 0) line += fmt::format(", {} refused", short_number(static_cast<double>(tally.refused)));
  if (progress.share && *progress.share > 0.01 && *progress.share < 1)
    line += fmt::format(", {} left", duration_text(seconds * (1 - *progress.share) / *progress.share));
  if (line.size() > columns) line.resize(columns);
  return line;
}

TerminalWatch::TerminalWatch(bool is_quiet) : is_quiet_(is_quiet), is_terminal_(::isatty(STDERR_FILENO) == 1) {
  stop_requested = 0;
  struct sigaction action{};
  action.sa_handler = request_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int number : kStopSignals) {
    ::sigaction(number, &action, nullptr);
    sigaddset(&wanted, number);
  }
  (void)::pthread_sigmask(SIG_UNBLOCK, &wanted, nullptr);
  // A reader of standard output that goes away is an error of write().
  (void)std::signal(SIGPIPE, SIG_IGN);
}

TerminalWatch::~TerminalWatch() {
  clear();
  for (const int number : kStopSignals) (void)std::signal(number, SIG_DFL);
}

bool TerminalWatch::is_stopped() const { return stop_requested != 0; }

void TerminalWatch::show(const Progress& progress) {
  const Clock::time_point now = Clock::now();
  if (is_quiet_ || now - shown_ < (is_terminal_ ? Clock::duration(kBarPause) : Clock::duration(kLinePause))) return;
  shown_ = now;
  samples_.push_back({.time = now, .documents = progress.tally.documents()});
  while (samples_.size() > 2 && now - samples_.front().time > std::max(kRateOver, kLinePause)) samples_.pop_front();
  const Sample first = samples_.size() > 1 ? samples_.front() : Sample{.time = begun_, .documents = 0};
  const double span = std::chrono::duration<double>(now - first.time).count();
  const double rate = span > 0 ? static_cast<double>(samples_.back().documents - first.documents) / span : 0;
  const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(now - begun_);
  const std::string line = progress_line(progress, rate, elapsed, is_terminal_ ? terminal_columns() - 1 : kColumnsElsewhere);
  fmt::print(stderr, "{}{}{}", is_terminal_ ? "\r\x1B[K" : "", terminal_text(line), is_terminal_ ? "" : "\n");
  has_bar_ = is_terminal_;
  std::fflush(stderr);
}

void TerminalWatch::say(std::string_view what) {
  if (is_quiet_) return;
  clear();
  fmt::print(stderr, "{}\n", terminal_lines(what));
}

void TerminalWatch::clear() {
  if (!has_bar_) return;
  fmt::print(stderr, "\r\x1B[K");
  std::fflush(stderr);
  has_bar_ = false;
}

}  // namespace partita::tools::transfer
