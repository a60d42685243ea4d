#include "query/distribute/distributed_query.h"

#include "document/json/json.h"
#include "query/distribute/hybrid_search.h"
#include "query/distribute/service_limits.h"
#include "query/sql/parser.h"
#include "query/sql/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// testdata/query-plans.json: plans of the service, published with an SDK. Every case must agree in every field; rewritten texts
// are compared as SQL, ranges as sets of keys.
namespace partita::query {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string text_at(const Value& object, std::string_view key) {
  Value value = object.find(key);
  return value.is_string() ? std::string(value.string()) : std::string();
}

// "", {"Item": "a"}, {"Item": ["a", "b"]}: whatever the converter made of a list of one kind of element.
std::vector<std::string> list_at(const Value& object, std::string_view key) {
  std::vector<std::string> items;
  Value list = object.find(key);
  if (!list.is_object()) return items;
  Value inner = list.member(0).value;
  if (inner.is_string()) return {std::string(inner.string())};
  if (!inner.is_array()) return {to_json(inner)};
  for (size_t i = 0; i < inner.size(); ++i) {
    items.push_back(inner.element(i).is_string() ? std::string(inner.element(i).string()) : to_json(inner.element(i)));
  }
  return items;
}

// With something in the place of every {documentdb-formattable...}.
std::string canonical(std::string_view text) {
  if (text.empty()) return "";
  std::string filled(text);
  for (size_t start = filled.find("{documentdb-"); start != std::string::npos; start = filled.find("{documentdb-")) {
    const size_t end = filled.find('}', start);
    const std::string name = filled.substr(start + 1, end - start - 1);
    filled.replace(start, end + 1 - start, name.ends_with("filter") ? "true" : fmt::format("'{}'", name));
  }
  auto query = sql::parse(filled);
  return query ? sql::print(*query) : query.error().message;
}

std::string name_of(AggregateKind kind) {
  switch (kind) {
    case AggregateKind::kNone: return "null";
    case AggregateKind::kAverage: return "Average";
    case AggregateKind::kCount: return "Count";
    case AggregateKind::kCountIf: return "CountIf";
    case AggregateKind::kMax: return "Max";
    case AggregateKind::kMin: return "Min";
    case AggregateKind::kSum: return "Sum";
    case AggregateKind::kMakeList: return "MakeList";
    case AggregateKind::kMakeSet: return "MakeSet";
  }
  return "";
}

std::string count_text(const std::optional<uint64_t>& count) { return count ? fmt::format("{}", *count) : ""; }

// [[],"Infinity") is everything, [[],[]] nothing, [[1.0],[1.0]] a key.
std::set<std::string> expected_keys(const Value& plan) {
  std::set<std::string> keys;
  for (const std::string& text : list_at(plan.find("QueryRanges"), "Range")) {
    if (text == R"([[],"Infinity"))") return {"all"};
    if (text == "[[],[]]") continue;
    auto range = stored_from_json(text).value();
    keys.insert(PartitionKey::parse(to_json(Value::view(range).element(0)))->to_json());
  }
  return keys;
}

std::set<std::string> actual_keys(const KeyFilter& filter) {
  if (filter.is_all) return {"all"};
  std::set<std::string> keys;
  for (const PartitionKey& key : filter.keys) keys.insert(key.to_json());
  return keys;
}

// Nothing for the paths that no container can have.
std::optional<PartitionKeyDefinition> definition_of(const Value& test) {
  PartitionKeyDefinition definition;
  Value paths = test.find("partitionKeys");
  for (size_t i = 0; i < paths.size(); ++i) {
    auto path = DocumentPath::parse(paths.element(i).string());
    if (!path) return std::nullopt;
    definition.paths.push_back(std::move(*path));
  }
  return definition;
}

class QueryPlans : public testing::Test {
 protected:
  void SetUp() override { stored_ = stored_from_json(read_file(TEST_DATA_DIR "/query-plans.json")).value(); }

  Value cases() const { return Value::view(stored_); }

