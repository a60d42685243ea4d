#include "tools/shell/terminal/interruption.h"

#include <poll.h>

#include <csignal>

namespace partita::tools {
namespace {

volatile std::sig_atomic_t is_interrupted = 0;

void note(int signal) {
  if (signal == SIGINT) is_interrupted = 1;
}

}  // namespace

void Interruption::listen() {
  struct sigaction action{};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART: whoever waits for a key is told.
  for (const int signal : {SIGINT, SIGWINCH}) ::sigaction(signal, &action, nullptr);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

bool Interruption::wait_for_input(int descriptor) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGWINCH}) sigaddset(&signals, signal);
  // One that comes between the look and the wait ends the wait.
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  pollfd input{.fd = descriptor, .events = POLLIN, .revents = 0};
  const bool is_ready = is_interrupted == 0 && ::ppoll(&input, 1, nullptr, &before) > 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return is_ready;
}

bool Interruption::is_wanted() { return is_interrupted != 0; }
void Interruption::forget() { is_interrupted = 0; }

}  // namespace partita::tools
