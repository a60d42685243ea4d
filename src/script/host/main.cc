// partita-script: runs scripts for a Partita server, which starts it with a socket as standard input.
//
// A process of its own, because an engine that runs out of memory ends the process it is in.
#include "script/host/execution.h"
#include "script/host/sandbox.h"

int main() {
  constexpr int kSocket = 0;
  partita::script::limit_resources();
  partita::script::Executions executions(kSocket);
  partita::script::silence_errors();
  if (!partita::script::leave_the_system()) return partita::script::kExitNoSandbox;
  return executions.serve();
}
