#include "engine/index/search_policies.h"

#include "document/order.h"
#include "document/path.h"
#include "engine/index/index_path.h"
#include "search/vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace partita {
namespace {

constexpr int64_t kDimensionsMax = 4096;
constexpr int64_t kFlatDimensionsMax = 505;
constexpr int64_t kQuantizationBytesMax = 512;
constexpr int64_t kSearchListMin = 25;
constexpr int64_t kSearchListMax = 500;
constexpr size_t kShardPathsMax = 1;
constexpr std::array<std::string_view, 4> kDataTypes = {"float32", "float16", "int8", "uint8"};
constexpr std::array<std::string_view, 3> kVectorIndexTypes = {"flat", "quantizedFlat", "diskANN"};
constexpr std::array<std::string_view, 4> kShapeTypes = {"Point", "LineString", "Polygon", "MultiPolygon"};
constexpr std::array<std::string_view, 4> kBoxSides = {"xmin", "ymin", "xmax", "ymax"};

template <typename... Arguments>
std::unexpected<Error> refuse(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  return fail(ErrorCode::kInvalidInput, fmt::format(format, std::forward<Arguments>(arguments)...));
}

std::unexpected<Error> malformed(std::string_view what) {
  return refuse("One of the specified inputs is invalid: {} is malformed.", what);
}

bool is_absent(const Value& value) { return value.is_undefined() || value.is_null(); }

std::string_view text_of(const Value& value) { return value.is_string() ? value.string() : std::string_view(); }

template <size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& names, const Value& value) {
  return value.is_string() && std::ranges::find(names, value.string()) != names.end();
}

// The entry of a list of objects that has this path; undefined if there is none.
Value entry_at(const Value& list, std::string_view path) {
  for (size_t i = 0; list.is_array() && i < list.size(); ++i) {
    if (text_of(list.element(i).find("path")) == path) return list.element(i);
  }
  return {};
}

// Calls `check` with each entry of a list of objects that have a path each, all different.
template <typename Check>
Status check_entries(const Value& list, std::string_view name, std::string_view policy, Check check) {
  if (is_absent(list)) return {};
  if (!list.is_array()) return malformed(name);
  if (list.size() > kSearchPathsMax) return refuse("The {} has {} paths; there can be {}.", policy, list.size(), kSearchPathsMax);
  for (size_t i = 0; i < list.size(); ++i) {
    const Value path = list.element(i).find("path");
    if (!path.is_string()) return malformed(name);
    if (!DocumentPath::parse(path.string())) return refuse("The {} contains an invalid Path: {}.", policy, path.string());
    const bool is_first = entry_at(list, path.string()).bytes().data() == list.element(i).bytes().data();
    if (!is_first) return refuse("Duplicate Path :{} found in {}.", path.string(), policy);
    TRY(check(list.element(i), path.string()));
  }
  return {};
}

Status check_embedding(const Value& embedding) {
  const Value type = embedding.find("dataType");
  if (!is_one_of(kDataTypes, type)) return refuse("The Vector Embedding Policy has an invalid DataType:{}", text_of(type));
  const Value function = embedding.find("distanceFunction");
  if (!vector_metric_of(text_of(function))) {
    return refuse("The Vector Embedding Policy has an invalid DistanceFunction:{}", text_of(function));
  }
  const Value dimensions = embedding.find("dimensions");
  const std::optional<int64_t> count = dimensions.is_number() ? dimensions.integer() : std::nullopt;
  if (!count) return malformed("the dimensions of a vector embedding");
  if (*count < 1) {
    return refuse("The Vector Embedding Policy has Dimensions:{} which is less than the minimum supported value: 1.", *count);
  }
  if (*count > kDimensionsMax) {
    return refuse("The Vector Embedding Policy has Dimensions:{} which is more than the maximum supported value: {}.", *count,
                  kDimensionsMax);
  }
  return {};
}

