#include "query/computed_properties.h"

#include "document/system_properties.h"
#include "query/bind/binding.h"
#include "query/function/buckets.h"
#include "query/function/groups.h"
#include "query/sql/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace partita::query {
namespace {

using sql::ExpressionKind;

constexpr std::array<std::string_view, 6> kSystemNames = {"id",
                                                          system_property::kResourceId,
                                                          system_property::kWrittenSeconds,
                                                          system_property::kSelfLink,
                                                          system_property::kVersion,
                                                          system_property::kAttachments};

std::unexpected<Error> refuse(std::string_view name, std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("The computed property '{}' could not be accepted: {}.", name, why));
}

std::string_view mistake_of_clauses(const sql::Query& query) {
  if (query.selection.kind != sql::Selection::Kind::kValue) return "its query must select one VALUE";
  const bool is_plain_source = query.from.size() == 1 && !query.from[0].query && !query.from[0].is_iteration &&
                               query.from[0].expression && query.from[0].expression->kind == ExpressionKind::kName;
  if (!is_plain_source) return "its query must have a FROM clause that names the whole item, without JOIN";
  const bool has_clause =
      query.where || !query.group_by.empty() || !query.order_by.empty() || query.top || query.is_distinct || query.offset;
  return has_clause ? "its query may have no WHERE, GROUP BY, ORDER BY, TOP, DISTINCT or OFFSET LIMIT" : std::string_view();
}

std::string_view mistake_of_call(const sql::Expression& e, bool is_key) {
  if (e.kind == ExpressionKind::kUserCall) return "its query may call no user-defined function";
  const Function* function = e.kind == ExpressionKind::kCall ? find_function(e.text) : nullptr;
  if (function == nullptr) return {};
  if (function->aggregate != AggregateKind::kNone) return "its query may call no aggregate function";
  const bool may_vary = is_key && function->name == kRandomBucket;
  if (!function->is_constant_foldable && !may_vary) return "its query may call no function whose value changes from call to call";
  const auto spatial = spatial_functions();
  const bool is_spatial = std::ranges::find(spatial, function->name, &Function::name) != spatial.end();
  return is_spatial ? "its query may call no spatial function" : std::string_view();
}

std::string_view mistake_of_expression(const sql::Expression& e, bool is_key) {
  if (e.query) return "its query may contain no sub-query";
  if (const auto why = mistake_of_call(e, is_key); !why.empty()) return why;
  for (const sql::ExpressionPointer& operand : e.operands) {
    if (const auto why = mistake_of_expression(*operand, is_key); !why.empty()) return why;
  }
  return {};
}

Status check_query(std::string_view name, const std::string& text, bool is_key) {
  const auto query = sql::parse(text);
  if (!query) return refuse(name, query.error().message);
  std::string_view why = mistake_of_clauses(*query);
  if (why.empty()) why = mistake_of_expression(*query->selection.items[0].expression, is_key);
  if (!why.empty()) return refuse(name, why);
  const auto plan = query::bind(*query, text, {});
  return plan ? Status() : refuse(name, plan.error().message);
}

}  // namespace

Status check_computed_properties(const Value& definition, const PartitionKeyDefinition& key) {
  if (definition.is_undefined() || definition.is_null()) return {};
  if (!definition.is_array()) {
    return fail(ErrorCode::kInvalidInput, "One of the specified inputs is invalid: 'computedProperties' must be an array.");
  }
  if (definition.size() > kComputedPropertiesMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("A container may have no more than {} computed properties.", kComputedPropertiesMax));
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < definition.size(); ++i) {
    const Value name = definition.element(i).find("name");
    const Value query = definition.element(i).find("query");
    if (!name.is_string() || name.string().empty() || !query.is_string()) {
      return fail(ErrorCode::kInvalidInput,
                  "One of the specified inputs is invalid: a computed property needs a 'name' and a 'query'.");
    }
    if (std::ranges::find(kSystemNames, name.string()) != kSystemNames.end())
      return refuse(name.string(), "its name is a system property's");
    if (!names.insert(name.string()).second) return refuse(name.string(), "its name is given twice");
    const DocumentPath path{{std::string(name.string())}};
    const bool is_key = std::ranges::find(key.paths, path) != key.paths.end();
    TRY(check_query(name.string(), std::string(query.string()), is_key));
  }
  return {};
}

}  // namespace partita::query
