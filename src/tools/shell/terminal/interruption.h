#pragma once

namespace partita::tools {

// Interruption: Ctrl-C, for the whole process: what is under way ends, the program does not.
class Interruption {
 public:
  // From now on. Before any thread starts that should not be disturbed.
  static void listen();
  static bool is_wanted();
  // Until something can be read. False: a signal came, now or since the program last waited, and nothing was missed.
  static bool wait_for_input(int descriptor);
  static void forget();
};

}  // namespace partita::tools
