#pragma once

#include "base/result.h"
#include "document/path.h"
#include "document/value.h"
#include "search/language.h"

namespace partita {

// What a container's definition says about vectors, full text and shapes: vectorEmbeddingPolicy, fullTextPolicy,
// geospatialConfig, and the vectorIndexes, fullTextIndexes and spatialIndexes of its indexing policy. kInvalidInput with the
// service's words for what is wrong, in one of them or between them.
Status check_search_policies(const Value& container);

// What of them may not change while a container lives: embeddings, and vector indexes of paths that have one before and after.
Status check_search_policy_change(const Value& before, const Value& after);

// Which language texts at a path have, by a fullTextPolicy that was checked before: that of the path, else its default, else
// English.
Language language_at(const Value& full_text_policy, const DocumentPath& path);

}  // namespace partita
