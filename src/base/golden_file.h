#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

// For tests: text files with cases. A case is input lines, a line ----, and what comes out; blank lines separate cases, and lines
// that begin with # say what a case is about. With PARTITA_REWRITE=1 in the environment, what comes out is written into the file.
namespace partita {

inline void run_golden_file(const std::string& path,
                            const std::function<std::string(const std::vector<std::string>& input)>& run) {
  const bool rewrites = std::getenv("PARTITA_REWRITE") != nullptr;
  std::ifstream in(path);
  ASSERT_TRUE(in) << path;
  std::string rewritten;
  std::string line;
  bool is_at_end = false;
  while (!is_at_end) {
    std::vector<std::string> input;
    std::string text;
    std::string expected;
    bool is_input = true;
    while (!(is_at_end = !std::getline(in, line)) && !line.empty()) {
      if (is_input) text += line + "\n";
      if (line == "----") {
        is_input = false;
      } else if (!is_input) {
        expected += line + "\n";
      } else if (!line.starts_with('#')) {
        input.push_back(line);
      }
    }
    if (is_input) {  // only comments, or nothing
      if (!text.empty()) rewritten += text + "\n";
      continue;
    }
    std::string actual = run(input);
    if (!actual.empty() && !actual.ends_with('\n')) actual += '\n';
    if (!rewrites) EXPECT_EQ(actual, expected) << path << "\n" << text;
    rewritten += text + actual + "\n";
  }
  if (!rewrites) return;
  while (rewritten.ends_with("\n\n")) rewritten.pop_back();
  std::ofstream(path) << rewritten;
}

}  // namespace partita
