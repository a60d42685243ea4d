#pragma once

#include "document/path.h"
#include "document/value.h"
#include "search/language.h"
#include "search/vectors.h"
#include "spatial/shape.h"

#include <string>
#include <vector>

namespace partita::query {

// Schema: what the definition of a container says that changes what a query on it means.
struct Schema {
  struct Embedding {
    DocumentPath path;
    VectorMetric metric = VectorMetric::kCosine;
  };
  // At a path that the full text policy names.
  struct Text {
    DocumentPath path;
    Language language = Language::kEnglish;
  };
  // c.name stands for the only value of the query.
  struct ComputedProperty {
    std::string name;
    std::string query;
  };

  Space space = Space::kGlobe;
  std::vector<Embedding> embeddings;
  std::vector<Text> texts;
  Language language = Language::kEnglish;  // of other texts
  std::vector<ComputedProperty> computed_properties;

  // From the members of a container as clients write them: geospatialConfig, vectorEmbeddingPolicy, fullTextPolicy,
  // computedProperties. They have
  // been checked when the container was made; what is not understood is left out.
  static Schema of(const Value& container);
};

}  // namespace partita::query
