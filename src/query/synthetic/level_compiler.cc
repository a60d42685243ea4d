#include "query/synthetic/level_compiler.h"

#include "query/function/buckets.h"
#include "query/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::query {
namespace {

// Functions of scalars that give scalars, and cost time and memory in proportion to their arguments.
constexpr auto kAllowed = std::to_array<std::string_view>({"CONCAT",
                                                           "TOSTRING",
                                                           "LEFT",
                                                           "RIGHT",
                                                           "SUBSTRING",
                                                           "LOWER",
                                                           "UPPER",
                                                           "TRIM",
                                                           "LTRIM",
                                                           "RTRIM",
                                                           "REPLACE",
                                                           "REVERSE",
                                                           "LENGTH",
                                                           "INDEX_OF",
                                                           "STARTSWITH",
                                                           "ENDSWITH",
                                                           "CONTAINS",
                                                           "STRINGEQUALS",
                                                           "ABS",
                                                           "CEILING",
                                                           "FLOOR",
                                                           "ROUND",
                                                           "TRUNC",
                                                           "NUMBERBIN",
                                                           "SIGN",
                                                           "INTADD",
                                                           "INTSUB",
                                                           "INTMUL",
                                                           "INTDIV",
                                                           "INTMOD",
                                                           "IS_NULL",
                                                           "IS_BOOL",
                                                           "IS_NUMBER",
                                                           "IS_STRING",
                                                           "IS_DEFINED",
                                                           "IS_PRIMITIVE",
                                                           "DAY",
                                                           "MONTH",
                                                           "YEAR",
                                                           "DATETIMEPART",
                                                           "DATETIMEBIN",
                                                           "DATETIMETOTICKS",
                                                           "TICKSTODATETIME",
                                                           "DATETIMETOTIMESTAMP",
                                                           "TIMESTAMPTODATETIME",
                                                           "STRINGTONUMBER"});

bool is_bucket(const Scalar& scalar) {
  if (scalar.kind != ScalarKind::kCall) return false;
  return scalar.function->name == kRandomBucket || scalar.function->name == kHashBucket;
}

bool is_concatenation(const Scalar& scalar) {
  if (scalar.kind == ScalarKind::kBinary) return scalar.operation == Operation::kConcatenate;
  return scalar.kind == ScalarKind::kCall && scalar.function->name == "CONCAT";
}

bool is_allowed(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kUnary:
    case ScalarKind::kBinary:
    case ScalarKind::kAnd:
    case ScalarKind::kOr:
    case ScalarKind::kConditional:
    case ScalarKind::kCoalesce:
    case ScalarKind::kBetween:
    case ScalarKind::kIn: return true;
    default: return false;
  }
}

}  // namespace

std::unexpected<Error> SyntheticLevel::Compiler::refuse(std::string_view why) const {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("The computed property '{}' cannot be the partition key: {}. See docs/synthetic-keys.md.", name_, why));
}

Result<SyntheticLevel::Expression> SyntheticLevel::Compiler::compile(bool spreads_hash) {
  if (text_.size() > kSyntheticTextBytesMax) {
    return refuse(fmt::format("its query has {} bytes, the limit is {}", text_.size(), kSyntheticTextBytesMax));
  }
  spreads_hash_ = spreads_hash;
  expression_ = {};
  Result<Plan> plan = query::compile({.text = std::string(text_), .parameters = {}});
  if (!plan) return refuse(plan.error().message);
  if (plan->sources.size() != 1 || plan->sources[0].kind != Source::Kind::kScan || plan->filter || plan->grouping) {
    return refuse("its query must be SELECT VALUE expression FROM c");
  }
  document_slot_ = plan->sources[0].slot;
  expression_.scalar = std::move(plan->projection);
  TRY(rewrite(expression_.scalar, Place::kWhole));
  // The bucket's slot is behind those of all sources, which are known only now.
  for (Scalar* bucket : buckets_) bucket->slot = static_cast<uint32_t>(sources_.size());
  buckets_.clear();
  expression_.uses_source.resize(sources_.size());
  return std::move(expression_);
}

