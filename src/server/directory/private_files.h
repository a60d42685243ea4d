#pragma once

#include <string>

namespace partita::server {

// From now on nobody but this user can read what the process writes.
void write_for_owner_only();

// Takes a file or a directory away from other users, should an earlier version or somebody's hand have let them in. Links are not
// followed. False when that cannot be done: a volume may belong to somebody else, or be read-only.
bool take_from_others(const std::string& path);

// The same with everything below. Returns the first for which it could not be done; empty: none.
std::string make_private(const std::string& path);

}  // namespace partita::server
