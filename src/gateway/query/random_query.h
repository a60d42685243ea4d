#pragma once

#include "gateway/query/random_shape.h"

#include <fmt/format.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

// For tests: documents, indexing policies and queries at random, the same for the same seed.
namespace partita {

inline const std::vector<std::string> kRandomNames = {"a", "b", "d", "e"};
inline const std::vector<std::string> kRandomNumbers = {
    "0", "1", "2", "2.5", "-1", "3", "1e300", "9007199254740992", "9007199254740993", "-9007199254740993"};
inline const std::vector<std::string> kRandomStrings = {R"("")",       R"("a")",       R"("ab")", R"("abc")", R"("b")",
                                                        R"("\u0000")", R"("a\u0000")", R"("Ab")", R"("é")",   R"("😀")"};

// Longer than what the index keeps of a string; they differ only behind that.
inline std::string long_string(char last) { return fmt::format(R"("{}{}")", std::string(1024, 'x'), last); }

// QueryGenerator: few properties and few values, so that queries find something and values meet at the edges of ranges.
class QueryGenerator {
 public:
  explicit QueryGenerator(uint64_t seed) : random_(seed) {}

  std::string policy();
  // What coordinates mean in that policy.
  bool is_plane() const { return is_plane_; }
  // Whether the container declares that /v has vectors.
  bool has_embedding() const { return has_embedding_; }
  // The id and the partition key are made from the ordinal.
  std::string document(size_t ordinal);
  std::string query();
  // Each row begins with the id of the document that it comes from, and depends on no other one.
  std::string row_query();

