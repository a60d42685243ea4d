#include "engine/index/search_policies.h"

#include "base/golden_file.h"
#include "engine/test_items.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita {
namespace {

std::string bytes_of(std::string_view json) {
  Result<std::string> bytes = stored_from_json(json);
  EXPECT_TRUE(bytes) << json;
  return bytes.value_or("");
}

std::string text_of(const Status& status) {
  return status ? "accepted" : fmt::format("{}: {}", name_of(status.error().code), status.error().message);
}

}  // namespace

// Each path is compared with all others.
TEST(SearchPolicies, HaveSoManyPathsAtMost) {
  const auto check = [](std::string_view list, std::string_view policy, size_t count) {
    std::string paths;
    for (size_t i = 0; i < count; ++i) paths += fmt::format(R"({}{{"path":"/p{}"}})", i == 0 ? "" : ",", i);
    return check_search_policies(Value::view(bytes_of(fmt::format(R"({{"{}":{{"{}":[{}]}}}})", policy, list, paths))));
  };
  EXPECT_TRUE(check("fullTextPaths", "fullTextPolicy", kSearchPathsMax));
  EXPECT_FALSE(check("fullTextPaths", "fullTextPolicy", kSearchPathsMax + 1));
  for (const char* list : {"vectorIndexes", "fullTextIndexes"}) {
    EXPECT_THAT(text_of(check(list, "indexingPolicy", kSearchPathsMax + 1)), testing::HasSubstr("there can be"));
  }
}

// One container on a line; two, one behind the other with an arrow between them: the first becomes the second.
TEST(SearchPolicies, AreChecked) {
  run_golden_file(TEST_DATA_DIR "/search_policies.txt", [](const std::vector<std::string>& input) {
    std::string out;
    for (const std::string& line : input) {
      const size_t arrow = line.find(" => ");
      const std::string first = bytes_of(line.substr(0, arrow));
      if (arrow == std::string::npos) {
        out += text_of(check_search_policies(Value::view(first))) + "\n";
      } else {
        const std::string second = bytes_of(line.substr(arrow + 4));
        out += text_of(check_search_policy_change(Value::view(first), Value::view(second))) + "\n";
      }
    }
    return out;
  });
}

}  // namespace partita
