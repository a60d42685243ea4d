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

// Deeper sub-queries are not indented further, because that would make texts longer than in proportion.
constexpr size_t kIndentationMax = 64;

void append_source(std::string& out, const Source& source, std::string_view between) {
  switch (source.kind) {
    case Source::Kind::kScan: fmt::format_to(std::back_inserter(out), "scan ${}", source.slot); break;
    case Source::Kind::kValue:
    case Source::Kind::kUnnest: {
      const bool is_value = source.kind == Source::Kind::kValue;
      fmt::format_to(std::back_inserter(out), "{} ${} {} ", is_value ? "bind" : "unnest", source.slot, is_value ? "=" : "in");
      append_text(out, source.scalar);
      break;
    }
    case Source::Kind::kRows: {
      std::string inner(between);
      if (inner.size() < kIndentationMax) inner += "  ";
      fmt::format_to(std::back_inserter(out), "rows ${} of", source.slot);
      out += inner;
      append_text(out, *source.plan, inner);
      break;
    }
  }
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

void append_text(std::string& out, const Plan& plan, std::string_view between) {
  const size_t begin = out.size();
  const auto step = [&]() -> std::string& {
    if (out.size() > begin) out += between;
    return out;
  };
  for (const Source& source : plan.sources) append_source(step(), source, between);
  if (plan.filter) append_text(step() += "filter ", *plan.filter);
  if (plan.grouping) step() += grouping_text(*plan.grouping);
  for (const SortKey& key : plan.order) {
    append_text(step() += "sort ", key.scalar);
    if (key.is_descending) out += " descending";
  }
  if (plan.ranking) step() += ranking_text(*plan.ranking);
  append_text(step() += "project ", plan.projection);
  if (plan.is_distinct) step() += "distinct";
  if (plan.offset > 0) step() += fmt::format("skip {}", plan.offset);
  if (plan.limit) step() += fmt::format("take {}", *plan.limit);
}

std::string to_text(const Plan& plan) {
  std::string out;
  append_text(out, plan, "\n");
  return out;
}

}  // namespace partita::query
