#pragma once

#include "base/result.h"
#include "engine/check/consistency.h"
#include "engine/slice.h"

namespace partita {

// The part of check_consistency() that is about attachments: each belongs to a document, decodes and is found by its id, media
// belong to an attachment, and heads count what there is. Adds their bytes to what the report has counted.
Status check_attachments(const Slice& slice, const Snapshot& at, ConsistencyReport& report);

}  // namespace partita
