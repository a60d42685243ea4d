#pragma once

namespace partita::script {

// Bounds what the process can take from the machine, whatever the engine believes. No core files.
void limit_resources();

// The engine prints a report when a script uses up its memory; nobody wants it.
void silence_errors();

// From here on the kernel refuses everything but memory, time and talking over sockets that are open already: no files, no new
// sockets, no processes. False when it cannot do that.
bool leave_the_system();

}  // namespace partita::script
