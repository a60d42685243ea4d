#pragma once

#include "base/result.h"
#include "tools/shell/output/row_writer.h"

#include <chrono>
#include <string>
#include <string_view>

namespace partita::tools {

// A text that somebody has edited, and the file that still has it.
struct EditedText {
  std::string text;
  std::string path;  // empty: there is none
};

// Console: who is on the other side of a session. What is given to it has been made harmless for a terminal.
class Console {
 public:
  Console() = default;
  virtual ~Console() = default;
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  virtual void print(std::string_view text) = 0;
  // Of what went wrong, or is no result.
  virtual void remark(std::string_view text) = 0;
  virtual RowStyle style() const = 0;
  // Whether somebody looks at a page at a time, and wants the next one.
  virtual bool has_pages() const = 0;
  virtual bool wants_more() = 0;
  // Whether the present statement is to be given up. Waits that long; false at once when it is.
  virtual bool is_interrupted() const = 0;
  virtual bool wait(std::chrono::milliseconds time) = 0;
  virtual Result<EditedText> edit(const std::string& text) = 0;
};

}  // namespace partita::tools
