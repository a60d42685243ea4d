#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "document/path.h"
#include "query/plan/scalar.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::query {

// Of the text that defines a level, and of a value that it computes.
inline constexpr size_t kSyntheticTextBytesMax = 1'024;
inline constexpr size_t kSyntheticValueBytesMax = 2'048;

// SyntheticLevel: a path of a partition key whose value the server computes from other properties of the document, its sources.
//
// Immutable and thread-safe. A source that is an array or an object counts as missing, and -0.0 is 0: so documents whose sources
// are equal, as a filter compares them, have equal values.
class SyntheticLevel {
 public:
  using Known = std::optional<PartitionKeyComponent>;

  // From the computed property's name and query. kInvalidInput names the rule that the query breaks: one expression with a
  // bounded cost over scalar properties of the document, none of them in `forbidden`, and at most one RANDOM_BUCKET, alone or as
  // ToString(RANDOM_BUCKET(n)) in a concatenation.
  static Result<SyntheticLevel> parse(std::string_view name, std::string_view text, const std::set<std::string_view>& forbidden);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  const std::vector<DocumentPath>& sources() const { return sources_; }
  // Of RANDOM_BUCKET; nothing when the sources alone decide.
  std::optional<uint32_t> random_buckets() const;

  // What the sources of a document are, in their order.
  std::vector<PartitionKeyComponent> sources_in(const Value& document) const;
  // REQUIRES: a bucket if there is a RANDOM_BUCKET. kInvalidInput when the value is too long.
  Result<PartitionKeyComponent> value(std::span<const PartitionKeyComponent> sources, std::optional<uint32_t> bucket) const;
  // Whether some bucket gives this value.
  Result<bool> can_give(std::span<const PartitionKeyComponent> sources, const PartitionKeyComponent& value) const;

  // All values of documents with these sources, as far as they are known. Nothing: any value, or more than `values_max`.
  std::optional<std::vector<PartitionKeyComponent>> candidates(std::span<const Known> known, size_t values_max) const;

 private:
  // The expression over slots: the sources, and behind them the bucket, if one stands for a call.
  struct Expression {
    Scalar scalar;
    std::optional<uint32_t> buckets;
    bool may_lack_bucket = false;   // it stands for HASH_BUCKET of something that may be missing
    std::vector<bool> uses_source;  // by source
  };
  // Values that differ in the bucket only.
  struct Pattern {
    std::string before;
    std::string after;
    bool is_number = false;  // the bucket itself
  };
  class Compiler;

  static Result<PartitionKeyComponent> evaluate_with(const Expression& expression, std::span<const PartitionKeyComponent> sources,
                                                     std::optional<uint32_t> bucket);
  static Result<std::optional<Pattern>> pattern_of(const Expression& expression, std::span<const PartitionKeyComponent> sources);

  std::string name_;
  std::string text_;
  std::vector<DocumentPath> sources_;
  Expression exact_;
  std::optional<Expression> spread_;  // a bucket stands for the only HASH_BUCKET
};

}  // namespace partita::query
