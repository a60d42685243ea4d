#pragma once

#include "query/synthetic/synthetic_level.h"

namespace partita::query {

// Compiler: turns the query of a computed property into an expression over its sources.
class SyntheticLevel::Compiler {
 public:
  Compiler(std::string_view name, std::string_view text, const std::set<std::string_view>& forbidden)
      : name_(name), text_(text), forbidden_(forbidden) {}

  // With `spreads_hash` a bucket stands for the only HASH_BUCKET; without, it stands for RANDOM_BUCKET.
  Result<Expression> compile(bool spreads_hash);
  std::vector<DocumentPath> take_sources() { return std::move(sources_); }
  // Where HASH_BUCKET can be replaced: it is the only bucket, and where one may be.
  bool can_spread_hash() const { return hash_calls_ == 1 && hash_in_place_ && !has_random_; }

 private:
  // Where an expression stands: what a bucket there does to the whole value.
  enum class Place : uint8_t { kWhole, kPartOfText, kShownAsText, kElsewhere };

  std::unexpected<Error> refuse(std::string_view why) const;
  Status rewrite(Scalar& scalar, Place place);
  Status rewrite_operands(Scalar& scalar, Place place);
  Status rewrite_call(Scalar& scalar, Place place);
  Status rewrite_bucket(Scalar& scalar, Place place);
  Status rewrite_source(Scalar& scalar);

  std::string_view name_;
  std::string_view text_;
  const std::set<std::string_view>& forbidden_;
  uint32_t document_slot_ = 0;
  bool spreads_hash_ = false;
  bool has_random_ = false;
  bool hash_in_place_ = false;
  size_t hash_calls_ = 0;
  std::vector<DocumentPath> sources_;
  Expression expression_;
  std::vector<Scalar*> buckets_;
};

}  // namespace partita::query
