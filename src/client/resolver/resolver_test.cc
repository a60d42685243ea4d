#include "client/resolver/hash_resolver.h"
#include "client/resolver/lookup_resolver.h"
#include "client/resolver/range_resolver.h"
#include "document/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace partita::client {
namespace {

using testing::ElementsAre;

std::vector<std::string> strings_in(std::string_view json) {
  const std::string stored = stored_from_json(json).value();
  const Value array = Value::view(stored);
  std::vector<std::string> strings;
  for (size_t index = 0; index < array.size(); ++index) strings.emplace_back(array.element(index).string());
  return strings;
}
std::string string_in(std::string_view json) { return std::string(Value::view(stored_from_json(json).value()).string()); }

// What the package chose, line after line, from the line that begins with `title` on to the next title.
std::vector<std::vector<std::string>> choices_of(std::string_view title) {
  std::ifstream file(std::string(TEST_DATA_DIR) + "/resolver-choices.txt");
  EXPECT_TRUE(file.is_open());
  std::vector<std::vector<std::string>> sections;
  bool is_wanted = false;
  for (std::string line; std::getline(file, line);) {
    const bool is_title = line.starts_with("ring ") || line.starts_with("ranges ") || line == "spans";
    if (is_title) is_wanted = line.starts_with(title);
    if (is_title && is_wanted) sections.emplace_back();
    if (is_wanted) sections.back().push_back(line);
  }
  return sections;
}

// Of the two JSON values of a line.
size_t middle_of(const std::string& line) { return line.rfind(line.ends_with(']') ? " [" : " \""); }

}  // namespace

TEST(HashResolver, ChoosesWhatThePackageChooses) {
  size_t checked = 0;
  for (const std::vector<std::string>& lines : choices_of("ring ")) {
    const HashResolver resolver = HashResolver::create(strings_in(std::string_view(lines[0]).substr(5))).value();
    std::ostringstream points;
    points << "points " << resolver.points().size();
    for (const HashResolver::Point& point : resolver.points().first(4)) points << " " << point.hash;
    EXPECT_EQ(points.str(), lines[1]);
    for (size_t line = 2; line < lines.size(); ++line, ++checked) {
      const size_t middle = middle_of(lines[line]);
      EXPECT_EQ(resolver.resolve_for_create(string_in(lines[line].substr(0, middle))), string_in(lines[line].substr(middle + 1)))
          << lines[line];
    }
  }
  EXPECT_EQ(checked, 4 * 75);
  EXPECT_FALSE(HashResolver::create({}));
}

TEST(RangeResolver, ChoosesWhatThePackageChooses) {
  const std::vector<std::string> lines = choices_of("ranges ").at(0);
  const std::string stored = stored_from_json(std::string_view(lines[0]).substr(7)).value();
  std::vector<RangeResolver::Entry> entries;
  for (size_t index = 0; index < Value::view(stored).size(); ++index) {
    const Value range = Value::view(stored).element(index);
    entries.push_back(
        {{std::string(range.element(0).string()), std::string(range.element(1).string())}, "link" + std::to_string(index)});
  }
  const RangeResolver resolver(entries);
  ASSERT_EQ(lines.size(), 1 + 17);
  for (size_t line = 1; line < lines.size(); ++line) {
    const size_t reads = lines[line].rfind(" [");
    const size_t creates = lines[line].rfind(' ', reads - 1);
    const std::string key = string_in(lines[line].substr(0, creates));
    const std::string created = lines[line].substr(creates + 1, reads - creates - 1);
    const Result<std::string> chosen = resolver.resolve_for_create(key);
    EXPECT_EQ(chosen ? *chosen : "none", created == "null" ? "none" : string_in(created)) << lines[line];
    EXPECT_EQ(resolver.resolve_for_read(key), strings_in(lines[line].substr(reads + 1))) << lines[line];
  }
  const std::vector<std::string> spans = choices_of("spans").at(0);
  ASSERT_EQ(spans.size(), 1 + 5);
  for (size_t line = 1; line < spans.size(); ++line) {
    const size_t middle = middle_of(spans[line]);
    const std::vector<std::string> span = strings_in(spans[line].substr(0, middle));
    const RangeResolver::Range range{span[0], span[1]};
    EXPECT_EQ(resolver.resolve_for_read(std::span(&range, 1)), strings_in(spans[line].substr(middle + 1))) << spans[line];
  }
}

TEST(RangeResolver, ComparesAsItIsTold) {
  const RangeResolver resolver({{{"1", "9"}, "low"}, {{"10", "99"}, "high"}}, [](std::string_view left, std::string_view right) {
    return std::stoi(std::string(left)) <=> std::stoi(std::string(right));
  });
  EXPECT_EQ(resolver.resolve_for_create("7"), "low");
  EXPECT_EQ(resolver.resolve_for_create("10"), "high");
  EXPECT_EQ(resolver.resolve_for_create("100").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(resolver.links(), ElementsAre("low", "high"));
}

TEST(LookupResolver, HasAContainerForEachNameAndOneForTheOthers) {
  const LookupResolver named({{"giant", "dbs/d/colls/giant"}, {"eu", "dbs/d/colls/eu"}});
  EXPECT_EQ(named.resolve_for_create("giant"), "dbs/d/colls/giant");
  EXPECT_EQ(named.resolve_for_create("ada").error().code, ErrorCode::kNotFound);
  const LookupResolver open({{"giant", "g"}, {"other", "g"}}, "rest");
  EXPECT_EQ(open.resolve_for_read("ada"), "rest");
  EXPECT_THAT(open.links(), ElementsAre("g", "rest"));
}

}  // namespace partita::client
