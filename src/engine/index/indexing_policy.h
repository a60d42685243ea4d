#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "document/value.h"
#include "engine/index/composite_index.h"
#include "engine/index/index_path.h"
#include "engine/index/path_tree.h"
#include "engine/index/spatial_paths.h"
#include "engine/item/document_form.h"
#include "search/language.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// IndexingPolicy: which paths of a container's documents are indexed. Immutable once parsed, so freely shared.
//
// The partition key's own paths are always indexed, whatever the policy says.
class IndexingPolicy {
 public:
  enum class Mode { kConsistent, kLazy, kNone };

  // Where documents have texts whose words are indexed.
  struct FullTextPath {
    DocumentPath path;
    Language language = Language::kEnglish;

    bool operator==(const FullTextPath&) const = default;
  };

  // From the definition as clients write it; undefined or null gives the default, which indexes every path. Errors name the path
  // and the rule it breaks. The container's full text policy, checked before, says which languages texts have.
  static Result<IndexingPolicy> parse(const Value& definition, const PartitionKeyDefinition& partition_key,
                                      const Value& full_text_policy = {}, const DocumentForm& form = {});

  // The whole definition in stored form with defaults filled in, as clients read it back.
  Value definition() const { return Value::view(definition_); }
  // Whether documents have the same terms with both, and clients read the same back.
  bool is_same(const IndexingPolicy& other) const;
  Mode mode() const { return mode_; }
  bool is_automatic() const { return is_automatic_; }
  const PathTree& paths() const { return *paths_; }
  // Whether the value at this path, if a document has one, has a term in the index.
  bool includes(std::span<const IndexPath::Step> steps) const;
  // Of the documents: which properties are never indexed, and in which order values are.
  const DocumentForm& form() const { return form_; }
  // None with mode none.
  const std::vector<CompositeIndex>& composite_indexes() const { return composite_indexes_; }
  // Null when no shapes are indexed by their cells.
  const SpatialPaths* spatial() const { return spatial_.get(); }
  // None with mode none.
  const std::vector<FullTextPath>& full_text_paths() const { return full_text_paths_; }
  // Where documents have vectors that are kept in the index. None with mode none.
  const std::vector<DocumentPath>& vector_paths() const { return vector_paths_; }
  // With which parse() gives this policy again, together with definition(): languages of texts that are indexed.
  std::string full_text_policy() const;

 private:
  DocumentForm form_;
  Mode mode_ = Mode::kConsistent;
  bool is_automatic_ = true;
  std::shared_ptr<const PathTree> paths_;
  std::shared_ptr<const SpatialPaths> spatial_;
  std::vector<FullTextPath> full_text_paths_;
  std::vector<DocumentPath> vector_paths_;
  std::vector<CompositeIndex> composite_indexes_;
  std::string definition_;
};

}  // namespace partita
