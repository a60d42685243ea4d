#include "cluster/test_account.h"
#include "document/json/json.h"
#include "gateway/items/items.h"
#include "gateway/query/queries.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <future>

namespace partita {
namespace {

constexpr int kDocuments = 400;
constexpr std::string_view kPolicy = R"({"spatialIndexes":[{"path":"/at/?","types":["Point"]}],
    "fullTextIndexes":[{"path":"/name"}],"vectorIndexes":[{"path":"/v","type":"flat"}]})";

class IndexUseTest : public testing::Test {
 protected:
  void SetUp() override { fill(); }

  void fill() {
    for (int i = 0; i < kDocuments; ++i) {
      create(fmt::format(R"({{"id":"{0}","pk":"{1}","n":{0},"parity":{2},"name":"name {0}","tags":["t{1}","all"],
                             "at":{{"type":"Point","coordinates":[{3},50]}},"v":[{0},1]}})",
                         i, i % 40, i % 2, i / 10.0));
    }
  }

  void create(const std::string& json) {
    std::promise<bool> is_done;
    items_.create(container_, json, std::nullopt, [&](Result<ItemOutcome> made) { is_done.set_value(made.has_value()); });
    ASSERT_TRUE(is_done.get_future().get());
  }

  Result<QueryPage> try_run(std::string_view text, std::optional<int64_t> deadline_steady_us = std::nullopt) {
    query::Schema schema;
    schema.embeddings.push_back({*DocumentPath::parse("/v"), VectorMetric::kEuclidean});
    const Result<query::Plan> plan = query::compile({std::string(text), {}}, schema);
    EXPECT_TRUE(plan) << text;
    query::Environment environment{.clock = account_.clock, .random = account_.random};
    environment.deadline_steady_us = deadline_steady_us;
    std::promise<Result<QueryPage>> answer;
    run_query(container_, *plan, QueryRequest{}, environment, [&](Result<QueryPage> page) { answer.set_value(std::move(page)); });
    return answer.get_future().get();
  }

  QueryPage run(std::string_view text) { return *try_run(text); }

  static std::string json(const QueryPage& page) {
    std::string text;
    for (const std::string& row : page.rows) text += to_json(Value::view(row)) + " ";
    return text;
  }

  TestAccount account_;
  Items items_{account_.clock, account_.documents, account_.random};
  std::shared_ptr<const Container> container_ = account_.make_container("c", {"/pk"}, 400, kPolicy);
};

}  // namespace

TEST_F(IndexUseTest, AnEqualityReadsOnlyWhatItFinds) {
  const QueryPage page = run("SELECT * FROM c WHERE c.n = 17");
  EXPECT_EQ(page.rows.size(), 1U);
  EXPECT_EQ(page.documents_read, 1U);
  EXPECT_EQ(page.access, "/n = 17");
}

// Of every kind that an index serves, alone, behind JOIN, in sub-queries and beside what no index knows.
constexpr std::string_view kServed[] = {
    "c.key = 'k7'",
    "c.o['p q'] = 7",
    "c.key IN ('k7', 'k9')",
    "c.key >= 'k7' AND c.key < 'k70'",
    "c.o['p q'] BETWEEN 7 AND 8",
    "STARTSWITH(c.key, 'k7')",
    "c.key LIKE 'k7_'",
    "c.key LIKE '%k7'",
    "CONTAINS(c.key, 'k77')",
    "ENDSWITH(c.key, 'k77')",
    "REGEXMATCH(c.key, '^k[78]$')",
    "STRINGEQUALS(c.key, 'K7', true)",
    "LOWER(c.key) = 'k7'",
    "c.o['p q'] + 1 = 8",
    "ARRAY_CONTAINS(c.list, 'k7')",
    "ARRAY_CONTAINS(c.parts, {'name': 'k7'}, true)",
    "ARRAY_CONTAINS_ANY(c.list, 'k7', 'k8')",
    "ARRAY_CONTAINS_ALL(c.list, 'k7', 'x')",
    "c.parts[0].name = 'k7'",
    "c.parts[0] = {'name': 'k7', 'n': 7}",
    "EXISTS (SELECT VALUE p FROM p IN c.parts WHERE p.name = 'k7')",
    "EXISTS (SELECT VALUE p FROM p IN c.parts WHERE p.n > 7 AND p.n < 9)",
    "EXISTS (SELECT VALUE 1 WHERE c.key = 'k7')",
    "(SELECT VALUE COUNT(1) FROM p IN c.parts WHERE p.name = 'k7') > 0",
    "ARRAY_LENGTH(ARRAY(SELECT VALUE p FROM p IN c.parts WHERE p.name = 'k7')) = 1",
    "IS_DEFINED(c.rare)",
    "IS_NUMBER(c.rare)",
    "c.key = 'k7' AND LENGTH(c.name) > 0 AND c.parity < 2",
    "c.key = 'k7' OR c.o['p q'] = 9",
    "(c.key = 'k7' OR c.key = 'k8') AND (c.o['p q'] = 8 OR IS_DEFINED(c.rare))",
    "NOT (c.key != 'k7')",
};

