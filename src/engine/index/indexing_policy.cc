#include "engine/index/indexing_policy.h"

#include "document/order.h"
#include "document/stored/stored_writer.h"
#include "engine/index/search_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace partita {
namespace {

constexpr std::string_view kRootPath = "/*";
constexpr size_t kPathsMax = 1000;

Status declare_path(PathTree& root, std::string_view text, bool is_included) {
  TRY_ASSIGN(const IndexPath path, IndexPath::parse(text));
  PathTree& node = root.at(path.steps);
  std::optional<bool>& declared = path.is_exact ? node.is_exact_included : node.is_subtree_included;
  if (declared.has_value() && *declared != is_included) return bad_index_path(text, "it is both included and excluded");
  if (declared.has_value()) return bad_index_path(text, "it is given twice");
  declared = is_included;
  return {};
}

bool has_path(const Value& paths, std::string_view wanted) {
  if (!paths.is_array()) return false;
  for (size_t i = 0; i < paths.size(); ++i) {
    const Value path = paths.element(i).find("path");
    if (path.is_string() && path.string() == wanted) return true;
  }
  return false;
}

// The array of {"path": ...} objects under `name`; declares each and returns how many there were.
Result<size_t> declare_paths(const Value& definition, std::string_view name, bool is_included, PathTree& root) {
  const Value paths = definition.find(name);
  if (paths.is_undefined() || paths.is_null()) return 0;
  if (!paths.is_array()) return fail(ErrorCode::kInvalidInput, fmt::format("The indexing policy's '{}' must be an array.", name));
  const size_t spelled_out = has_path(paths, system_property::kVersionPath) ? 1 : 0;  // does not count: reading back adds it
  if (paths.size() > kPathsMax + spelled_out)
    return fail(ErrorCode::kInvalidInput, fmt::format("The indexing policy's '{}' has more than {} paths.", name, kPathsMax));
  for (size_t i = 0; i < paths.size(); ++i) {
    const Value path = paths.element(i).find("path");
    if (!path.is_string()) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("Every entry of the indexing policy's '{}' needs a string 'path'.", name));
    }
    TRY(declare_path(root, path.string(), is_included));
  }
  return paths.size();
}

// The paths of an array of {"path": ...} objects, each a property of the document.
Result<std::vector<DocumentPath>> parse_document_paths(const Value& definition, std::string_view name) {
  const Value list = definition.find(name);
  std::vector<DocumentPath> paths;
  for (size_t i = 0; list.is_array() && i < list.size(); ++i) {
    const Value path = list.element(i).find("path");
    if (!path.is_string()) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("Every entry of the indexing policy's '{}' needs a string 'path'.", name));
    }
    TRY_ASSIGN(DocumentPath parsed, DocumentPath::parse(path.string()));
    paths.push_back(std::move(parsed));
  }
  return paths;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

Result<IndexingPolicy::Mode> parse_mode(const Value& mode) {
  if (mode.is_undefined() || mode.is_null()) return IndexingPolicy::Mode::kConsistent;
  const std::string text = mode.is_string() ? lower(mode.string()) : "";
  if (text == "consistent") return IndexingPolicy::Mode::kConsistent;
  if (text == "lazy") return IndexingPolicy::Mode::kLazy;
  if (text == "none") return IndexingPolicy::Mode::kNone;
  return fail(ErrorCode::kInvalidInput, "The indexing policy's 'indexingMode' must be one of consistent, lazy and none.");
}

std::string_view name_of(IndexingPolicy::Mode mode) {
  switch (mode) {
    case IndexingPolicy::Mode::kConsistent: return "consistent";
    case IndexingPolicy::Mode::kLazy: return "lazy";
    case IndexingPolicy::Mode::kNone: return "none";
  }
  return {};
}

void write_paths(StoredWriter& out, std::string_view name, const Value& given, std::string_view added) {
  out.key(name);
  out.begin_array();
  for (size_t i = 0; given.is_array() && i < given.size(); ++i) out.value(given.element(i));
  if (!added.empty()) {
    out.begin_object();
    out.key("path");
    out.string(added);
    out.end_object();
  }
  out.end_array();
}

