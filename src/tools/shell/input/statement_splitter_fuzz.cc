#include "base/check.h"
#include "tools/shell/input/shell_command.h"
#include "tools/shell/input/statement_splitter.h"

#include <cstdint>

// Whatever is typed: no statement is lost or made up, and each command can be read or is refused.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::tools;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t size_given = text.size();
  StatementSplitter splitter;
  size_t bytes = 0;
  const auto take = [&](const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      bytes += statement.text.size();
      if (statement.kind == Statement::Kind::kCommand) (void)parse_command(statement.text);
      CHECK(statement.kind == Statement::Kind::kCommand || !statement.text.empty());
    }
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    take(splitter.add_line(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  take(splitter.finish());
  CHECK(bytes <= size_given);
  CHECK(!splitter.is_open());
  return 0;
}