TEST_F(IndexUseTest, WhatAPredicateReadsDoesNotGrowWithTheContainer) {
  const auto fill_up = [&](int from, int to, std::string_view prefix) {
    for (int i = from; i < to; ++i) {
      create(fmt::format(R"({{"id":"x{0}","pk":"p","name":"x","parity":1,"key":"{1}{0}","o":{{"p q":{2}}},"list":["{1}{0}","x"],
                             "parts":[{{"name":"{1}{0}","n":{2}}}]{3}}})",
                         i, prefix, prefix == "k" ? i : -i, i == 7 ? R"(,"rare":1)" : ""));
    }
  };
  std::vector<std::string> queries;
  for (const std::string_view predicate : kServed) queries.push_back(fmt::format("SELECT VALUE c.id FROM c WHERE {}", predicate));
  for (const std::string_view text :
       {"SELECT c.id, p FROM c JOIN p IN c.parts WHERE p.name = 'k7'",
        "SELECT c.id FROM c JOIN (SELECT VALUE p FROM p IN c.parts WHERE p.name = 'k7') AS s",
        "SELECT VALUE r.id FROM (SELECT VALUE c FROM c) AS r WHERE r.key = 'k7'",
        "SELECT VALUE r.a FROM (SELECT c.id AS a, c.key AS b FROM c) AS r WHERE r.b = 'k7'",
        "SELECT VALUE c.id FROM c JOIN (SELECT VALUE EXISTS(SELECT VALUE p FROM p IN c.parts WHERE p.n = 7)) AS v WHERE v",
        "SELECT VALUE c.id FROM c JOIN (SELECT VALUE COUNT(1) FROM p IN c.parts WHERE p.n = 7) AS v WHERE v > 0",
        "SELECT p.name, COUNT(1) AS n FROM c JOIN p IN c.parts WHERE c.key = 'k7' GROUP BY p.name",
        "SELECT VALUE MAX(c.o['p q']) FROM c", "SELECT TOP 3 VALUE c.id FROM c ORDER BY c.o['p q'] DESC",
        "SELECT DISTINCT VALUE c.parity FROM c ORDER BY c.parity DESC"}) {
    queries.emplace_back(text);
  }
  fill_up(0, 100, "k");
  std::vector<QueryPage> before;
  for (const std::string& text : queries) before.push_back(run(text));
  fill_up(100, 1000, "other ");
  for (size_t i = 0; i < queries.size(); ++i) {
    const QueryPage after = run(queries[i]);
    EXPECT_GE(after.rows.size(), 1U) << queries[i];
    EXPECT_EQ(json(after), json(before[i])) << queries[i];
    EXPECT_EQ(after.documents_read, before[i].documents_read) << queries[i] << " by " << after.access;
    EXPECT_LE(after.documents_read, 20U) << queries[i] << " by " << after.access;
  }
}

