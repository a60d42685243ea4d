#pragma once

#include "tools/shell/session/console.h"

namespace partita::tools {

// The console of a process: standard input, output and error, whether or not they are a terminal.
class TerminalConsole : public Console {
 public:
  // `has_pages`: somebody looks at them, and is asked before the next one.
  explicit TerminalConsole(bool has_pages) : has_pages_(has_pages) {}

  void print(std::string_view text) override;
  void remark(std::string_view text) override;
  RowStyle style() const override;
  bool has_pages() const override { return has_pages_; }
  bool wants_more() override;
  bool is_interrupted() const override;
  bool wait(std::chrono::milliseconds time) override;
  Result<EditedText> edit(const std::string& text) override;

 private:
  bool has_pages_;
};

}  // namespace partita::tools
