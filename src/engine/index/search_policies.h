#pragma once

#include "base/result.h"
#include "document/path.h"
#include "document/value.h"
#include "search/language.h"

#include <cstddef>
#include <string>
#include <unordered_map>

namespace partita {

// Of each of these lists. The checks compare every path with every other one.
inline constexpr size_t kSearchPathsMax = 1000;

// What a container's definition says about vectors, full text and shapes: vectorEmbeddingPolicy, fullTextPolicy,
// geospatialConfig, and the vectorIndexes, fullTextIndexes and spatialIndexes of its indexing policy. kInvalidInput with the
// service's words for what is wrong, in one of them or between them.
Status check_search_policies(const Value& container);

// What of them may not change while a container lives: embeddings, and vector indexes of paths that have one before and after.
Status check_search_policy_change(const Value& before, const Value& after);

// TextLanguages: which language texts at a path have, by a fullTextPolicy that was checked before: that of the path, else its
// default, else English.
class TextLanguages {
 public:
  explicit TextLanguages(const Value& full_text_policy);
  Language at(const DocumentPath& path) const;

 private:
  Language other_;
  std::unordered_map<std::string, Language> by_path_;  // by the path's text
};

}  // namespace partita