TEST_F(IndexUseTest, OfSeveralPredicatesTheShortestDrives) {
  const QueryPage page = run("SELECT * FROM c WHERE c.parity = 1 AND c.n >= 100 AND c.n < 103");
  EXPECT_EQ(page.rows.size(), 1U);
  EXPECT_LE(page.documents_read, 3U);
  EXPECT_EQ(page.access, "/n [100, 103)");
  EXPECT_LT(page.index_entries_read, kDocuments / 2U);
}

TEST_F(IndexUseTest, PredicatesOfSimilarLengthAreIntersected) {
  const QueryPage page = run("SELECT * FROM c WHERE c.n BETWEEN 40 AND 69 AND ARRAY_CONTAINS(c.tags, 't3')");
  EXPECT_EQ(page.rows.size(), 1U);
  EXPECT_EQ(page.documents_read, 1U);
}

TEST_F(IndexUseTest, AShortEqualityDrivesBeforeOthersStart) {
  const QueryPage page = run("SELECT * FROM c WHERE ARRAY_CONTAINS(c.tags, 't3') AND c.n BETWEEN 40 AND 49");
  EXPECT_EQ(page.rows.size(), 1U);
  EXPECT_EQ(page.access, R"(/tags/[] = "t3")");
  EXPECT_EQ(page.index_entries_read, 10U);
}

TEST_F(IndexUseTest, ShapesAreFoundByTheirCells) {
  const QueryPage near =
      run(R"(SELECT VALUE c.id FROM c WHERE ST_DISTANCE(c.at, {"type":"Point","coordinates":[20,50]}) < 8000)");
  EXPECT_EQ(json(near), R"("199" "200" "201" )");
  EXPECT_LE(near.documents_read, 6U);
  EXPECT_LE(near.index_entries_read, 40U);
  const QueryPage inside = run(
      R"(SELECT VALUE c.id FROM c WHERE ST_WITHIN(c.at, {"type":"Polygon","coordinates":[[[1,49],[1.25,49],[1.25,51],[1,51],[1,49]]]})
         AND c.parity = 1)");
  EXPECT_EQ(json(inside), R"("11" )");
  EXPECT_LE(inside.documents_read, 10U);
}

TEST_F(IndexUseTest, TextsAreFoundByTheirWords) {
  const QueryPage page = run("SELECT VALUE c.id FROM c WHERE FullTextContainsAll(c.name, '17', 'names')");
  EXPECT_EQ(json(page), R"("17" )");
  EXPECT_EQ(page.documents_read, 1U);
  EXPECT_EQ(page.access, R"(/name (words) = "17")");
  const QueryPage phrase = run("SELECT VALUE c.id FROM c WHERE FullTextContains(c.name, 'name 18')");
  EXPECT_EQ(json(phrase), R"("18" )");
  EXPECT_EQ(phrase.documents_read, 1U);
}

TEST_F(IndexUseTest, TheMostRelevantTextsAreFoundByTheirWords) {
  const QueryPage ranked = run("SELECT TOP 1 VALUE c.id FROM c ORDER BY RANK FullTextScore(c.name, 'name 17', '18')");
  EXPECT_EQ(json(ranked), R"("17" )");
  EXPECT_EQ(ranked.documents_read, 2U);
  EXPECT_EQ(ranked.access, "/name (words) by hits");
  const QueryPage scored =
      run("SELECT TOP 2 VALUE c.id FROM c WHERE c.n < 18 ORDER BY _FullTextScore(c.name, ['17', '16', '18'], 400, 800, [1, 1, "
          "1]) DESC");
  EXPECT_EQ(json(scored), R"("17" "16" )");
  EXPECT_LE(scored.documents_read, 3U);
  const QueryPage more = run("SELECT TOP 3 VALUE c.id FROM c ORDER BY RANK FullTextScore(c.name, '17')");
  EXPECT_EQ(json(more), R"("17" "0" "1" )");  // others do for what hits leave
}