 private:
  std::string stored_;
};

void expect_plan(const DistributedQuery& actual, const Value& expected) {
  Value info = expected.find("QueryInfo");
  EXPECT_EQ(canonical(actual.rewritten_text), canonical(text_at(expected, "RewrittenQuery")));
  EXPECT_EQ(actual_keys(actual.keys), expected_keys(expected));
  EXPECT_EQ(count_text(actual.top), text_at(info, "Top"));
  EXPECT_EQ(count_text(actual.offset), text_at(info, "Offset"));
  EXPECT_EQ(count_text(actual.limit), text_at(info, "Limit"));
  EXPECT_EQ(actual.has_select_value, text_at(info, "HasSelectValue") == "True");
  constexpr std::string_view kDistinct[] = {"None", "Ordered", "Unordered"};
  EXPECT_EQ(kDistinct[static_cast<size_t>(actual.distinct)], text_at(info, "DistinctType"));
  std::vector<std::string> directions;
  for (bool is_descending : actual.order_is_descending) directions.emplace_back(is_descending ? "Descending" : "Ascending");
  EXPECT_EQ(directions, list_at(info, "OrderBy"));
  EXPECT_EQ(actual.order_by_expressions, list_at(info, "OrderByExpressions"));
  EXPECT_EQ(actual.group_by_expressions, list_at(info, "GroupByExpressions"));
  std::vector<std::string> aliases;
  for (const auto& output : actual.group_outputs) aliases.push_back(output.alias);
  EXPECT_EQ(aliases, list_at(info, "GroupByAliases"));
  std::set<std::string> outputs;
  for (const auto& output : actual.group_outputs) {
    outputs.insert(fmt::format(R"({{"Alias":"{}","AggregateOperator":"{}"}})", output.alias, name_of(output.aggregate)));
  }
  auto expected_outputs = list_at(info, "GroupByAliasToAggregateType");
  EXPECT_EQ(outputs, std::set<std::string>(expected_outputs.begin(), expected_outputs.end()));
  std::vector<std::string> aggregates;
  for (AggregateKind kind : actual.aggregates) aggregates.push_back(name_of(kind));
  EXPECT_EQ(aggregates, list_at(info, "Aggregates"));
}

TEST_F(QueryPlans, AgreeWithThePublishedOnes) {
  int compared = 0;
  for (size_t i = 0; i < cases().size(); ++i) {
    Value test = cases().element(i);
    Value expected = test.find("expected").find("PartitionedQueryExecutionInfoInternal");
    auto definition = definition_of(test);
    if (!definition || expected.is_undefined() || expected.find("QueryInfo").is_undefined()) continue;
    std::string text(test.find("query").string());
    SCOPED_TRACE(text);
    QuerySpecification specification{text, {}};
    for (std::string_view name : {"@TOPCOUNT", "@OFFSETCOUNT", "@LIMITCOUNT"}) {
      specification.parameters.push_back({std::string(name), stored_from_json(name == "@LIMITCOUNT" ? "1337" : "42").value()});
    }
    auto actual = distribute(specification, *definition);
    ASSERT_TRUE(actual.has_value()) << actual.error().message;
    expect_plan(*actual, expected);
    ++compared;
  }
  EXPECT_GE(compared, 98);
}

TEST_F(QueryPlans, OfHybridSearchesAgreeWithThePublishedOnes) {
  int compared = 0;
  for (size_t i = 0; i < cases().size(); ++i) {
    Value test = cases().element(i);
    Value expected = test.find("expected").find("PartitionedQueryExecutionInfoInternal").find("HybridSearchQueryInfo");
    if (expected.is_undefined()) continue;
    std::string text(test.find("query").string());
    SCOPED_TRACE(text);
    auto actual = distribute({text, {}}, definition_of(test).value());
    ASSERT_TRUE(actual.has_value()) << actual.error().message;
    ASSERT_NE(actual->hybrid, nullptr);
    EXPECT_TRUE(actual->needs_merging());
    EXPECT_EQ(canonical(actual->hybrid->statistics_text), canonical(text_at(expected, "GlobalStatisticsQuery")));
    EXPECT_EQ(actual->hybrid->needs_statistics, text_at(expected, "RequiresGlobalStatistics") == "True");
    EXPECT_EQ(count_text(actual->hybrid->skip), text_at(expected, "Skip"));
    EXPECT_EQ(count_text(actual->hybrid->take), text_at(expected, "Take"));
    ASSERT_EQ(actual->hybrid->components.size(), 1U);
    const DistributedQuery& component = actual->hybrid->components[0];
    Value info = expected.find("componentQueryInfo");
    EXPECT_EQ(count_text(component.top), text_at(info, "Top"));
    EXPECT_EQ(count_text(component.offset), text_at(info, "Offset"));
    EXPECT_EQ(count_text(component.limit), text_at(info, "Limit"));
    EXPECT_EQ(component.order_by_expressions, list_at(info, "OrderByExpressions"));
    EXPECT_EQ(component.order_is_descending, std::vector<bool>{true});
    EXPECT_TRUE(component.is_order_by_rank);
    EXPECT_EQ(canonical(component.rewritten_text), canonical(text_at(info, "RewrittenQuery")));
    ++compared;
  }
  EXPECT_GE(compared, 6);
}

// One asks the text, the other what it means: of a query that no partition key confines.
TEST_F(QueryPlans, AgreeWithTheQueryOnWhetherItNeedsMerging) {
  int compared = 0;
  for (size_t i = 0; i < cases().size(); ++i) {
    QuerySpecification specification{std::string(cases().element(i).find("query").string()), {}};
    for (std::string_view name : {"@TOPCOUNT", "@OFFSETCOUNT", "@LIMITCOUNT"}) {
      specification.parameters.push_back({std::string(name), stored_from_json("42").value()});
    }
    const auto plan = compile(specification);
    const auto distributed = distribute(specification, PartitionKeyDefinition{});
    if (!plan || !distributed || plan->sources.empty()) continue;
    EXPECT_EQ(needs_merging(*plan), distributed->needs_merging()) << specification.text;
    ++compared;
  }
  EXPECT_GE(compared, 90);
}

TEST(DistributedQuery, CountsDistinctRowsForThoseWhoKnowHow) {
  const QuerySpecification specification{"SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.x FROM c)", {}};
  EXPECT_TRUE(distribute(specification, {}).value().distinct_count_alias.has_value());
  const auto added = distribute(specification, {}, {}, nullptr, false).value();
  EXPECT_FALSE(added.distinct_count_alias.has_value());
  EXPECT_EQ(added.aggregates, std::vector<AggregateKind>{AggregateKind::kCount});
}

TEST(ServiceLimits, RefuseWhatOnlyThisEngineCanDo) {
  const auto refusal = [](const char* text) -> std::string {
    const QuerySpecification specification{text, {}};
    const Result<Plan> plan = compile(specification);
    if (!plan) return plan.error().message;
    const Status checked = check_service_limits(specification, *plan);
    return checked ? "" : checked.error().message;
  };
  for (const char* text :
       {"SELECT * FROM c ORDER BY c.x DESC", "SELECT c FROM c JOIN t IN c.tags ORDER BY c.x", "SELECT TOP 2147483647 * FROM c",
        "SELECT * FROM c ORDER BY VectorDistance(c.v, [1])", "SELECT VALUE MAX(t) FROM c JOIN t IN c.tags ORDER BY t",
        "SELECT t, COUNT(1) FROM c JOIN t IN c.tags GROUP BY t"}) {
    EXPECT_EQ(refusal(text), "") << text;
  }
  for (const auto& [text, words] : std::initializer_list<std::pair<const char*, const char*>>{
           {"SELECT TOP 2147483648 * FROM c", "SC2060"},
           {"SELECT * FROM c OFFSET 2147483648 LIMIT 1", "SC2062"},
           {"SELECT * FROM c OFFSET 1 LIMIT 2147483648", "SC2061"},
           {"SELECT * FROM c ORDER BY VectorDistance(c.v, [1]) ASC", "Specifying a sorting order"},
           {"SELECT c FROM c JOIN t IN c.tags ORDER BY t.x", "correlated collections"},
           {"SELECT * FROM t IN c.tags ORDER BY t.x", "correlated collections"},
           {"SELECT c FROM c JOIN (SELECT VALUE s FROM s IN c.tags) t ORDER BY t", "correlated collections"}}) {
    EXPECT_NE(refusal(text).find(words), std::string::npos) << text << ": " << refusal(text);
  }
}

TEST(DistributedQuery, WeighsTheComponentsOfAHybridSearch) {
  const auto query = distribute(
      {"SELECT TOP 10 * FROM c WHERE c.x = 1 ORDER BY RANK RRF(VectorDistance(c.v, [1, 2]), FullTextScore(c.t, 'a', @b), @w)",
       {{"@w", stored_from_json("[1,-0.3]").value()}, {"@b", stored_from_json("\"b\"").value()}}},
      {});
  ASSERT_TRUE(query.has_value()) << query.error().message;
  const HybridSearch& search = *query->hybrid;
  EXPECT_EQ(search.weights, (std::vector<double>{1, 0.3}));
  EXPECT_EQ(search.statistics_text,
            "SELECT COUNT(1) AS documentCount, [{\"totalWordCount\": SUM(_FullTextWordCount(c.t)), \"hitCounts\": "
            "[COUNTIF(FullTextContains(c.t, \"a\")), COUNTIF(FullTextContains(c.t, @b))]}] AS fullTextStatistics\nFROM c");
  ASSERT_EQ(search.components.size(), 2U);
  EXPECT_EQ(search.components[0].order_is_descending, std::vector<bool>{true});
  EXPECT_EQ(search.components[1].order_is_descending, std::vector<bool>{false});
  const std::string text_score =
      "_FullTextScore(c.t, [\"a\", @b], {documentdb-formattablehybridsearchquery-totaldocumentcount}, "
      "{documentdb-formattablehybridsearchquery-totalwordcount-0}, {documentdb-formattablehybridsearchquery-hitcountsarray-0})";
  EXPECT_EQ(search.components[0].rewritten_text,
            fmt::format("SELECT TOP 120 c._rid, [{{\"item\": _VectorScore(c.v, [1, 2])}}] AS orderByItems, {{\"payload\": c, "
                        "\"componentScores\": [(_VectorScore(c.v, [1, 2]) ?? -1.79769e+308), ({} ?? 1.79769e+308)]}} AS payload\n"
                        "FROM c\nWHERE ((c.x = 1) AND ({{documentdb-formattableorderbyquery-filter}}))\n"
                        "ORDER BY _VectorScore(c.v, [1, 2])",
                        text_score));
  EXPECT_TRUE(search.components[1].rewritten_text.ends_with(fmt::format("ORDER BY {} ASC", text_score)));
}

TEST(DistributedQuery, LetsTheClientSortByVectors) {
  Schema schema;
  schema.embeddings.push_back({DocumentPath::parse("/v").value(), VectorMetric::kEuclidean});
  const auto near = distribute({"SELECT TOP 3 c.id FROM c ORDER BY VectorDistance(c.v, [1, 2])", {}}, {}, schema).value();
  EXPECT_TRUE(near.is_order_by_rank);
  EXPECT_EQ(near.order_is_descending, std::vector<bool>{false});
  EXPECT_EQ(near.order_by_expressions, std::vector<std::string>{"VectorDistance(c.v, [1, 2])"});
  EXPECT_TRUE(near.rewritten_text.ends_with("ORDER BY VectorDistance(c.v, [1, 2])"));
  const auto similar = distribute({"SELECT TOP 3 c.id FROM c ORDER BY VectorDistance(c.w, [1, 2])", {}}, {}, schema).value();
  EXPECT_EQ(similar.order_is_descending, std::vector<bool>{true});
  EXPECT_FALSE(distribute({"SELECT c.id FROM c ORDER BY c.id", {}}, {}).value().is_order_by_rank);
}

// Code, message and length of each mistake. The published cases have lost the blanks before their first word, on which the
// absolute locations depend.
std::vector<std::string> mistakes_of(std::string_view error) {
  std::vector<std::string> mistakes;
  auto stored = stored_from_json(error);
  if (!stored) return {std::string(error)};
  Value list = Value::view(*stored).find("errors");
  if (!list.is_array()) return {std::string(error)};
  for (size_t i = 0; i < list.size(); ++i) {
    Value mistake = list.element(i);
    Value location = mistake.find("location");
    double length = location.is_object() ? location.find("end").number() - location.find("start").number() : 0;
    mistakes.push_back(fmt::format("{} {} {}", to_json(mistake.find("code")), to_json(mistake.find("message")), length));
  }
  return mistakes;
}

TEST_F(QueryPlans, RefuseWhatThePublishedOnesRefuse) {
  int compared = 0;
  for (size_t i = 0; i < cases().size(); ++i) {
    Value test = cases().element(i);
    std::string exception = text_at(test.find("expected"), "Exception");
    size_t start = std::min(exception.find("{\"errors\""), exception.find("{\"Errors\""));
    if (start == std::string::npos) continue;
    std::string_view expected = std::string_view(exception).substr(start, exception.find('\n', start) - start);
    std::string text(test.find("query").string());
    auto actual = distribute({text, {}}, definition_of(test).value());
    ASSERT_FALSE(actual.has_value()) << text;
    EXPECT_EQ(mistakes_of(actual.error().message), mistakes_of(expected)) << text;
    ++compared;
  }
  EXPECT_GE(compared, 18);
}

TEST(DistributedQuery, LetsTheClientCountDistinctRows) {
  auto value = distribute({"SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.x FROM c WHERE c.y = 1)", {}}, {}).value();
  EXPECT_EQ(value.distinct_count_alias, "");
  EXPECT_EQ(value.distinct, DistributedQuery::Distinct::kUnordered);
  EXPECT_EQ(value.rewritten_text, "SELECT DISTINCT VALUE c.x\nFROM c\nWHERE (c.y = 1)");
  EXPECT_TRUE(value.aggregates.empty());
  auto named = distribute({"SELECT COUNT(1) AS n FROM (SELECT DISTINCT c.x, c.y FROM c) AS d", {}}, {}).value();
  EXPECT_EQ(named.distinct_count_alias, "n");
  auto filtered = distribute({"SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.x FROM c) AS d WHERE d > 1", {}}, {}).value();
  EXPECT_FALSE(filtered.distinct_count_alias.has_value());
}

std::set<std::string> keys_of(std::string text, std::vector<std::string_view> paths,
                              PartitionKeyDefinition::Kind kind = PartitionKeyDefinition::Kind::kHash) {
  PartitionKeyDefinition definition{.paths = {}, .kind = kind, .version = 2};
  for (std::string_view path : paths) definition.paths.push_back(DocumentPath::parse(path).value());
  auto distributed = distribute(
      {std::move(text), {{"@p", stored_from_json("\"p\"").value()}, {"@list", stored_from_json("[1,2]").value()}}}, definition);
  EXPECT_TRUE(distributed.has_value()) << distributed.error().message;
  return actual_keys(distributed->keys);
}

using Keys = std::set<std::string>;

TEST(KeyFilter, FollowsTheFilterToTheKeysItLeaves) {
  const std::vector<std::pair<std::string_view, Keys>> cases = {
      {"c.k = @p", {"[\"p\"]"}},
      {"@p = c.k", {"[\"p\"]"}},
      {"c['k'] = 1 AND c.x > 2", {"[1]"}},
      {"c.k = 1 OR c.k = 2 OR c.k = 1.0", {"[1]", "[2]"}},
      {"c.k = 1 OR c.x = 2", {"all"}},
      {"c.k = 1 AND c.k = 2", {}},
      {"c.k IN (1, 'a', null, undefined)", {"[1]", "[\"a\"]", "[null]"}},
      {"c.k NOT IN (1)", {"all"}},
      {"c.k IN (1, c.x)", {"all"}},
      {"c.k = undefined", {}},
      {"c.k != 1", {"all"}},
      {"c.k > 1", {"all"}},
      {"c.k BETWEEN 1 AND 1", {"all"}},
      {"c.k", {"[true]"}},
      {"NOT c.k", {"[false]"}},
      {"NOT (c.k = 1)", {"all"}},
      {"IS_BOOL(c.k)", {"[true]", "[false]"}},
      {"IS_NULL(c.k)", {"[null]"}},
      {"IS_DEFINED(c.k)", {"all"}},
      {"ABS(c.k) = 1", {"[1]", "[-1]"}},
      {"ABS(c.k) = -1", {}},
      {"ARRAY_CONTAINS(@list, c.k)", {"[1]", "[2]"}},
      {"ARRAY_CONTAINS([1, 2, 3], c.k) AND c.k = 4", {}},
      {"ARRAY_CONTAINS(c.k, 1)", {"all"}},
      {"STRINGEQUALS(c.k, 'a')", {"[\"a\"]"}},
      {"STRINGEQUALS(c.k, 'a', true)", {"all"}},
      {"c.k LIKE 'a!%' ESCAPE '!'", {"[\"a%\"]"}},
      {"c.k LIKE 'a%'", {"all"}},
      {"c.k NOT LIKE 'a'", {"all"}},
      {"c.k = {'a': 1}", {"[{}]"}},
      {"c.k = CONCAT('a', LOWER('B'))", {"[\"ab\"]"}},
      {"c.k = 2 + 3 AND (1 = 1)", {"[5]"}},
      {"c.k = 5 AND 1 > 2", {}},
      {"c.k.x = 1", {"all"}},
      {"c.k = c.x", {"all"}},
      {"false", {}},
      {"1", {}},
      {"EXISTS(SELECT VALUE 1 FROM t IN c.tags WHERE t = 1) AND c.k = 1", {"[1]"}},
      {"EXISTS(SELECT VALUE 1 FROM t IN c.tags WHERE t = 1 AND c.k = 2)", {"[2]"}},
      {"NOT EXISTS(SELECT VALUE 1 FROM t IN c.tags WHERE c.k = 2)", {"all"}},
      {"c.x = (SELECT VALUE 1 FROM c WHERE c.k = 2) AND c.k IN (2, 3)", {"[2]"}},
      {"c.x = (SELECT VALUE COUNT(1) FROM c WHERE c.k = 2)", {"all"}},
      {"c.k = 1 ? true : false", {"all"}},
  };
  for (const auto& [filter, keys] : cases)
    EXPECT_EQ(keys_of(fmt::format("SELECT * FROM c WHERE {}", filter), {"/k"}), keys) << filter;
  EXPECT_EQ(keys_of("SELECT * FROM (SELECT VALUE c FROM c WHERE c.k = 1) x", {"/k"}), Keys{"[1]"});
  EXPECT_EQ(keys_of("SELECT VALUE t FROM c JOIN t IN c.tags WHERE c.k = 1 AND t = 2", {"/k"}), Keys{"[1]"});
  EXPECT_EQ(keys_of("SELECT VALUE t FROM t IN c.tags WHERE t.k = 1", {"/k"}), Keys{"all"});
  EXPECT_EQ(keys_of("SELECT VALUE 1", {"/k"}), Keys{});
  EXPECT_EQ(keys_of("SELECT * FROM c WHERE c.k = 1", {}), Keys{"all"});
}

TEST(KeyFilter, GivesPrefixesOfHierarchicalKeys) {
  constexpr auto kMultiHash = PartitionKeyDefinition::Kind::kMultiHash;
  EXPECT_EQ(keys_of("SELECT * FROM c WHERE c.a = 1 AND c.b IN (2, 3)", {"/a", "/b", "/c"}, kMultiHash), (Keys{"[1,2]", "[1,3]"}));
  EXPECT_EQ(keys_of("SELECT * FROM c WHERE c.a = 1 AND c.b = 2 AND c.c = 'x'", {"/a", "/b", "/c"}, kMultiHash),
            Keys{"[1,2,\"x\"]"});
  EXPECT_EQ(keys_of("SELECT * FROM c WHERE c.b = 2", {"/a", "/b", "/c"}, kMultiHash), Keys{"all"});
  EXPECT_EQ(keys_of("SELECT * FROM c WHERE (c.a = 1 AND c.b = 2) OR (c.a = 3 AND c.b = 4)", {"/a", "/b"}, kMultiHash),
            (Keys{"[1,2]", "[3,4]"}));
}

// Two lists in a short text can have very many combinations.
TEST(KeyFilter, CombinesNoMoreThanIsWorthItsTime) {
  const auto keys_of_lists = [](int values, std::string_view one, std::string_view other) {
    std::vector<int> list(static_cast<size_t>(values));
    std::iota(list.begin(), list.end(), 0);
    const std::string text = fmt::format("SELECT * FROM c WHERE {1} IN ({0}) AND {2} IN ({0})", fmt::join(list, ","), one, other);
    return keys_of(text, {"/a", "/b"}, PartitionKeyDefinition::Kind::kMultiHash);
  };
  EXPECT_EQ(keys_of_lists(16, "c.a", "c.b").size(), 256u);
  for (const bool is_first : {true, false}) {
    const Keys prefixes = keys_of_lists(300, is_first ? "c.a" : "c.b", is_first ? "c.b" : "c.a");
    EXPECT_EQ(prefixes.size(), 300u);
    EXPECT_TRUE(prefixes.contains("[0]"));
  }
}

}  // namespace
}  // namespace partita::query
