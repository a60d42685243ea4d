#include "server/commands/commands.h"
#include "server/directory/private_files.h"

#include <csignal>

// Read by jemalloc. What is freed goes back to the system within a second, by a thread of its own, so that the memory of one kind
// of work is there for another; by default it is kept for ten seconds, and for as many more.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

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
  // These wait for signals in their own ways; Ctrl-C ends all others at once.
  const bool waits = line.command == Command::kServe || line.command == Command::kTop || line.command == Command::kShell;
  if (!waits) pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
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
    case Command::kAdvise: return run_advise(line.advise);
    case Command::kImport: return partita::tools::transfer::run_import(line.import);
    case Command::kExport: return partita::tools::transfer::run_export(line.export_);
    case Command::kCopy: return partita::tools::transfer::run_copy(line.copy);
    case Command::kBench: return run_bench(line.bench);
    case Command::kQuery: return run_query(line.shell);
    case Command::kShell: return run_shell(line.shell);
    case Command::kNothingMore: return line.exit_code;
  }
  return 1;
}