TEST_F(IndexUseTest, ARankedQueryReadsOnlyWhatPassesItsFilter) {
  const QueryPage page = run(
      "SELECT VALUE c.id FROM c WHERE FullTextContainsAny(c.name, '17', '18') ORDER BY RANK FullTextScore(c.name, 'name', '18')");
  EXPECT_EQ(json(page), R"("18" "17" )");
  EXPECT_EQ(page.documents_read, 2U);
}

TEST_F(IndexUseTest, StatisticsOfTextsNeedNoDocuments) {
  const QueryPage page =
      run("SELECT COUNT(1) AS n, [{words: SUM(_FullTextWordCount(c.name)), hits: [COUNTIF(FullTextContains(c.name, 'name 17')), "
          "COUNTIF(FullTextContains(c.name, 'name'))]}] AS texts FROM c");
  EXPECT_EQ(json(page), R"({"n":400,"texts":[{"words":800,"hits":[1,400]}]} )");
  EXPECT_EQ(page.documents_read, 0U);
  EXPECT_EQ(page.access, "sums of /name (words)");
}

TEST_F(IndexUseTest, TheNearestVectorsAreFoundWithoutLoadingOthers) {
  const QueryPage page = run("SELECT TOP 3 VALUE c.id FROM c ORDER BY VectorDistance(c.v, [200.1, 1])");
  EXPECT_EQ(json(page), R"("200" "201" "199" )");
  EXPECT_LE(page.documents_read, 4U);
  EXPECT_EQ(page.index_entries_read, static_cast<uint64_t>(kDocuments));
  EXPECT_EQ(page.access, "/v (vector) by distance");
  create(R"({"id":"beyond what a float holds","pk":"p","v":[1e300,1]})");
  EXPECT_EQ(json(run("SELECT TOP 3 VALUE c.id FROM c ORDER BY VectorDistance(c.v, [200.1, 1])")), R"("200" "201" "199" )");
}

TEST_F(IndexUseTest, TheNearestVectorsAreThoseThatPassTheFilter) {
  const QueryPage page =
      run("SELECT TOP 2 VALUE c.id FROM c WHERE c.pk = '3' AND c.n > 100 "
          "ORDER BY VectorDistance(c.v, [0, 1], false, {distanceFunction: 'euclidean'})");
  EXPECT_EQ(json(page), R"("123" "163" )");
  EXPECT_LE(page.documents_read, 5U);
}

TEST_F(IndexUseTest, AlternativesAreUnited) {
  const QueryPage page = run("SELECT * FROM c WHERE c.n IN (1, 2, 3) OR c.name = 'name 7'");
  EXPECT_EQ(page.rows.size(), 4U);
  EXPECT_EQ(page.documents_read, 4U);
}

TEST_F(IndexUseTest, ValuesAreTestedWithoutLoadingDocuments) {
  const QueryPage page = run("SELECT * FROM c WHERE ENDSWITH(c.name, ' 7') OR CONTAINS(c.name, ' 39')");
  EXPECT_EQ(page.rows.size(), 12U);
  EXPECT_EQ(page.documents_read, 12U);
}

TEST_F(IndexUseTest, APredicateThatMostDocumentsMeetIsNotWorthAnIndex) {
  const QueryPage page = run("SELECT * FROM c WHERE c.n >= 10");
  EXPECT_EQ(page.rows.size(), kDocuments - 10U);
  EXPECT_EQ(page.access, "scan");
}

TEST_F(IndexUseTest, AnOrderIsReadFromTheIndexAsFarAsItIsWanted) {
  const QueryPage last = run("SELECT TOP 3 VALUE c.n FROM c ORDER BY c.n DESC");
  EXPECT_EQ(json(last), "399 398 397 ");
  EXPECT_LE(last.documents_read, 4U);
  EXPECT_EQ(last.access, "/n in order, backwards");
  const QueryPage first = run("SELECT TOP 3 VALUE c.n FROM c WHERE c.n >= 5 ORDER BY c.n");
  EXPECT_EQ(json(first), "5 6 7 ");
  EXPECT_LE(first.documents_read, 4U);
}

