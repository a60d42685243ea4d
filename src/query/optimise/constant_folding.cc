#include "query/optimise/constant_folding.h"

#include "query/execute/evaluator.h"

#include <algorithm>
#include <optional>

namespace partita::query {
namespace {

constexpr size_t kFoldedBytesMax = 64 * 1024;

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
    if (!random_) random_.emplace(0);
    Environment environment{.clock = clock_, .random = *random_, .row_bytes_max = kFoldedBytesMax};
    Execution execution(environment, 0);
    KeptDatum value(evaluate(scalar, execution));
    if (execution.keep_going()) scalar = Scalar::of_constant(value.take());
  }

 private:
  // Pure expressions ask neither.
  ManualClock clock_{0};
  std::optional<Random> random_;  // made when something is folded: that takes microseconds
};

}  // namespace

void fold_constants(Plan& plan) { Folding().fold(plan); }
void fold_constants(Scalar& scalar) { Folding().fold(scalar); }

}  // namespace partita::query