Status check_parameter(const Value& index, std::string_view member, std::string_view name, int64_t min, int64_t max) {
  const Value value = index.find(member);
  if (is_absent(value)) return {};
  const std::optional<int64_t> number = value.is_number() ? value.integer() : std::nullopt;
  if (!number) return malformed(member);
  if (*number >= min && *number <= max) return {};
  return refuse("The Vector Indexing Policy parameter {} value :: {} is out of range. The allowed range is between {} and {}.",
                name, *number, min, max);
}

Status check_shard_key(const Value& paths) {
  if (is_absent(paths)) return {};
  if (!paths.is_array()) return malformed("vectorIndexShardKey");
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!DocumentPath::parse(text_of(paths.element(i)))) {
      return refuse("The Vector Indexing Policy has an invalid Shard Path: {}.", text_of(paths.element(i)));
    }
  }
  if (paths.size() > kShardPathsMax) {
    return refuse("The number of shard paths defined in the Vector Indexing Policy: {} exceeds the maximum: {}.", paths.size(),
                  kShardPathsMax);
  }
  return {};
}

Status check_vector_index(const Value& index, std::string_view path, const Value& embeddings) {
  const Value embedding = entry_at(embeddings, path);
  if (embedding.is_undefined()) return refuse("The Vector Indexing Policy's path::{} not matching in Embedding's path.", path);
  const Value type = index.find("type");
  if (!is_one_of(kVectorIndexTypes, type)) {
    return refuse(
        "The Vector Indexing Policy's Index Type::{} is invalid. Valid index types are 'flat', 'quantizedFlat' or 'diskANN'.",
        text_of(type));
  }
  const int64_t dimensions = embedding.find("dimensions").integer().value_or(0);
  if (type.string() == "flat" && dimensions > kFlatDimensionsMax) {
    return refuse(
        "The Vector Indexing Policy's path::{} has Dimensions:{} which is more than the maximum supported value: {} for Index "
        "Type::flat.",
        path, dimensions, kFlatDimensionsMax);
  }
  TRY(check_parameter(index, "quantizationByteSize", "QuantizationByteSize", 1, std::min(dimensions, kQuantizationBytesMax)));
  TRY(check_parameter(index, "indexingSearchListSize", "IndexingSearchListSize", kSearchListMin, kSearchListMax));
  return check_shard_key(index.find("vectorIndexShardKey"));
}

Status check_language(const Value& language) {
  if (is_absent(language) || language_of(text_of(language))) return {};
  return refuse("The Full Text Policy contains an unsupported language {}. Supported languages are: {}.", text_of(language),
                language_codes());
}

Status check_full_text(const Value& policy, const Value& indexes) {
  if (!is_absent(policy) && !policy.is_object()) return malformed("fullTextPolicy");
  TRY(check_language(policy.find("defaultLanguage")));
  const Value paths = policy.find("fullTextPaths");
  TRY(check_entries(paths, "fullTextPaths", "Full Text Policy",
                    [](const Value& entry, std::string_view) { return check_language(entry.find("language")); }));
  return check_entries(indexes, "fullTextIndexes", "Full Text Indexing Policy",
                       [&](const Value&, std::string_view path) -> Status {
                         if (!entry_at(paths, path).is_undefined()) return {};
                         return refuse("The Full Text Indexing Policy's path::{} not matching in Full Text Policy's path.", path);
                       });
}

Status check_bounding_box(const Value& box, bool is_plane) {
  if (!is_plane) {
    if (is_absent(box)) return {};
    return refuse(
        "A spatial index has a 'boundingBox' only in containers of type Geometry; this one's geospatialConfig is Geography.");
  }
  for (const std::string_view side : kBoxSides) {
    if (!box.find(side).is_number())
      return refuse("A spatial index needs a 'boundingBox' with the number '{}' for Geometry.", side);
  }
  const bool has_extent =
      box.find("xmin").number() < box.find("xmax").number() && box.find("ymin").number() < box.find("ymax").number();
  if (has_extent) return {};
  return refuse("The 'boundingBox' of a spatial index must have xmin below xmax and ymin below ymax.");
}