TEST_F(IndexUseTest, DocumentsWithoutTheValueAreFoundByTheirShape) {
  create(R"({"id":"bare","pk":"p"})");
  create(R"({"id":"barer","pk":"p","m":1})");
  const QueryPage first = run("SELECT TOP 4 VALUE c.id FROM c ORDER BY c.n");
  EXPECT_EQ(json(first), R"("bare" "barer" "0" "1" )");
  EXPECT_LE(first.documents_read, 5U);
  EXPECT_LE(first.index_entries_read, 10U);
  const QueryPage last = run("SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.parity) OR c.n = 1 ORDER BY c.n DESC");
  EXPECT_EQ(json(last), R"("1" "barer" "bare" )");
}

TEST_F(IndexUseTest, AnOrderOfSeveralKeysIsReadFromACompositeIndex) {
  const std::string policy =
      R"({"compositeIndexes":[[{"path":"/parity","order":"descending"},{"path":"/n","order":"ascending"}]]})";
  container_ = account_.make_container("composite", {"/pk"}, 400, policy);
  fill();
  const QueryPage forwards = run("SELECT TOP 3 VALUE c.n FROM c ORDER BY c.parity, c.n DESC");
  EXPECT_EQ(json(forwards), "398 396 394 ");
  EXPECT_LE(forwards.documents_read, 4U);
  EXPECT_EQ(forwards.access, "/parity, /n DESC in order");
  const QueryPage backwards = run("SELECT TOP 3 VALUE c.n FROM c ORDER BY c.parity DESC, c.n");
  EXPECT_EQ(json(backwards), "1 3 5 ");
  EXPECT_LE(backwards.documents_read, 4U);
  const QueryPage filtered = run("SELECT TOP 3 VALUE c.n FROM c WHERE c.parity = 1 ORDER BY c.parity, c.n DESC");
  EXPECT_EQ(json(filtered), "399 397 395 ");
  EXPECT_LE(filtered.documents_read, 4U);
  EXPECT_EQ(run("SELECT TOP 3 VALUE c.n FROM c ORDER BY c.parity, c.n").access, "scan");
}

TEST_F(IndexUseTest, AnOrderBehindAFixedValueIsReadFromACompositeIndex) {
  const std::string policy =
      R"({"compositeIndexes":[[{"path":"/parity","order":"descending"},{"path":"/n","order":"descending"}],
                              [{"path":"/parity"},{"path":"/name","order":"descending"}]]})";
  container_ = account_.make_container("composite", {"/pk"}, 400, policy);
  fill();
  const QueryPage forwards = run("SELECT TOP 3 VALUE c.n FROM c WHERE c.parity = 1 ORDER BY c.n");
  EXPECT_EQ(json(forwards), "1 3 5 ");
  EXPECT_LE(forwards.documents_read, 4U);
  EXPECT_LE(forwards.index_entries_read, 4U);
  EXPECT_EQ(forwards.access, "/parity =, /n in order");
  const QueryPage backwards = run("SELECT TOP 3 VALUE c.n FROM c WHERE c.parity = 0 AND c.n < 100 ORDER BY c.n DESC");
  EXPECT_EQ(json(backwards), "98 96 94 ");
  EXPECT_LE(backwards.documents_read, 4U);
  create(R"({"id":"bare","pk":"p","parity":0})");
  EXPECT_EQ(json(run("SELECT TOP 2 VALUE c.id FROM c WHERE c.parity = 0 ORDER BY c.n")), R"("bare" "0" )");
  EXPECT_EQ(run("SELECT TOP 3 VALUE c.n FROM c WHERE c.parity = 1 ORDER BY c.name DESC").access, "/name in order, backwards")
      << "entries of equal names are in the wrong order";
}

