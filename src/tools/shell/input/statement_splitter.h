#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools {

// What somebody wants done: a query, or a command of the shell such as `\ranges` or `use shop.orders`.
struct Statement {
  enum class Kind { kQuery, kCommand };
  Kind kind = Kind::kQuery;
  std::string text;

  bool operator==(const Statement&) const = default;
};

// StatementSplitter: lines into statements. Not thread-safe.
//
// A query ends with a semicolon outside of texts and comments, and may have several lines; a command is one line. Commands
// begin with a backslash or with one of the words that no query begins with.
class StatementSplitter {
 public:
  // Longer ones are given up; is_too_long() says so until the next line.
  static constexpr size_t kStatementBytesMax = 1 << 20;

  std::vector<Statement> add_line(std::string_view line);
  // What has no semicolon yet, as the last statement of a file or of an argument.
  std::vector<Statement> finish();
  void forget();

  bool is_open() const { return !pending_.empty(); }
  bool is_too_long() const { return is_too_long_; }

 private:
  void take_query(std::vector<Statement>& out);

  std::string pending_;
  char quote_ = 0;  // within a text: the character that ends it
  bool is_too_long_ = false;
};

// Whether a line is a command of the shell.
bool is_command(std::string_view line);

}  // namespace partita::tools