Status SyntheticLevel::Compiler::rewrite(Scalar& scalar, Place place) {
  if (scalar.kind == ScalarKind::kMember) return rewrite_source(scalar);
  if (scalar.kind == ScalarKind::kCall) return rewrite_call(scalar, place);
  if (scalar.kind == ScalarKind::kConstant) {
    const bool is_scalar = scalar.constant_value().is_primitive() || scalar.constant_value().is_undefined();
    return is_scalar ? Status() : refuse("it must compute a string, a number, a boolean or null");
  }
  if (scalar.kind == ScalarKind::kSlot) return refuse("it must name the properties that it is computed from, not the whole item");
  if (scalar.kind == ScalarKind::kArray || scalar.kind == ScalarKind::kObject) {
    return refuse("it must compute a string, a number, a boolean or null");
  }
  if (!is_allowed(scalar.kind)) return refuse("its query uses something that is not allowed in a partition key");
  return rewrite_operands(scalar, place);
}

Status SyntheticLevel::Compiler::rewrite_operands(Scalar& scalar, Place place) {
  const bool is_text = place == Place::kWhole || place == Place::kPartOfText;
  const bool is_shown = scalar.kind == ScalarKind::kCall && scalar.function->name == "TOSTRING";
  Place inner = Place::kElsewhere;
  if (is_text && is_shown) inner = Place::kShownAsText;
  if (is_text && is_concatenation(scalar)) inner = Place::kPartOfText;
  for (Scalar& operand : scalar.operands) TRY(rewrite(operand, inner));
  return {};
}

Status SyntheticLevel::Compiler::rewrite_call(Scalar& scalar, Place place) {
  if (is_bucket(scalar)) return rewrite_bucket(scalar, place);
  if (std::ranges::find(kAllowed, scalar.function->name) == kAllowed.end()) {
    return refuse(fmt::format("the function {} is not allowed in a partition key", scalar.function->name));
  }
  return rewrite_operands(scalar, place);
}

Status SyntheticLevel::Compiler::rewrite_bucket(Scalar& scalar, Place place) {
  const std::string_view name = scalar.function->name;
  const bool is_random = name == kRandomBucket;
  const Scalar& count = scalar.operands.back();
  const auto buckets = count.is_constant() ? bucket_count(count.constant_value()) : std::nullopt;
  if (!buckets) return refuse(fmt::format("the number of buckets of {} must be an integer from 1 to {}", name, kBucketsMax));
  if (place == Place::kPartOfText) return refuse(fmt::format("{0} gives a number: write ToString({0}(...))", name));
  const bool is_in_place = place != Place::kElsewhere;
  if (is_random && !is_in_place) return refuse("RANDOM_BUCKET stands alone or as ToString(RANDOM_BUCKET(n)) in a CONCAT");
  if (is_random && has_random_ && expression_.buckets) return refuse("it may call RANDOM_BUCKET once");
  has_random_ = has_random_ || is_random;
  if (!is_random && !spreads_hash_) {
    ++hash_calls_;
    hash_in_place_ = is_in_place;
  }
  if (!is_random && !spreads_hash_) return rewrite(scalar.operands[0], Place::kElsewhere);
  expression_.buckets = buckets;
  expression_.may_lack_bucket = !is_random;
  scalar = Scalar::of_slot(0);
  buckets_.push_back(&scalar);
  return {};
}

Status SyntheticLevel::Compiler::rewrite_source(Scalar& scalar) {
  DocumentPath path;
  const Scalar* step = &scalar;
  for (; step->kind == ScalarKind::kMember; step = &step->operands[0]) path.segments.push_back(step->name);
  if (step->kind != ScalarKind::kSlot || step->slot != document_slot_) return refuse("it must name properties by their paths");
  std::ranges::reverse(path.segments);
  if (path.segments.front() == name_) return refuse("its query refers to itself");
  if (forbidden_.contains(path.segments.front())) {
    return refuse(fmt::format("its query names '{}', which is computed or made by the server", path.segments.front()));
  }
  const auto known = std::ranges::find(sources_, path);
  const auto index = static_cast<size_t>(known - sources_.begin());
  if (known == sources_.end()) sources_.push_back(std::move(path));
  if (expression_.uses_source.size() <= index) expression_.uses_source.resize(index + 1);
  expression_.uses_source[index] = true;
  scalar = Scalar::of_slot(static_cast<uint32_t>(index));
  return {};
}

}  // namespace partita::query
