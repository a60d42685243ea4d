#include "tools/bench/run/view.h"

#include "tools/bench/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <thread>

namespace partita::tools::bench {
namespace {

// Whether SIGINT or SIGTERM comes within this time.
bool wait_for_signal(std::chrono::milliseconds time) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  const std::timespec limit{.tv_sec = time.count() / 1000, .tv_nsec = time.count() % 1000 * 1'000'000};
  return ::sigtimedwait(&signals, nullptr, &limit) > 0;
}

}  // namespace

View::View(bool out_is_taken) : out_is_taken_(out_is_taken) {
  if (!out_is_taken && LiveScreen::is_possible()) screen_.emplace();
}

void View::say(std::string_view sentence) {
  if (screen_) {
    screen_->show(fmt::format("{}\n", sentence));
    return;
  }
  fmt::print(out_is_taken_ ? stderr : stdout, "{}\n", sentence);
  std::fflush(stdout);
}

void View::show(const Report& report, std::string_view phase) {
  if (screen_) {
    screen_->show(live_text(report, phase));
    return;
  }
  if (report.timeline.empty() || report.timeline.back().at_seconds == shown_until_) return;
  shown_until_ = report.timeline.back().at_seconds;
  fmt::print(out_is_taken_ ? stderr : stdout, "{}", progress_line(report.timeline.back()));
  std::fflush(stdout);
}

bool View::wait(std::chrono::milliseconds time) {
  if (is_interrupted_) return true;
  is_interrupted_ = screen_ ? screen_->wait(time) == LiveScreen::Event::kQuit : wait_for_signal(time);
  return is_interrupted_;
}

}  // namespace partita::tools::bench
