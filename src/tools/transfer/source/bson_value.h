#pragma once

#include "base/result.h"
#include "document/stored/stored_writer.h"

#include <string_view>

namespace partita::tools::transfer {

// Writes a BSON document as JSON has it. What becomes of types that JSON does not have is told in docs/transfer.md. `_id` becomes
// `id`, as text, unless the document has an `id` of its own. kInvalidInput says what is wrong; the writer must be cleared then.
Status write_bson_document(std::string_view bson, StoredWriter& out);

}  // namespace partita::tools::transfer
