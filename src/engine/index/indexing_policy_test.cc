#include "engine/index/indexing_policy.h"

#include "base/golden_file.h"
#include "engine/test_items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

std::string parse(std::string_view json) {
  const Result<std::string> stored = stored_from_json(json);
  if (!stored) return "not JSON";
  const Result<IndexingPolicy> policy = IndexingPolicy::parse(Value::view(*stored), key_definition({"/pk"}));
  return policy ? to_json(policy->definition()) : fmt::format("{}: {}", name_of(policy.error().code), policy.error().message);
}

}  // namespace

TEST(IndexingPolicy, IsReadAndSpelledOut) {
  run_golden_file(TEST_DATA_DIR "/indexing_policy.txt", [](const std::vector<std::string>& input) {
    std::string out;
    for (const std::string& line : input) out += parse(line) + "\n";
    return out;
  });
}

// What is read back can be sent again, and means the same.
TEST(IndexingPolicy, SpelledOutIsAFixedPoint) {
  for (const char* json :
       {"{}", R"({"indexingMode":"none"})", R"({"indexingMode":"Lazy"})", R"({"excludedPaths":[{"path":"/*"}]})",
        R"({"excludedPaths":[{"path":"/_etag/?"}]})", R"({"excludedPaths":[{"path":"/\"_etag\"/?"}]})",
        R"({"includedPaths":[{"path":"/*"},{"path":"/_etag/?"}]})", R"({"excludedPaths":[{"path":"/_etag/*"}]})",
        R"({"excludedPaths":[{"path":"/a/*"}],"compositeIndexes":[[{"path":"/a"},{"path":"/b","order":"descending"}]]})"}) {
    const std::string spelled_out = parse(json);
    EXPECT_TRUE(spelled_out.starts_with("{")) << json << spelled_out;
    EXPECT_EQ(parse(spelled_out), spelled_out) << json;
  }
}

TEST(IndexingPolicy, OfNothingIsTheDefault) {
  const Result<IndexingPolicy> policy = IndexingPolicy::parse(Value(), {});
  ASSERT_TRUE(policy);
  EXPECT_EQ(to_json(policy->definition()), parse("{}"));
  EXPECT_EQ(policy->mode(), IndexingPolicy::Mode::kConsistent);
  EXPECT_TRUE(policy->is_automatic());
}

TEST(IndexingPolicy, HasALimitOfPaths) {
  const auto with_paths = [](int count) {
    std::string json = R"({"excludedPaths":[)";
    for (int i = 0; i < count; ++i) json += fmt::format(R"({}{{"path":"/p{}/?"}})", i == 0 ? "" : ",", i);
    return parse(json + "]}");
  };
  EXPECT_TRUE(with_paths(1000).starts_with("{"));
  EXPECT_EQ(parse(with_paths(1000)), with_paths(1000));
  EXPECT_NE(with_paths(1001).find("more than 1000 paths"), std::string::npos);
}

// A path is included exactly when a document with a value there gets a term for it.
TEST(IndexingPolicy, SaysWhichPathsAreIncluded) {
  const IndexingPolicy policy =
      policy_from_json(R"({"includedPaths":[{"path":"/a/?"},{"path":"/b/c/*"},{"path":"/d/[]/e/?"},{"path":"/f/*"}],)"
                       R"("excludedPaths":[{"path":"/*"},{"path":"/f/g/?"}]})",
                       key_definition({"/pk"}));
  const auto includes = [&](std::string_view path) { return policy.includes(IndexPath::parse_bare(path)->steps); };
  for (const char* path : {"/a", "/pk", "/b/c", "/b/c/x/y", "/d/[]/e", "/f", "/f/g/h"}) EXPECT_TRUE(includes(path)) << path;
  for (const char* path : {"/x", "/a/x", "/b", "/d", "/d/e", "/d/[]", "/d/[]/e/f", "/f/g", "/_rid", "/_etag"}) {
    EXPECT_FALSE(includes(path)) << path;
  }
  EXPECT_TRUE(policy_from_json("{}", {}).includes(IndexPath::parse_bare("/x/[]/y")->steps));
  EXPECT_FALSE(policy_from_json("{}", {}).includes(IndexPath::parse_bare("/_rid")->steps));
  EXPECT_FALSE(policy_from_json(R"({"indexingMode":"none"})", {}).includes(IndexPath::parse_bare("/x")->steps));
}

TEST(IndexingPolicy, ReadsCompositeIndexes) {
  constexpr std::string_view kComposite = R"({"compositeIndexes":[[{"path":"/a/b"},{"path":"/\"c d\"","order":"descending"}],)"
                                          R"([{"path":"/x","order":"ascending"},{"path":"/y"},{"path":"/z"}]]})";
  const IndexingPolicy policy = policy_from_json(kComposite, {});
  ASSERT_EQ(policy.composite_indexes().size(), 2U);
  const CompositeIndex& first = policy.composite_indexes()[0];
  ASSERT_EQ(first.parts.size(), 2U);
  EXPECT_EQ(first.parts[0].path, *IndexPath::parse_bare("/a/b"));
  EXPECT_FALSE(first.parts[0].is_descending);
  EXPECT_EQ(first.parts[1].path.steps[0].property, "c d");
  EXPECT_TRUE(first.parts[1].is_descending);
  EXPECT_EQ(policy.composite_indexes()[1].parts.size(), 3U);
}

}  // namespace partita
