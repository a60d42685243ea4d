#include "document/json/json.h"
#include "query/query.h"
#include "query/sql/parser.h"
#include "query/sql/printer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// Golden tests: testdata/*.test. A file is a list of cases, separated by blank lines; a case is directives, a line ----, and what
// comes out. Directives: `insert` adds documents (to all following cases of the file), `clear` removes them, `parameter @p
// <json>` sets one for the case, `container <json>` says what the definition of the container has from there on, and `query`,
// `plan` or `print` (which may go on over several lines) is the query whose rows, plan or canonical text are expected.
// `partita_query_test --rewrite` writes what comes out into the files.
namespace partita::query {
namespace {

bool rewrites = false;

constexpr int64_t kNowMs = 1728915630666;  // 2024-10-14T14:20:30.666Z

// Adds one to its argument; fails for the name "broken"; unknown otherwise.
class TestFunctions final : public UserFunctions {
 public:
  Result<bool> call(std::string_view name, std::span<const Datum> arguments, StoredWriter& result) override {
    if (name == "broken") return fail(ErrorCode::kInvalidInput, "Error: it broke");
    if (arguments.empty() || !arguments[0].is_number()) return false;
    result.number(arguments[0].number() + 1);
    return true;
  }
};

class Database {
 public:
  void insert(std::string_view line) {
    while (line.find_first_not_of(' ') != std::string_view::npos) {
      line.remove_prefix(line.find_first_not_of(' '));
      size_t length = value_length(line);
      auto stored = stored_from_json(line.substr(0, length));
      ASSERT_TRUE(stored.has_value()) << stored.error().message << " in " << line;
      documents_.push_back(std::move(*stored));
      line.remove_prefix(length);
    }
  }
  void clear() { documents_.clear(); }
  void define(std::string_view json) { schema_ = Schema::of(Value::view(stored_from_json(json).value())); }
  const Schema& schema() const { return schema_; }

  std::vector<Value> rows() const {
    std::vector<Value> rows;
    for (const std::string& document : documents_) rows.push_back(Value::view(document));
    return rows;
  }

 private:
  // Up to the bracket that closes the first one.
  static size_t value_length(std::string_view text) {
    int depth = 0;
    bool is_in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
      char c = text[i];
      if (is_in_string && c == '\\')
        ++i;
      else if (c == '"')
        is_in_string = !is_in_string;
      else if (!is_in_string && (c == '{' || c == '['))
        ++depth;
      else if (!is_in_string && (c == '}' || c == ']') && --depth == 0)
        return i + 1;
    }
    return text.size();
  }

  std::vector<std::string> documents_;
  Schema schema_;
};

// All documents, or those from a position on.
class DocumentRows final : public RowSource {
 public:
  DocumentRows(std::vector<Value> rows, const Plan& plan, const Position& from) : rows_(std::move(rows)) {
    const Position& scan = from.of_scan();
    seen_ = from.has_begun && scan.has_begun ? scan.origin.number - (scan.is_open || scan.is_repeated ? 1 : 0) : 0;
    if (scan_start(plan, false) == ScanStart::kPosition) at_ = seen_;
  }

  Result<Value> next() override { return at_ < rows_.size() ? rows_[at_++] : Value(); }
  uint64_t number() const override { return at_; }
  bool is_seen() const override { return at_ <= seen_; }

