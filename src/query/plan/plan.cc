#include "query/plan/plan.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace partita::query {
namespace {

std::string_view name_of(AggregateKind kind) {
  switch (kind) {
    case AggregateKind::kNone: return "none";
    case AggregateKind::kAverage: return "average";
    case AggregateKind::kCount: return "count";
    case AggregateKind::kCountIf: return "count_if";
    case AggregateKind::kMax: return "max";
    case AggregateKind::kMin: return "min";
    case AggregateKind::kSum: return "sum";
    case AggregateKind::kMakeList: return "list";
    case AggregateKind::kMakeSet: return "set";
  }
  return "";
}

std::string source_text(const Source& source) {
  switch (source.kind) {
    case Source::Kind::kScan: return fmt::format("scan ${}", source.slot);
    case Source::Kind::kValue: return fmt::format("bind ${} = {}", source.slot, to_text(source.scalar));
    case Source::Kind::kUnnest: return fmt::format("unnest ${} in {}", source.slot, to_text(source.scalar));
    case Source::Kind::kRows: {
      std::string nested = to_text(*source.plan);
      for (size_t at = nested.find('\n'); at != std::string::npos; at = nested.find('\n', at + 1)) nested.insert(at + 1, "  ");
      return fmt::format("rows ${} of\n  {}", source.slot, nested);
    }
  }
  return "";
}

std::string grouping_text(const Grouping& grouping) {
  std::string out = "group";
  for (const Grouping::Key& key : grouping.keys) {
    fmt::format_to(std::back_inserter(out), " ${} = {}", key.slot, to_text(key.scalar));
  }
  for (const Aggregate& aggregate : grouping.aggregates) {
    fmt::format_to(std::back_inserter(out), " ${} = {}({})", aggregate.slot, name_of(aggregate.kind),
                   to_text(aggregate.argument));
  }
  return out;
}

std::string ranking_text(const Ranking& ranking) {
  std::string out = "rank";
  for (const Ranking::Component& component : ranking.components) {
    fmt::format_to(std::back_inserter(out), " {}{} * ", component.is_ascending ? "-" : "", component.weight);
    if (component.phrases.empty()) {
      out += to_text(component.score);
      continue;
    }
    fmt::format_to(std::back_inserter(out), "relevance({}", to_text(component.score));
    for (const Scalar& phrase : component.phrases) fmt::format_to(std::back_inserter(out), ", {}", to_text(phrase));
    fmt::format_to(std::back_inserter(out), ", {})", code_of(component.language));
  }
  return out;
}

}  // namespace

Plan::Plan() = default;
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

std::string to_text(const Plan& plan) {
  std::string out;
  auto line = [&](std::string_view text) {
    if (!out.empty()) out += '\n';
    out += text;
  };
  for (const Source& source : plan.sources) line(source_text(source));
  if (plan.filter) line(fmt::format("filter {}", to_text(*plan.filter)));
  if (plan.grouping) line(grouping_text(*plan.grouping));
  for (const SortKey& key : plan.order)
    line(fmt::format("sort {}{}", to_text(key.scalar), key.is_descending ? " descending" : ""));
  if (plan.ranking) line(ranking_text(*plan.ranking));
  line(fmt::format("project {}", to_text(plan.projection)));
  if (plan.is_distinct) line("distinct");
  if (plan.offset > 0) line(fmt::format("skip {}", plan.offset));
  if (plan.limit) line(fmt::format("take {}", *plan.limit));
  return out;
}

}  // namespace partita::query
