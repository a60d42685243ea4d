#include "query/plan/user_functions.h"

namespace partita::query {
namespace {

class Collection {
 public:
  void add(const Plan& plan) {
    for (const Source& source : plan.sources) {
      add(source.scalar);
      if (source.plan) add(*source.plan);
    }
    if (plan.filter) add(*plan.filter);
    if (plan.grouping) add(*plan.grouping);
    for (const SortKey& key : plan.order) add(key.scalar);
    if (plan.ranking) add(*plan.ranking);
    add(plan.projection);
  }

  std::set<std::string> names;
  bool is_repeatable = true;  // the built-in functions are

 private:
  void add(const Scalar& scalar) {
    if (scalar.kind == ScalarKind::kUserCall) names.insert(scalar.name);
    if (scalar.kind == ScalarKind::kCall && !scalar.function->is_constant_foldable) is_repeatable = false;
    for (const Scalar& operand : scalar.operands) add(operand);
    if (scalar.plan) add(*scalar.plan);
  }
  void add(const Grouping& grouping) {
    for (const Grouping::Key& key : grouping.keys) add(key.scalar);
    for (const Aggregate& aggregate : grouping.aggregates) add(aggregate.argument);
  }
  void add(const Ranking& ranking) {
    for (const Ranking::Component& component : ranking.components) {
      add(component.score);
      for (const Scalar& phrase : component.phrases) add(phrase);
    }
  }
};

}  // namespace

std::set<std::string> user_functions_of(const Plan& plan) {
  Collection all;
  all.add(plan);
  return std::move(all.names);
}

bool depends_on_documents_only(const Plan& plan) {
  Collection all;
  all.add(plan);
  return all.names.empty() && all.is_repeatable;
}

}  // namespace partita::query
