#include "query/schema.h"

namespace partita::query {

Schema Schema::of(const Value& container) {
  Schema schema;
  const Value space = container.find("geospatialConfig").find("type");
  if (space.is_string() && space.string() == "Geometry") schema.space = Space::kPlane;
  const Value embeddings = container.find("vectorEmbeddingPolicy").find("vectorEmbeddings");
  for (size_t i = 0; embeddings.is_array() && i < embeddings.size(); ++i) {
    const Value path = embeddings.element(i).find("path");
    const Value function = embeddings.element(i).find("distanceFunction");
    if (!path.is_string() || !function.is_string()) continue;
    auto parsed = DocumentPath::parse(path.string());
    const auto metric = vector_metric_of(function.string());
    if (parsed && metric) schema.embeddings.push_back({std::move(*parsed), *metric});
  }
  const Value computed = container.find("computedProperties");
  for (size_t i = 0; computed.is_array() && i < computed.size(); ++i) {
    const Value name = computed.element(i).find("name");
    const Value query = computed.element(i).find("query");
    if (!name.is_string() || !query.is_string()) continue;
    schema.computed_properties.push_back({std::string(name.string()), std::string(query.string())});
  }
  return schema;
}

}  // namespace partita::query