Status check_spatial(const Value& config, const Value& indexes) {
  const Value type = config.find("type");
  const bool is_plane = text_of(type) == "Geometry";
  if (!is_absent(config) && !is_plane && text_of(type) != "Geography") return malformed("geospatialConfig");
  if (is_absent(indexes)) return {};
  if (!indexes.is_array()) return malformed("spatialIndexes");
  for (size_t i = 0; i < indexes.size(); ++i) {
    const Value path = indexes.element(i).find("path");
    if (!path.is_string()) return malformed("spatialIndexes");
    TRY(IndexPath::parse(path.string()));
    const Value types = indexes.element(i).find("types");
    if (!is_absent(types) && !types.is_array()) return malformed("spatialIndexes");
    for (size_t j = 0; types.is_array() && j < types.size(); ++j) {
      if (!is_one_of(kShapeTypes, types.element(j))) return malformed("the types of a spatial index");
    }
    TRY(check_bounding_box(indexes.element(i).find("boundingBox"), is_plane));
  }
  return {};
}

// Entries of `before` must be in `after` as they are; those that are gone only if that is allowed.
Status check_same(const Value& before, const Value& after, bool may_vanish, std::string_view policy) {
  for (size_t i = 0; before.is_array() && i < before.size(); ++i) {
    const Value entry = before.element(i);
    const Value now = entry_at(after, text_of(entry.find("path")));
    if (now.is_undefined() ? may_vanish : compare(entry, now) == 0) continue;
    return refuse("Paths in existing {} policy cannot be modified in Collection Replace.", policy);
  }
  return {};
}

}  // namespace

Status check_search_policies(const Value& container) {
  const Value policy = container.find("vectorEmbeddingPolicy");
  if (!is_absent(policy) && !policy.is_object()) return malformed("vectorEmbeddingPolicy");
  const Value embeddings = policy.find("vectorEmbeddings");
  const Value indexing = container.find("indexingPolicy");
  TRY(check_entries(embeddings, "vectorEmbeddings", "Vector Embedding Policy",
                    [](const Value& embedding, std::string_view) { return check_embedding(embedding); }));
  TRY(check_entries(indexing.find("vectorIndexes"), "vectorIndexes", "Vector Indexing Policy",
                    [&](const Value& index, std::string_view path) { return check_vector_index(index, path, embeddings); }));
  TRY(check_full_text(container.find("fullTextPolicy"), indexing.find("fullTextIndexes")));
  return check_spatial(container.find("geospatialConfig"), indexing.find("spatialIndexes"));
}

TextLanguages::TextLanguages(const Value& full_text_policy)
    : other_(language_of(text_of(full_text_policy.find("defaultLanguage"))).value_or(Language::kEnglish)) {
  const Value paths = full_text_policy.find("fullTextPaths");
  for (size_t i = 0; paths.is_array() && i < paths.size(); ++i) {
    const Value language = paths.element(i).find("language");
    const auto path = DocumentPath::parse(text_of(paths.element(i).find("path")));
    if (path && language.is_string()) by_path_[path->text()] = language_of(language.string()).value_or(Language::kEnglish);
  }
}

Language TextLanguages::at(const DocumentPath& path) const {
  const auto found = by_path_.find(path.text());
  return found == by_path_.end() ? other_ : found->second;
}

Status check_search_policy_change(const Value& before, const Value& after) {
  TRY(check_same(before.find("vectorEmbeddingPolicy").find("vectorEmbeddings"),
                 after.find("vectorEmbeddingPolicy").find("vectorEmbeddings"), false, "embedding"));
  return check_same(before.find("indexingPolicy").find("vectorIndexes"), after.find("indexingPolicy").find("vectorIndexes"), true,
                    "vector indexing");
}

}  // namespace partita
