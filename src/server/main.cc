#include "server/commands.h"
#include "server/private_files.h"

#include <csignal>

int main(int argc, char** argv) {
  using namespace partita::server;
  // Before any thread starts, so that all inherit it: run_serve waits for these, nobody else gets them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  write_for_owner_only();

  const CommandLine line = parse_command_line(argc, argv);
  switch (line.command) {
    case Command::kServe: return run_serve(line.serve);
    case Command::kCheck: return run_check(line.check);
    case Command::kSplit:
    case Command::kMerge:
    case Command::kMigrate: return run_reshape(line.command, line.reshape);
    case Command::kTop: return run_top(line.top);
    case Command::kExplain: return run_explain(line.explain);
    case Command::kSimulate: return run_simulate(line.simulate);
    case Command::kPlanSplit: return run_plan_split(line.plan_split);
    case Command::kNothingMore: return line.exit_code;
  }
  return 1;
}