// The definition as it is read back: what was given, with every default spelled out.
std::string spell_out(const Value& definition, IndexingPolicy::Mode mode, bool is_automatic, bool adds_root, bool adds_etag) {
  constexpr std::array<std::string_view, 4> kSpelledOut = {"indexingMode", "automatic", "includedPaths", "excludedPaths"};
  StoredWriter out;
  out.begin_object();
  out.key("indexingMode");
  out.string(name_of(mode));
  out.key("automatic");
  out.boolean(is_automatic);
  write_paths(out, "includedPaths", definition.find("includedPaths"), adds_root ? kRootPath : std::string_view());
  write_paths(out, "excludedPaths", definition.find("excludedPaths"),
              adds_etag ? system_property::kVersionPath : std::string_view());
  for (size_t i = 0; definition.is_object() && i < definition.size(); ++i) {
    const Value::Member member = definition.member(i);
    if (std::ranges::find(kSpelledOut, member.key) != kSpelledOut.end()) continue;
    out.key(member.key);
    out.value(member.value);
  }
  out.end_object();
  return out.take();
}

}  // namespace

bool IndexingPolicy::includes(std::span<const IndexPath::Step> steps) const {
  if (!steps.empty() && form_.is_never_indexed(steps[0].property)) return false;
  return paths_->includes(steps);
}

bool IndexingPolicy::is_same(const IndexingPolicy& other) const {
  return equal(definition(), other.definition()) && full_text_paths_ == other.full_text_paths_;
}

std::string IndexingPolicy::full_text_policy() const {
  StoredWriter out;
  out.begin_object();
  out.key("fullTextPaths");
  out.begin_array();
  for (const FullTextPath& text : full_text_paths_) {
    out.begin_object();
    out.key("path");
    out.string(text.path.text());
    out.key("language");
    out.string(code_of(text.language));
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take();
}

Result<IndexingPolicy> IndexingPolicy::parse(const Value& definition, const PartitionKeyDefinition& partition_key,
                                             const Value& full_text_policy, const DocumentForm& form) {
  if (!definition.is_undefined() && !definition.is_null() && !definition.is_object()) {
    return fail(ErrorCode::kInvalidInput, "The indexing policy must be an object.");
  }
  IndexingPolicy policy;
  policy.form_ = form;
  TRY_ASSIGN(policy.mode_, parse_mode(definition.find("indexingMode")));
  const Value automatic = definition.find("automatic");
  if (!automatic.is_undefined() && !automatic.is_null() && !automatic.is_bool()) {
    return fail(ErrorCode::kInvalidInput, "The indexing policy's 'automatic' must be true or false.");
  }
  policy.is_automatic_ = automatic.is_bool() ? automatic.boolean() : policy.mode_ != Mode::kNone;
  if (policy.mode_ == Mode::kNone && policy.is_automatic_) {
    return fail(ErrorCode::kInvalidInput, "An indexing policy with 'indexingMode' none must have 'automatic' false.");
  }
  auto root = std::make_shared<PathTree>();
  TRY_ASSIGN(const size_t included, declare_paths(definition, "includedPaths", true, *root));
  TRY(declare_paths(definition, "excludedPaths", false, *root));
  bool adds_root = false;
  if (!root->is_subtree_included.has_value() && policy.mode_ != Mode::kNone) {
    if (included > 0) {
      return fail(ErrorCode::kInvalidInput,
                  "The special mandatory indexing path \"/*\" is not provided in any of the path type sets. "
                  "Please provide this path in one of the sets.");
    }
    root->is_subtree_included = true;
    adds_root = true;
  }
  const bool is_etag_declared = root->at(IndexPath::parse(system_property::kVersionPath)->steps).is_exact_included.has_value();
  const bool adds_etag = policy.mode_ != Mode::kNone && !is_etag_declared && form.has_system_properties;
  if (policy.mode_ == Mode::kNone) *root = PathTree{};
  for (const DocumentPath& path : partition_key.paths) {
    root->at(ValuePath::of(path.segments).steps).is_exact_included = true;
  }
  policy.paths_ = std::move(root);
  policy.definition_ = spell_out(definition, policy.mode_, policy.is_automatic_, adds_root, adds_etag);
  TRY_ASSIGN(policy.composite_indexes_, parse_composite_indexes(definition.find("compositeIndexes")));
  TRY_ASSIGN(std::optional<SpatialPaths> spatial, SpatialPaths::parse(definition.find("spatialIndexes")));
  if (policy.mode_ == Mode::kNone) {
    policy.composite_indexes_.clear();
    return policy;
  }
  if (spatial) policy.spatial_ = std::make_shared<const SpatialPaths>(*std::move(spatial));
  TRY_ASSIGN(std::vector<DocumentPath> texts, parse_document_paths(definition, "fullTextIndexes"));
  const TextLanguages languages(full_text_policy);
  for (DocumentPath& path : texts) {
    const Language language = languages.at(path);
    policy.full_text_paths_.push_back({std::move(path), language});
  }
  TRY_ASSIGN(policy.vector_paths_, parse_document_paths(definition, "vectorIndexes"));
  return policy;
}

}  // namespace partita
