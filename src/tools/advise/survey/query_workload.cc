#include "tools/advise/survey/query_workload.h"

#include "document/json/json.h"
#include "query/distribute/key_filter.h"
#include "query/query.h"
#include "query/sql/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace partita::tools::advise {
namespace {

using query::Plan;
using query::Scalar;
using query::ScalarKind;

constexpr size_t kQueriesMax = 10'000;
constexpr double kWeightMax = 1e12;

// FieldReader: which members of the document a plan reads.
class FieldReader {
 public:
  explicit FieldReader(WeighedQuery& out) : out_(out) {}

  void read(const Plan& plan) {
    for (const query::Source& source : plan.sources) {
      if (source.kind == query::Source::Kind::kScan) documents_.insert(source.slot);
      if (source.plan) read(*source.plan);
      if (source.kind == query::Source::Kind::kValue && is_document(source.scalar)) {
        documents_.insert(source.slot);
      } else {
        read(source.scalar);
      }
    }
    if (plan.filter) read(*plan.filter);
    if (plan.grouping) {
      for (const auto& key : plan.grouping->keys) read(key.scalar);
      for (const auto& aggregate : plan.grouping->aggregates) read(aggregate.argument);
    }
    for (const auto& key : plan.order) read(key.scalar);
    if (plan.ranking) {
      for (const auto& component : plan.ranking->components) read(component.score);
    }
    read(plan.projection);
  }

 private:
  bool is_document(const Scalar& scalar) const { return scalar.kind == ScalarKind::kSlot && documents_.contains(scalar.slot); }

  void read(const Scalar& scalar) {
    if (is_document(scalar)) out_.reads_all = true;
    if (scalar.kind == ScalarKind::kMember && is_document(scalar.operands[0])) {
      out_.fields.insert(scalar.name);
      return;
    }
    if (scalar.kind == ScalarKind::kExists && scalar.plan) return read(*scalar.plan);
    for (const Scalar& operand : scalar.operands) read(operand);
    if (scalar.plan) read(*scalar.plan);
  }

  WeighedQuery& out_;
  std::set<uint32_t> documents_;
};

// Paths that a conjunction compares with a value.
void find_equalities(const Scalar& scalar, std::set<std::string>& paths) {
  if (scalar.kind == ScalarKind::kAnd) {
    for (const Scalar& operand : scalar.operands) find_equalities(operand, paths);
  }
  const bool is_equality = scalar.kind == ScalarKind::kBinary && scalar.operation == query::Operation::kEqual;
  if (!is_equality && (scalar.kind != ScalarKind::kIn || scalar.is_negated)) return;
  for (const Scalar& side : scalar.operands) {
    DocumentPath path;
    const Scalar* step = &side;
    for (; step->kind == ScalarKind::kMember; step = &step->operands[0]) path.segments.push_back(step->name);
    std::ranges::reverse(path.segments);
    if (step->kind == ScalarKind::kSlot && !path.segments.empty()) paths.insert(path.text());
    if (!is_equality) break;
  }
}

// With different numbers for values: TOP and LIMIT need numbers, and two values are rarely the same.
std::vector<query::Parameter> parameters_in(std::string_view text) {
  std::vector<query::Parameter> parameters;
  const auto tokens = query::sql::tokenize(text);
  if (!tokens) return parameters;  // compile() says what is wrong
  for (const query::sql::Token& token : *tokens) {
    if (token.kind != query::sql::TokenKind::kParameter) continue;
    const std::string name(token.text(text));
    if (std::ranges::find(parameters, name, &query::Parameter::name) != parameters.end()) continue;
    StoredWriter value;
    value.integer(static_cast<int64_t>(parameters.size() + 1));
    parameters.push_back({name, value.take()});
  }
  return parameters;
}

// The first of the mistakes that are reported together, without the JSON around it.
std::string mistake_in(const std::string& report) {
  const Result<std::string> stored = stored_from_json(report);
  if (!stored) return report;
  const Value mistakes = Value::view(*stored).find("errors");
  if (!mistakes.is_array() || mistakes.size() == 0) return report;
  const Value message = mistakes.element(0).find("message");
  return message.is_string() ? std::string(message.string()) : report;
}

}  // namespace

Result<WeighedQuery> weigh_query(double weight, std::string_view text) {
  WeighedQuery weighed{.weight = weight, .text = std::string(text)};
  Result<Plan> plan = query::compile({weighed.text, parameters_in(text)});
  if (!plan) return fail(ErrorCode::kInvalidInput, mistake_in(plan.error().message));
  weighed.plan = std::move(*plan);
  FieldReader(weighed).read(weighed.plan);
  if (weighed.plan.filter) find_equalities(*weighed.plan.filter, weighed.equal_to);
  return weighed;
}

Result<std::vector<WeighedQuery>> parse_workload(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<WeighedQuery> queries;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty() || line.front() == '#') continue;
    const auto refuse = [&](std::string_view why) {
      return fail(ErrorCode::kInvalidInput, fmt::format("line {}: {}", number, why));
    };
    double weight = 0;
    const auto [stop, problem] = std::from_chars(line.data(), line.data() + line.size(), weight);
    std::string_view query = line.substr(static_cast<size_t>(stop - line.data()));
    query.remove_prefix(std::min(query.find_first_not_of(kBlanks), query.size()));
    if (problem != std::errc() || !(weight > 0 && weight < kWeightMax) || query.empty())
      return refuse("expected a weight above 0 and a query, such as: 10 SELECT * FROM c WHERE c.city = 'Oslo'");
    if (queries.size() == kQueriesMax) return refuse(fmt::format("there are more than {} queries", kQueriesMax));
    Result<WeighedQuery> weighed = weigh_query(weight, query);
    if (!weighed) return refuse(weighed.error().message);
    queries.push_back(std::move(*weighed));
  }
  return queries;
}

double partitions_asked(const WeighedQuery& weighed, const PartitionKeyDefinition& definition, size_t partitions, size_t spread) {
  const auto all = static_cast<double>(partitions);
  const query::KeyFilter filter = query::key_filter_of(weighed.plan, definition);
  if (filter.is_all) return all;
  const double values = static_cast<double>(std::max<size_t>(filter.keys.size(), 1)) * static_cast<double>(spread);
  if (values == 1) return 1;
  // Of partitions that values fall into by chance.
  return all * (1 - std::pow(1 - 1 / all, values));
}

}  // namespace partita::tools::advise
