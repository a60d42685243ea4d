#pragma once

#include "tools/shell/input/completion.h"
#include "tools/shell/terminal/history_file.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace partita::tools {

// LineEditor: lines from a terminal, with completion and history. The only place that knows libedit. Not thread-safe; one at a
// time.
class LineEditor {
 public:
  enum class Outcome { kLine, kInterrupted, kEnd };
  using Words = std::function<const Vocabulary&()>;

  // `words` is called when somebody asks for completion.
  LineEditor(HistoryFile& history, Words words);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // `prompt` is harmless for a terminal. The line comes without its end.
  Outcome read(const std::string& prompt, std::string& line);
  // Into the history, if it may be kept.
  void remember(const std::string& entry);

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace partita::tools
