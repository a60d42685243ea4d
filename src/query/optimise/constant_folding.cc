#include "query/optimise/constant_folding.h"

#include "query/execute/evaluator.h"
#include "query/optimise/step_clock.h"

#include <algorithm>
#include <optional>

namespace partita::query {
namespace {

// How often an operation that takes long may ask for the time.
constexpr int64_t kLooksMax = 16;
// Of one value while it is computed or of what it is computed from, and of all values of a query.
constexpr size_t kFoldedBytesMax = 64 * 1024;
constexpr size_t kFoldedBytesOfQueryMax = 256 * 1024;

bool is_pure(const Scalar& scalar) {
  switch (scalar.kind) {
    case ScalarKind::kMember:
    case ScalarKind::kSubscript:
    case ScalarKind::kArray:
    case ScalarKind::kObject:
    case ScalarKind::kUnary:
    case ScalarKind::kBinary:
    case ScalarKind::kAnd:
    case ScalarKind::kOr:
    case ScalarKind::kConditional:
    case ScalarKind::kCoalesce:
    case ScalarKind::kBetween:
    case ScalarKind::kIn:
    case ScalarKind::kLike: return true;
    case ScalarKind::kCall: return scalar.function->is_constant_foldable;
    default: return false;
  }
}

class Folding {
 public:
  void fold(Plan& plan) {
    for (Source& source : plan.sources) {
      fold(source.scalar);
      if (source.plan) fold(*source.plan);
    }
    if (plan.filter) fold(*plan.filter);
    if (plan.grouping) {
      for (Grouping::Key& key : plan.grouping->keys) fold(key.scalar);
      for (Aggregate& aggregate : plan.grouping->aggregates) fold(aggregate.argument);
    }
    for (SortKey& key : plan.order) fold(key.scalar);
    if (plan.ranking) {
      for (Ranking::Component& component : plan.ranking->components) {
        fold(component.score);
        for (Scalar& phrase : component.phrases) fold(phrase);
      }
    }
    fold(plan.projection);
  }

  void fold(Scalar& scalar) {
    for (Scalar& operand : scalar.operands) fold(operand);
    if (scalar.plan) fold(*scalar.plan);
    if (scalar.is_constant() || !is_pure(scalar) || !std::ranges::all_of(scalar.operands, &Scalar::is_constant)) return;
    if (bytes_left_ == 0) return;
    if (!random_) random_.emplace(0);
    size_t bytes = 0;
    for (const Scalar& operand : scalar.operands) bytes += operand.constant.size();
    bytes_left_ -= std::min(bytes, bytes_left_);
    if (bytes > kFoldedBytesMax) return;
    const StepClock clock;
    Environment environment{
        .clock = clock, .random = *random_, .deadline_steady_us = kLooksMax, .is_trial = true, .row_bytes_max = kFoldedBytesMax};
    Execution execution(environment, 0);
    KeptDatum value(evaluate(scalar, execution));
    bytes_left_ -= std::min(value.bytes(), bytes_left_);
    if (execution.keep_going()) scalar = Scalar::of_constant(value.take());
  }

 private:
  size_t bytes_left_ = kFoldedBytesOfQueryMax;
  std::optional<Random> random_;  // pure expressions do not ask it; made when something is folded: that takes microseconds
};

}  // namespace

void fold_constants(Plan& plan) { Folding().fold(plan); }
void fold_constants(Scalar& scalar) { Folding().fold(scalar); }

}  // namespace partita::query
