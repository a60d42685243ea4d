#include "query/schema.h"

namespace partita::query {

namespace {

Language language_or(const Value& code, Language other) {
  return code.is_string() ? language_of(code.string()).value_or(other) : other;
}

void read_texts(const Value& policy, Schema& schema) {
  schema.language = language_or(policy.find("defaultLanguage"), Language::kEnglish);
  const Value paths = policy.find("fullTextPaths");
  for (size_t i = 0; paths.is_array() && i < paths.size(); ++i) {
    const Value path = paths.element(i).find("path");
    auto parsed = path.is_string() ? DocumentPath::parse(path.string()) : DocumentPath::parse("");
    if (parsed) schema.texts.push_back({std::move(*parsed), language_or(paths.element(i).find("language"), schema.language)});
  }
}

}  // namespace

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
  read_texts(container.find("fullTextPolicy"), schema);
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
