#pragma once

#include "base/result.h"
#include "server/directory/data_directory.h"

#include <functional>

namespace partita::server {

// Brings what is in the directory to the present format, one format after the other.
//
// FORMAT is the journal. Before a step it says "partita 3 from 2", so that a version that knows only format 2 refuses the
// directory from then on; after it, "partita 3". A step that was interrupted is begun again, so every step must bear to find its
// own work half done. `between` is called before and after each change on disk; tests end the process there.
Status upgrade(DataDirectory& directory, const std::function<void()>& between = [] {});

}  // namespace partita::server