 private:
  std::vector<Value> rows_;
  size_t seen_ = 0;
  size_t at_ = 0;
};

// Runs a plan to its end, in as many pages of `page_rows` results as that takes, each with a new execution.
std::string run_in_pages(const Plan& plan, const Database& database, uint64_t page_rows) {
  ManualClock clock(kNowMs);
  Random random(1);
  TestFunctions functions;
  Environment environment{.clock = clock, .random = random, .user_functions = &functions};
  std::string out;
  Position position;
  while (true) {
    DocumentRows source(database.rows(), plan, position);
    QueryExecution execution(plan, source, environment, position);
    for (uint64_t given = 0; given < page_rows;) {
      Value row;
      execution.set_pace({.rows_left = 3});
      auto step = execution.next(row);
      if (!step) return fmt::format("error: {} {}\n", name_of(step.error().code), step.error().message);
      if (*step == QueryExecution::Step::kEnd) return out;
      if (*step == QueryExecution::Step::kPause) continue;
      append_json(out, row);
      out += '\n';
      ++given;
    }
    position = execution.position();
  }
}

std::string run_query(const QuerySpecification& specification, const Database& database) {
  auto plan = compile(specification, database.schema());
  if (!plan) return fmt::format("error: {}\n", plan.error().message);
  std::string rows = run_in_pages(*plan, database, UINT64_MAX);
  if (!rows.starts_with("error")) {
    EXPECT_EQ(run_in_pages(*plan, database, 1), rows) << "in pages of one row: " << specification.text;
    EXPECT_EQ(run_in_pages(*plan, database, 3), rows) << "in pages of three rows: " << specification.text;
  }
  QuerySpecification canonical{sql::print(*sql::parse(specification.text)), specification.parameters};
  auto same = compile(canonical, database.schema());
  EXPECT_TRUE(same.has_value() && to_text(*same) == to_text(*plan)) << "canonical text means something else: " << canonical.text;
  return rows;
}

struct Case {
  std::vector<std::string> lines;  // up to ----
  std::string expected;
  int line_number = 0;
};

std::string run_case(const Case& test, Database& database) {
  QuerySpecification specification;
  std::string verb;
  for (const std::string& line : test.lines) {
    if (!verb.empty()) {
      specification.text += "\n" + line;
      continue;
    }
    std::istringstream words(line);
    std::string word;
    words >> word;
    std::string rest = line.substr(std::min(line.size(), word.size() + 1));
    if (word == "insert") {
      database.insert(rest);
    } else if (word == "container") {
      database.define(rest);
    } else if (word == "clear") {
      database.clear();
    } else if (word == "parameter") {
      size_t space = rest.find(' ');
      specification.parameters.push_back({rest.substr(0, space), stored_from_json(rest.substr(space + 1)).value()});
    } else if (!word.starts_with('#')) {
      verb = word;
      specification.text = rest;
    }
  }
  if (verb == "query") return run_query(specification, database);
  if (verb == "plan") {
    auto plan = compile(specification, database.schema());
    return (plan ? to_text(*plan) : "error: " + plan.error().message) + "\n";
  }
  if (verb == "print") {
    auto query = sql::parse(specification.text);
    return (query ? sql::print(*query) : "error: " + query.error().message) + "\n";
  }
  return verb.empty() ? "" : "unknown directive " + verb;
}

std::vector<Case> read_cases(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<Case> cases;
  std::string line;
  bool is_expected = false;
  bool is_new = true;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) {
      is_new = true;
      continue;
    }
    if (std::exchange(is_new, false)) {
      cases.push_back({{}, "", number});
      is_expected = false;
    }
    if (line == "----")
      is_expected = true;
    else if (is_expected)
      cases.back().expected += line + "\n";
    else
      cases.back().lines.push_back(line);
  }
  return cases;
}

void run_file(const std::filesystem::path& path) {
  Database database;
  std::string rewritten;
  for (const Case& test : read_cases(path)) {
    std::string actual = run_case(test, database);
    if (!rewritten.empty()) rewritten += "\n";
    for (const std::string& line : test.lines) rewritten += line + "\n";
    bool has_verb = test.lines.back().find_first_of("iqpc#") != 0 || !actual.empty() || test.lines.back().starts_with("query");
    if (has_verb) rewritten += "----\n" + actual;
    if (!rewrites) EXPECT_EQ(actual, test.expected) << path.filename() << ":" << test.line_number << "\n" << test.lines.back();
  }
  if (rewrites) std::ofstream(path) << rewritten;
}

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TEST_DATA_DIR)) {
    if (entry.path().extension() == ".test") names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, File) { run_file(std::filesystem::path(TEST_DATA_DIR) / (GetParam() + ".test")); }

INSTANTIATE_TEST_SUITE_P(Query, Golden, testing::ValuesIn(golden_files()), [](const auto& file) { return file.param; });

}  // namespace
}  // namespace partita::query

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  partita::query::rewrites = argc > 1 && std::strcmp(argv[1], "--rewrite") == 0;
  return RUN_ALL_TESTS();
}