TEST_F(IndexUseTest, APredicateThatIsMadeAgainAndAgainIsTestedByNumbers) {
  const std::string_view text = "SELECT TOP 3 VALUE c.n FROM c WHERE ARRAY_CONTAINS(c.tags, 'many') ORDER BY c.n";
  const auto tagged = [](int i) { return fmt::format(R"({{"id":"tagged {0}","pk":"p","n":{0},"tags":["many"]}})", i); };
  for (int i = 1000; i < 1200; ++i) create(tagged(i));
  const QueryPage first = run(text);
  EXPECT_GE(first.documents_read, kDocuments + 3U);
  EXPECT_EQ(first.access, "/n in order");
  const QueryPage second = run(text);
  EXPECT_LE(second.documents_read, 4U);
  EXPECT_EQ(second.access, R"(/n in order, known: /tags/[] = "many")");
  EXPECT_EQ(second.rows, first.rows);
  const QueryPage again = run(text);
  EXPECT_EQ(second.index_entries_read, again.index_entries_read + 200U) << "what was learned is charged, once";
  EXPECT_GT(second.charge, again.charge);
  create(tagged(-1));
  create(R"({"id":"other","pk":"p","n":-2})");
  const QueryPage third = run(text);
  EXPECT_EQ(json(third).substr(0, 8), "-1 1000 ");
  EXPECT_LE(third.documents_read, 5U) << "of what was written since nothing is known";
  for (int i = 0; i < 2000; ++i) create(fmt::format(R"({{"id":"new {0}","pk":"p","n":{1}}})", i, 2000 + i));
  EXPECT_EQ(run(text).access, "/n in order") << "too much was written";
}

TEST_F(IndexUseTest, WhatIsKnownOfALongPredicateNarrowsThoseOfAShortOne) {
  const std::string_view text = "SELECT VALUE c.n FROM c WHERE c.n >= 0 AND c.n < 20 AND ARRAY_CONTAINS(c.tags, 'many')";
  for (int i = 0; i < 200; ++i) create(fmt::format(R"({{"id":"tagged {0}","pk":"p","n":{1},"tags":["many"]}})", i, 1000 + i));
  const QueryPage first = run(text);
  EXPECT_EQ(first.documents_read, 20U);
  EXPECT_EQ(first.access, "/n [0, 20)");
  const QueryPage second = run(text);
  EXPECT_EQ(second.documents_read, 0U);
  EXPECT_EQ(second.access, R"(/n [0, 20), known: /tags/[] = "many")");
  EXPECT_EQ(second.index_entries_read, run(text).index_entries_read + 200U) << "what was learned is charged, once";
  create(R"({"id":"new","pk":"p","n":7,"tags":["many"]})");
  EXPECT_EQ(json(run(text)), "7 ");
}

TEST_F(IndexUseTest, ThatEveryDocumentHasAValueIsRemembered) {
  const std::string_view text = "SELECT TOP 2 VALUE c.id FROM c ORDER BY c.n";
  const QueryPage first = run(text);
  EXPECT_EQ(json(first), R"("0" "1" )");
  const QueryPage second = run(text);
  EXPECT_EQ(json(second), json(first));
  EXPECT_EQ(second.index_entries_read, first.index_entries_read - 1) << "the only shape is not looked for";
  create(R"({"id":"without","pk":"p"})");
  EXPECT_EQ(json(run(text)), R"("without" "0" )");
  EXPECT_EQ(json(run(text)), R"("without" "0" )");
}

TEST_F(IndexUseTest, WhatASelectiveFilterLeavesIsSorted) {
  const QueryPage page = run("SELECT TOP 3 VALUE c.n FROM c WHERE ARRAY_CONTAINS(c.tags, 't7') ORDER BY c.n DESC");
  EXPECT_EQ(json(page), "367 327 287 ");
  EXPECT_EQ(page.documents_read, 10U);
  EXPECT_EQ(page.access, R"(/tags/[] = "t7")");
}

TEST_F(IndexUseTest, DistinctValuesReadOneDocumentOfEach) {
  const QueryPage all = run("SELECT DISTINCT VALUE c.parity FROM c");
  EXPECT_EQ(json(all), "0 1 ");
  EXPECT_EQ(all.documents_read, 2U);
  EXPECT_EQ(all.access, "/parity, each value");
  const QueryPage some = run("SELECT DISTINCT VALUE c.parity FROM c WHERE c.parity > 0");
  EXPECT_EQ(json(some), "1 ");
  EXPECT_EQ(some.documents_read, 1U);
  EXPECT_EQ(run("SELECT DISTINCT VALUE c.n FROM c").documents_read, static_cast<uint64_t>(kDocuments));
}

