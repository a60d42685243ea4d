#include "query/optimise/access.h"

#include "base/golden_file.h"
#include "document/json/json.h"
#include "query/query.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace partita::query {
namespace {

// Every path but those given.
class AllPathsBut final : public IndexedPaths {
 public:
  explicit AllPathsBut(std::vector<std::string> excluded) : excluded_(std::move(excluded)) {}
  bool is_indexed(const ValuePath& path) const override {
    return !path.steps.empty() && std::ranges::find(excluded_, to_text(path)) == excluded_.end();
  }
  bool has_words(const ValuePath& path, Language) const override { return is_indexed(path.words()); }
  std::optional<PlaneBox> cells_at(const ValuePath& path, Space) const override {
    return is_indexed(path.cells()) ? std::optional(PlaneBox{{-100, -100}, {100, 100}}) : std::nullopt;
  }

 private:
  std::vector<std::string> excluded_;
};

// Lines: `exclude /path`, `parameter @p <json>`, and the query.
std::string access_text(const std::vector<std::string>& input) {
  std::vector<std::string> excluded;
  QuerySpecification specification;
  for (const std::string& line : input) {
    const std::string rest = line.substr(line.find(' ') + 1);
    if (line.starts_with("exclude ")) {
      excluded.push_back(rest);
    } else if (line.starts_with("parameter ")) {
      const size_t space = rest.find(' ');
      specification.parameters.push_back({rest.substr(0, space), *stored_from_json(rest.substr(space + 1))});
    } else {
      specification.text += line + "\n";
    }
  }
  const Result<Plan> plan = compile(specification);
  return plan ? to_text(access_of(*plan, AllPathsBut(excluded))) : plan.error().message;
}

}  // namespace

TEST(Access, IsWhatTheGoldenFileSays) { run_golden_file(TEST_DATA_DIR "/access.txt", access_text); }

TEST(Access, OfARankingIsEverything) {
  const auto access_to = [](std::string text) { return access_of(*compile({std::move(text), {}}), AllPathsBut({})).kind; };
  EXPECT_EQ(access_to("SELECT * FROM c WHERE c.x = 1 ORDER BY RANK FullTextScore(c.text, 'a')"), Access::Kind::kAll);
  EXPECT_EQ(access_to("SELECT * FROM c WHERE c.x = 1 ORDER BY VectorDistance(c.v, [1])"), Access::Kind::kValues);
}

// Only the last member of a key counts; to look at each of them would take twice the time for every level.
TEST(Access, LooksAtRepeatedMembersOfASampleOnce) {
  constexpr int kDepth = 60;
  std::string sample = "1";
  for (int i = 0; i < kDepth; ++i) sample = R"({"a":0,"a":)" + sample + "}";
  const QuerySpecification contains{"SELECT * FROM c WHERE ARRAY_CONTAINS(c.x, @sample, true)",
                                    {{"@sample", *stored_from_json(sample)}}};
  const Access access = access_of(*compile(contains), AllPathsBut({}));
  EXPECT_EQ(access.kind, Access::Kind::kValues);
  EXPECT_EQ(access.path.steps.size(), size_t{kDepth + 2});
}

TEST(Access, OfAThousandAlternativesIsOneSetOfRanges) {
  std::string text = "SELECT * FROM c WHERE c.x = 0";
  for (int i = 1; i < 1000; ++i) text += " OR c.x = " + std::to_string(2 * i);
  const Access access = access_of(*compile({text, {}}), AllPathsBut({}));
  EXPECT_EQ(access.kind, Access::Kind::kValues);
  EXPECT_EQ(access.ranges.size(), 1000U);
  EXPECT_TRUE(access.is_exact);
}

}  // namespace partita::query
