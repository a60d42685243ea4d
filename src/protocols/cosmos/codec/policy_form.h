#pragma once

#include "document/stored/stored_writer.h"

namespace partita::cosmos {

// An indexing policy as clients read it back. The index is always up to date, so `lazy` is shown as `consistent`, which the
// service makes of it. `names_kinds`: as clients before kModernVersion know it: every included path has an index of some kind for
// strings and one for numbers, `lazy` is a mode, and nothing is said about _etag.
void write_indexing_policy(StoredWriter& out, const Value& definition, bool names_kinds);

}  // namespace partita::cosmos