TEST_F(IndexUseTest, TheLeastAndTheGreatestAreReadFromTheEnds) {
  const QueryPage ends = run("SELECT MIN(c.n) AS low, MAX(c.n) AS high FROM c");
  EXPECT_EQ(json(ends), R"({"low":0,"high":399} )");
  EXPECT_EQ(ends.documents_read, 2U);
  EXPECT_EQ(ends.access, "/n, ends");
  const QueryPage greatest = run("SELECT VALUE MAX(c.n) FROM c WHERE c.n < 100");
  EXPECT_EQ(json(greatest), "99 ");
  EXPECT_EQ(greatest.documents_read, 1U);
  EXPECT_EQ(json(run("SELECT VALUE MIN(c.n) FROM c WHERE c.n > 100")), "101 ");
  EXPECT_EQ(json(run("SELECT VALUE MAX(c.parity) FROM c")), "1 ");
  create(R"({"id":"text","pk":"p","n":"text"})");
  EXPECT_EQ(json(run("SELECT MIN(c.n) AS low, MAX(c.n) AS high FROM c")), R"({"low":0,"high":"text"} )");
  EXPECT_EQ(json(run("SELECT VALUE MIN(c.n) FROM c")), "0 ");
  create(R"({"id":"object","pk":"p","n":{}})");
  EXPECT_EQ(json(run("SELECT MIN(c.n) AS low, MAX(c.n) AS high FROM c")), "{} ") << "a value that has no order";
}

TEST_F(IndexUseTest, TheEndsAreRememberedUntilTheNextWrite) {
  const std::string_view greatest = "SELECT VALUE MAX(c.n) FROM c";
  const std::string_view least = "SELECT VALUE MIN(c.n) FROM c";
  const QueryPage first = run(greatest);
  EXPECT_GT(first.index_entries_read, 0U);
  const QueryPage second = run(greatest);
  EXPECT_EQ(json(second), "399 ");
  EXPECT_EQ(second.index_entries_read, 0U);
  EXPECT_EQ(second.access, first.access);
  EXPECT_EQ(json(run(least)), "0 ") << "the other end is another matter";
  EXPECT_EQ(json(run("SELECT VALUE MAX(c.n) FROM c WHERE c.n < 100")), "99 ");
  create(R"({"id":"higher","pk":"p","n":400})");
  EXPECT_EQ(json(run(greatest)), "400 ");
  create(R"({"id":"lower","pk":"p","n":-1})");
  EXPECT_EQ(json(run(greatest)), "400 ");
  EXPECT_EQ(json(run(least)), "-1 ");
}

TEST_F(IndexUseTest, ALongPredicateIsNotReadWhereAShortOneDrives) {
  const QueryPage page = run("SELECT * FROM c WHERE c.n < 80 AND c.parity = 1");
  EXPECT_EQ(page.rows.size(), 40U);
  EXPECT_EQ(page.access, "/n (..., 80)");
}