 private:
  size_t below(size_t bound) { return random_() % bound; }
  bool chance(size_t percent) { return below(100) < percent; }
  std::string pick(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

  std::string composites();
  std::string order();
  std::string value(size_t depth);
  std::string path();
  std::string constant();
  std::string filter(size_t depth);
  std::string test();
  std::string array_test();
  std::string subquery_test();
  std::string shape_test();
  std::string search();
  std::string aggregation();
  std::string over_subquery();
  std::string text_test();
  std::string text();
  std::string vector();

  std::mt19937_64 random_;
  bool is_plane_ = false;
  bool has_embedding_ = false;
};

inline std::string QueryGenerator::policy() {
  const std::string paths = pick({R"("automatic":true)", R"("automatic":true)", R"("excludedPaths":[{"path":"/a/?"}])",
                                  R"("excludedPaths":[{"path":"/b/*"},{"path":"/d/[]/?"},{"path":"/s/*"}])",
                                  R"("includedPaths":[{"path":"/a/?"},{"path":"/d/[]/*"}],"excludedPaths":[{"path":"/*"}])",
                                  R"("indexingMode":"none","automatic":false)"});
  is_plane_ = chance(25);
  const std::string box = is_plane_ ? R"(,"boundingBox":{"xmin":0,"ymin":0,"xmax":1,"ymax":2})" : "";
  const std::string spatial =
      chance(70) ? fmt::format(R"(,"spatialIndexes":[{{"path":"/{}"{}}}])", pick({"s/?", "s/*", "*"}), box) : "";
  has_embedding_ = chance(70);
  const std::string search =
      (has_embedding_ ? R"(,"fullTextIndexes":[{"path":"/t"}],"vectorIndexes":[{"path":"/v","type":"flat"}])" : "") + spatial;
  return paths.contains("none") ? fmt::format("{{{}{}}}", paths, search)
                                : fmt::format(R"({{{},"compositeIndexes":[{}]{}}})", paths, composites(), search);
}

// Every two properties in one of the two ways, and some others.
inline std::string QueryGenerator::composites() {
  std::string out = R"([{"path":"/a/b"},{"path":"/d","order":"descending"}])";
  for (const std::string& first : kRandomNames) {
    for (const std::string& second : kRandomNames) {
      if (first == second || chance(20)) continue;
      out += fmt::format(R"(,[{{"path":"/{}"{}}},{{"path":"/{}"{}}}])", first, pick({"", R"(,"order":"descending")"}), second,
                         pick({"", R"(,"order":"descending")"}));
    }
  }
  return out + R"(,[{"path":"/e"},{"path":"/a"},{"path":"/b","order":"descending"}],[{"path":"/d/[]"},{"path":"/e"}])";
}

// One key, or several that may be those of a composite index.
inline std::string QueryGenerator::order() {
  const auto direction = [&] { return pick({"", " DESC"}); };
  if (chance(50)) return path() + direction();
  if (chance(10)) return fmt::format("c.a.b{}, c.d{}", direction(), direction());
  if (chance(10)) return fmt::format("c.e{}, c.a{}, c.b{}", direction(), direction(), direction());
  return fmt::format("c.{}{}, c.{}{}", pick(kRandomNames), direction(), pick(kRandomNames), direction());
}

inline std::string QueryGenerator::value(size_t depth) {
  const size_t kind = below(depth > 1 ? 60 : 100);
  if (kind < 25) return pick(kRandomNumbers);
  if (kind < 45) return pick(kRandomStrings);
  if (kind < 48) return long_string(static_cast<char>('a' + below(2)));
  if (kind < 60) return pick({"null", "true", "false"});
  std::string out = kind < 85 ? "[" : "{";
  for (size_t i = 0, size = below(4); i < size; ++i) {
    if (i > 0) out += ",";
    if (kind >= 85) out += fmt::format(R"("{}":)", pick(kRandomNames));
    out += value(depth + 1);
  }
  return out + (kind < 85 ? "]" : "}");
}

inline std::string QueryGenerator::document(size_t ordinal) {
  std::string out = fmt::format(R"({{"id":"{}","pk":"{}")", ordinal, ordinal % 7);
  for (const std::string& name : kRandomNames) {
    if (chance(80)) out += fmt::format(R"(,"{}":{})", name, value(0));
    if (chance(3)) out += fmt::format(R"(,"{}":{})", name, value(0));  // once more: only the last one counts
  }
  if (chance(70)) out += fmt::format(R"(,"s":{})", random_shape(random_));
  if (chance(80)) out += fmt::format(R"(,"t":{})", chance(90) ? text() : value(0));
  if (chance(80)) out += fmt::format(R"(,"v":{})", chance(90) ? vector() : value(0));
  return out + "}";
}

inline std::string QueryGenerator::path() {
  std::string path = "c." + pick(kRandomNames);
  if (chance(25)) path += "." + pick(kRandomNames);
  if (chance(8)) path += fmt::format("[{}]", below(3));
  return path;
}

inline std::string QueryGenerator::constant() {
  const size_t kind = below(100);
  if (kind < 45) return pick(kRandomNumbers);
  if (kind < 80) return pick(kRandomStrings);
  if (kind < 84) return long_string('a');
  if (kind < 96) return pick({"null", "true", "false"});
  return chance(50) ? pick({"undefined", "[1]", "[]", "{}", R"({"a":1})"}) : value(0);
}

inline std::string QueryGenerator::array_test() {
  const std::string array = "c." + pick(kRandomNames);
  switch (below(6)) {
    case 0: return fmt::format("ARRAY_CONTAINS({}, {})", array, constant());
    case 1: return fmt::format(R"(ARRAY_CONTAINS({}, {{"{}": {}}}, true))", array, pick(kRandomNames), constant());
    case 2: return fmt::format("EXISTS (SELECT VALUE t FROM t IN {} WHERE t >= {} AND t <= {})", array, constant(), constant());
    case 3:
      return fmt::format("EXISTS (SELECT VALUE t FROM t IN {} WHERE t.{} = {} OR t = {})", array, pick(kRandomNames), constant(),
                         constant());
    case 4: return fmt::format("ARRAY_CONTAINS_{}({}, {}, {})", pick({"ANY", "ALL"}), array, constant(), constant());
    default: return fmt::format("ARRAY_CONTAINS([{}, {}], {})", pick(kRandomNumbers), pick(kRandomStrings), path());
  }
}

// What documents must have for sub-queries to have rows.
inline std::string QueryGenerator::subquery_test() {
  const std::string rows = fmt::format("FROM t IN c.{} WHERE t{} {} {}", pick(kRandomNames), pick({"", ".a", ".b"}),
                                       pick({"=", ">", "!="}), constant());
  const std::string comparison = fmt::format("{} {}", pick({"=", "!=", "<", "<=", ">", ">="}), below(3));
  switch (below(7)) {
    case 0: return fmt::format("EXISTS (SELECT VALUE 1 WHERE {} = {})", path(), constant());
    case 1: return fmt::format("(SELECT VALUE COUNT(1) {}) {}", rows, comparison);
    case 2: return fmt::format("ARRAY_LENGTH(ARRAY(SELECT VALUE t {})) {}", rows, comparison);
    case 3: return fmt::format("{} < (SELECT VALUE COUNT(t) {})", below(3), rows);
    case 4: return fmt::format("(SELECT VALUE MAX(t) {}) {}", rows, comparison);
    case 5: return fmt::format("EXISTS (SELECT VALUE s FROM (SELECT VALUE t {}) AS s WHERE s >= {})", rows, constant());
    default: return fmt::format("ALL(SELECT VALUE t {})", rows);
  }
}

inline std::string QueryGenerator::text() {
  std::string words;
  for (size_t i = 0, size = below(6); i < size; ++i) {
    words += (i == 0 ? "" : " ") + pick({"red", "reds", "Blue", "bicycle", "bicycles,", "the", "swimming", "swim"});
  }
  return "\"" + words + "\"";
}

inline std::string QueryGenerator::vector() {
  std::string numbers = pick({"0", "1", "-1", "0.5"});
  for (size_t i = 0, size = chance(90) ? 2 : below(4); i < size; ++i) numbers += "," + pick({"0", "1", "-1", "2.5", "3"});
  return "[" + numbers + "]";
}

inline std::string QueryGenerator::text_test() {
  const std::string function = pick({"", "All", "Any"});
  return fmt::format("FullTextContains{}(c.t, {}{})", function, text(), function.empty() ? "" : ", " + text());
}

inline std::string QueryGenerator::shape_test() {
  const std::string shape = random_shape(random_);
  switch (below(4)) {
    case 0: return fmt::format("ST_WITHIN(c.s, {})", shape);
    case 1: return fmt::format("ST_INTERSECTS({}, c.s)", shape);
    case 2: return fmt::format("ST_WITHIN({}, c.s)", shape);
    default:
      return fmt::format("ST_DISTANCE(c.s, {}) {}", shape,
                         pick({"< 30000", "<= 0", "< 0.2", "> 100000", "BETWEEN 1 AND 200000", "= 0", "< 1e9", "< -1"}));
  }
}

inline std::string QueryGenerator::test() {
  switch (below(17)) {
    case 0:
    case 1:
    case 2: return fmt::format("{} {} {}", path(), pick({"=", "=", "!=", "<", "<=", ">", ">="}), constant());
    case 3: return fmt::format("{} {} {}", constant(), pick({"=", "<", ">="}), path());
    case 4: return fmt::format("{} {}BETWEEN {} AND {}", path(), pick({"", "NOT "}), constant(), constant());
    case 5: return fmt::format("{} {}IN ({}, {}, {})", path(), pick({"", "NOT "}), constant(), constant(), constant());
    case 6:
      return fmt::format("{}({}, {}{})", pick({"STARTSWITH", "CONTAINS", "ENDSWITH", "STRINGEQUALS"}), path(),
                         pick(kRandomStrings), pick({"", "", ", true", ", false"}));
    case 7: return fmt::format("{} {}LIKE '{}'", path(), pick({"", "NOT "}), pick({"a%", "%b", "a_", "ab", "%", "[ab]%"}));
    case 8:
      return fmt::format("{}({})",
                         pick({"IS_DEFINED", "IS_NULL", "IS_BOOL", "IS_NUMBER", "IS_STRING", "IS_ARRAY", "IS_OBJECT",
                               "IS_PRIMITIVE", "IS_INTEGER"}),
                         path());
    case 9: return path();
    case 10:
      return fmt::format(fmt::runtime(pick({"ABS({0}) < {1}", "LENGTH({0}) = {1}", "({0} ?? 1) = {1}", "{0} + 1 > {1}",
                                            "LOWER({0}) = {1}", "({0} > 1 ? {0} : 2) = {1}"})),
                         path(), constant());
    case 11:
    case 12: return shape_test();
    case 13: return text_test();
    case 14:
    case 15: return subquery_test();
    default: return array_test();
  }
}

inline std::string QueryGenerator::filter(size_t depth) {
  if (depth > 2 || chance(45)) return test();
  if (chance(20)) return fmt::format("NOT ({})", filter(depth + 1));
  return fmt::format("({} {} {})", filter(depth + 1), pick({"AND", "AND", "OR"}), filter(depth + 1));
}

// Orders by distance and by relevance, and what relevance is computed from.
inline std::string QueryGenerator::search() {
  const std::string where = chance(90) ? " WHERE " + filter(0) : "";
  const std::string top = pick({"", "TOP 3 ", "TOP 30 "});
  const std::string terms = text() + (chance(50) ? ", " + text() : "");
  switch (below(5)) {
    case 0:
      return fmt::format("SELECT {}c.id FROM c{} ORDER BY VectorDistance(c.v, {}, false, {{'distanceFunction': '{}'}}){}", top,
                         where, vector(), pick({"cosine", "euclidean", "dotproduct"}), pick({"", " ASC", " DESC"}));
    case 1:
      return fmt::format("SELECT {}c.id FROM c{} ORDER BY _FullTextScore(c.t, [{}, {}], {}, 300, [{}, 10]){}", top, where, text(),
                         text(), pick({"0", "120", "-1"}), below(20), pick({" DESC", " DESC", ""}));
    case 2:
      return fmt::format(
          "SELECT COUNT(1) AS n, SUM(_FullTextWordCount(c.t)) AS words, [COUNTIF(FullTextContains(c.t, {})), "
          "COUNTIF(FullTextContains(c.t, {}))] AS hits FROM c{}",
          text(), text(), chance(50) ? where : "");
    case 3: return fmt::format("SELECT {}c.id FROM c{} ORDER BY RANK FullTextScore(c.t, {})", top, where, terms);
    default: {
      const std::string other =
          chance(30) ? fmt::format("VectorDistance(c.v, {})", vector()) : fmt::format("FullTextScore(c.t, {})", text());
      return fmt::format("SELECT {}c.id FROM c{} ORDER BY RANK RRF(FullTextScore(c.t, {}), {}{})", top, where, terms, other,
                         pick({"", ", [1, 2]", ", [1, -1]"}));
    }
  }
}

inline std::string QueryGenerator::aggregation() {
  const std::string where = chance(80) ? " WHERE " + filter(0) : "";
  const std::string key = path();
  const std::string other = path();
  const std::string aggregate = fmt::format("{}({})", pick({"MIN", "MAX", "COUNT", "SUM", "AVG"}), chance(50) ? key : other);
  switch (below(8)) {
    case 0: return fmt::format("SELECT VALUE COUNT(1) FROM c{}", where);
    case 1: return fmt::format("SELECT VALUE {} FROM c{}", aggregate, where);
    case 2: return fmt::format("SELECT MIN({0}) AS a, MAX({0}) AS b, {1} AS d FROM c{2}", key, aggregate, where);
    case 3: return fmt::format("SELECT DISTINCT VALUE {} FROM c{}", key, where);
    case 4: return fmt::format("SELECT DISTINCT VALUE {0} FROM c{1} ORDER BY {0}{2}", key, where, pick({"", " DESC"}));
    case 5: return fmt::format("SELECT DISTINCT {} AS x, {} AS y FROM c{}", key, other, where);
    case 6:
      return fmt::format("SELECT {0} AS k, {1} AS n FROM c{2} GROUP BY {0}", key, chance(50) ? "COUNT(1)" : aggregate, where);
    default: return fmt::format("SELECT {0} AS k, {1} AS l, {2} AS n FROM c{3} GROUP BY {0}, {1}", key, other, aggregate, where);
  }
}

// Sub-queries as sources, as providers of queries write them.
inline std::string QueryGenerator::over_subquery() {
  const std::string array = "c." + pick(kRandomNames);
  const std::string inner = chance(60) ? " WHERE " + filter(1) : "";
  const std::string operation = pick({"=", "!=", "<", ">=", ">"});
  switch (below(6)) {
    case 0:
      return fmt::format("SELECT VALUE r.id FROM (SELECT VALUE c FROM c{}) AS r WHERE r.{} {} {}", inner, pick(kRandomNames),
                         operation, constant());
    case 1:
      return fmt::format(
          "SELECT r.id, r.x FROM (SELECT c.id, {} AS x, {{'z': {}}} AS y FROM c{}) AS r WHERE r.x {} {} OR r.y.z = {}", path(),
          path(), inner, operation, constant(), constant());
    case 2:
      return fmt::format("SELECT c.id, s FROM c JOIN (SELECT VALUE t FROM t IN {} WHERE t.a {} {}) AS s WHERE s.b != {}", array,
                         operation, constant(), constant());
    case 3:
      return fmt::format("SELECT c.id, n FROM c JOIN (SELECT VALUE COUNT(1) FROM t IN {} WHERE t {} {}) AS n WHERE n {} {}",
                         array, operation, constant(), pick({"=", "!=", "<", ">="}), below(3));
    case 4:
      return fmt::format(
          "SELECT c.id FROM c JOIN (SELECT VALUE EXISTS(SELECT VALUE t FROM t IN {} WHERE t {} {})) AS v WHERE {}v", array,
          operation, constant(), pick({"", "NOT "}));
    default:
      return fmt::format("SELECT VALUE r FROM (SELECT {0} AS k, COUNT(1) AS n FROM c{1} GROUP BY {0}) AS r WHERE r.n {2} {3}",
                         path(), inner, operation, below(20));
  }
}

inline std::string QueryGenerator::row_query() {
  const std::string where = chance(90) ? " WHERE " + filter(0) : "";
  switch (below(5)) {
    case 0: return fmt::format("SELECT c.id, t FROM c JOIN t IN c.{}{}", pick(kRandomNames), where);
    case 1:
      return fmt::format("SELECT c.id, s FROM c JOIN (SELECT VALUE t FROM t IN c.{} WHERE t >= {}) AS s", pick(kRandomNames),
                         constant());
    case 2:
    case 3: return fmt::format("SELECT c.id, {} AS v FROM c{} ORDER BY {}", path(), where, order());
    default: return fmt::format("SELECT c.id FROM c{}", where);
  }
}

inline std::string QueryGenerator::query() {
  const std::string where = chance(90) ? " WHERE " + filter(0) : "";
  switch (below(14)) {
    case 0:
    case 1:
    case 2: return aggregation();
    case 3:
    case 4: return over_subquery();
    case 5:
    case 6: return search();
    case 7: return fmt::format("SELECT c.id, t FROM c JOIN t IN c.{}{}", pick(kRandomNames), where);
    case 8:
    case 9: {
      const std::string top = chance(60) ? fmt::format("TOP {} ", 1 + below(20)) : "";
      const std::string page = top.empty() && chance(50) ? fmt::format(" OFFSET {} LIMIT {}", below(20), below(30)) : "";
      return fmt::format("SELECT {}c.id, {} AS v FROM c{} ORDER BY {}{}", top, path(), where, order(), page);
    }
    default: return fmt::format("SELECT {}VALUE c.id FROM c{}", chance(15) ? "TOP 5 " : "", where);
  }
}

}  // namespace partita