TEST_F(IndexUseTest, GroupsAreCountedByTheirEntries) {
  const QueryPage all = run("SELECT c.parity, COUNT(1) AS n, MAX(c.parity) AS high FROM c GROUP BY c.parity");
  EXPECT_EQ(json(all), R"({"parity":0,"n":200,"high":0} {"parity":1,"n":200,"high":1} )");
  EXPECT_EQ(all.documents_read, 2U);
  EXPECT_EQ(all.access, "/parity, count of each value");
  create(R"({"id":"bare","pk":"p"})");
  create(R"({"id":"barer","pk":"p"})");
  create(R"({"id":"object","pk":"p","parity":{"of":1}})");
  create(R"({"id":"other object","pk":"p","parity":{"of":2}})");
  const QueryPage more = run("SELECT c.parity, COUNT(1) AS n, COUNT(c.parity) AS m FROM c GROUP BY c.parity");
  EXPECT_EQ(json(more), R"({"n":2,"m":0} {"parity":0,"n":200,"m":200} {"parity":1,"n":200,"m":200} )"
                        R"({"parity":{"of":1},"n":1,"m":1} {"parity":{"of":2},"n":1,"m":1} )");
  EXPECT_LE(more.documents_read, 5U);
  const QueryPage some = run("SELECT c.parity, COUNT(1) AS n FROM c WHERE c.parity < 1 GROUP BY c.parity");
  EXPECT_EQ(json(some), R"({"parity":0,"n":200} )");
  EXPECT_EQ(some.documents_read, 1U);
  EXPECT_EQ(json(run("SELECT c.parity, SUM(c.parity) AS n FROM c WHERE c.parity >= 0 GROUP BY c.parity")),
            R"({"parity":0,"n":0} {"parity":1,"n":200} )");
}

TEST_F(IndexUseTest, DocumentsAreCountedWithoutReadingThem) {
  const QueryPage all = run("SELECT VALUE COUNT(1) FROM c");
  EXPECT_EQ(json(all), "400 ");
  EXPECT_EQ(all.documents_read, 0U);
  EXPECT_EQ(all.access, "counters");
  const QueryPage range = run("SELECT VALUE COUNT(1) FROM c WHERE c.n > 100");
  EXPECT_EQ(json(range), "299 ");
  EXPECT_EQ(range.documents_read, 0U);
  EXPECT_EQ(range.access, "count of /n (100, ...)");
  const QueryPage both = run("SELECT VALUE COUNT(1) FROM c WHERE c.n < 100 AND c.parity = 1");
  EXPECT_EQ(json(both), "50 ");
  EXPECT_EQ(both.documents_read, 0U);
  create(R"({"id":"bare","pk":"p"})");
  const QueryPage defined = run("SELECT VALUE COUNT(c.n) FROM c");
  EXPECT_EQ(json(defined), "400 ");
  EXPECT_EQ(defined.documents_read, 0U);
  EXPECT_EQ(json(run("SELECT VALUE COUNT(c.n) FROM c WHERE c.parity = 1")), "200 ");
  EXPECT_EQ(json(run("SELECT VALUE COUNT(undefined) FROM c")), "0 ");
  EXPECT_EQ(json(run("SELECT VALUE COUNT(c.n + 1) FROM c WHERE c.pk = 'p'")), "0 ");
}

TEST_F(IndexUseTest, ReadingTheIndexEndsWithTheTimeOfTheQuery) {
  for (int i = 0; i < 100; ++i) create(fmt::format(R"({{"id":"other {0}","pk":"p","of shape {0}":1}})", i));
  const int64_t over = account_.clock.steady_us() - 1;
  for (const std::string_view text : {
           "SELECT VALUE COUNT(1) FROM c WHERE c.n > 100",
           "SELECT VALUE COUNT(c.n) FROM c",
           "SELECT c.n FROM c WHERE c.n < 60",
           "SELECT c.n FROM c WHERE CONTAINS(c.name, '399')",
           "SELECT DISTINCT VALUE c.n FROM c",
           "SELECT c.parity, COUNT(1) AS n FROM c GROUP BY c.parity",
           "SELECT TOP 1 VALUE c.id FROM c ORDER BY c.n",
           "SELECT TOP 3 VALUE c.id FROM c ORDER BY VectorDistance(c.v, [200.1, 1])",
       }) {
    const Result<QueryPage> page = try_run(text, over);
    ASSERT_FALSE(page) << text;
    EXPECT_EQ(page.error().code, ErrorCode::kTimeout) << text;
    EXPECT_TRUE(try_run(text)) << text;
  }
  EXPECT_TRUE(try_run("SELECT VALUE MAX(c.n) FROM c", over)) << "nobody looks at the clock for so little";
}

}  // namespace partita
