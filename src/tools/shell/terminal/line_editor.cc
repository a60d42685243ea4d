#include "tools/shell/terminal/line_editor.h"

#include "tools/shell/terminal/interruption.h"

#include <fmt/format.h>
#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cwchar>

namespace partita::tools {
namespace {

constexpr size_t kShownMax = 60;

// What all words begin with.
std::string common_beginning(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto end = std::ranges::mismatch(common, word).in1;
    common.erase(end, common.end());
  }
  return common;
}

}  // namespace

class LineEditor::Library {
 public:
  Library(HistoryFile& file, Words words)
      : file_(file), words_(std::move(words)), history_(::history_init()), editor_(::el_init("partita", stdin, stdout, stderr)) {
    HistEvent event{};
    ::history(history_, &event, H_SETSIZE, static_cast<int>(HistoryFile::kEntriesMax));
    for (const std::string& entry : file_.entries()) ::history(history_, &event, H_ENTER, entry.c_str());
    ::el_set(editor_, EL_CLIENTDATA, this);
    ::el_set(editor_, EL_PROMPT, &Library::give_prompt);
    ::el_set(editor_, EL_EDITOR, "emacs");
    ::el_set(editor_, EL_HIST, &::history, history_);
    ::el_set(editor_, EL_GETCFN, &Library::read_character);
    ::el_set(editor_, EL_ADDFN, "partita-complete", "completes a word", &Library::complete_word);
    ::el_set(editor_, EL_BIND, "^I", "partita-complete", nullptr);
    ::el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  }
  ~Library() {
    ::el_end(editor_);
    ::history_end(history_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  Outcome read(const std::string& prompt, std::string& line) {
    prompt_ = prompt;
    Interruption::forget();
    int bytes = 0;
    const char* text = ::el_gets(editor_, &bytes);
    if (Interruption::is_wanted()) {
      Interruption::forget();
      fmt::print("^C\n");
      return Outcome::kInterrupted;
    }
    if (text == nullptr || bytes <= 0) return Outcome::kEnd;
    line.assign(text, static_cast<size_t>(bytes));
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    return Outcome::kLine;
  }

  void remember(const std::string& entry) {
    if (!file_.add(entry)) return;
    HistEvent event{};
    ::history(history_, &event, H_ENTER, file_.entries().back().c_str());
  }

 private:
  static Library& of(EditLine* editor) {
    void* data = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<Library*>(data);
  }

  static char* give_prompt(EditLine* editor) { return of(editor).prompt_.data(); }

  // A character of the terminal's encoding; 0 at the end, -1 when the line is interrupted.
  static int read_character(EditLine* editor, wchar_t* character) {
    std::mbstate_t state{};
    while (true) {
      if (!Interruption::wait_for_input(STDIN_FILENO)) {
        if (Interruption::is_wanted()) return -1;
        ::el_resize(editor);  // The signal was for that.
        continue;
      }
      char byte = 0;
      const ssize_t bytes = ::read(STDIN_FILENO, &byte, 1);
      if (bytes == 0) return 0;
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) return -1;
      const size_t used = std::mbrtowc(character, &byte, 1, &state);
      if (used == static_cast<size_t>(-2)) continue;
      if (used == static_cast<size_t>(-1)) {
        state = {};
        continue;
      }
      return 1;
    }
  }

  static unsigned char complete_word(EditLine* editor, int /*character*/) { return of(editor).complete(); }

  unsigned char complete() {
    const LineInfo* about = ::el_line(editor_);
    const std::string line(about->buffer, static_cast<size_t>(about->cursor - about->buffer));
    const Completion completion = tools::complete(line, words_());
    if (completion.words.empty()) {
      const std::string signature = signature_at(line);
      if (signature.empty()) return CC_ERROR;
      fmt::print("\n  {}\n", signature);
      return CC_REDISPLAY;
    }
    const std::string common = common_beginning(completion.words);
    const std::string typed = line.substr(completion.start);
    const bool is_only = completion.words.size() == 1;
    if (!is_only && common.size() <= typed.size()) {
      show(completion.words);
      return CC_REDISPLAY;
    }
    ::el_deletestr(editor_, static_cast<int>(std::mbstowcs(nullptr, typed.c_str(), 0)));
    const bool is_closed = is_only && !common.ends_with('(') && !common.contains('.');  // A path may go on.
    ::el_insertstr(editor_, (common + (is_closed ? " " : "")).c_str());
    return CC_REFRESH;
  }

  static void show(const std::vector<std::string>& words) {
    std::string out = "\n";
    for (size_t i = 0; i < std::min(words.size(), kShownMax); ++i) out += fmt::format("  {}", words[i]);
    if (words.size() > kShownMax) out += fmt::format("  and {} more", words.size() - kShownMax);
    fmt::print("{}\n", out);
    std::fflush(stdout);
  }

  HistoryFile& file_;
  Words words_;
  std::string prompt_;
  History* history_;
  EditLine* editor_;
};

LineEditor::LineEditor(HistoryFile& history, Words words) : library_(std::make_unique<Library>(history, std::move(words))) {}
LineEditor::~LineEditor() = default;

LineEditor::Outcome LineEditor::read(const std::string& prompt, std::string& line) { return library_->read(prompt, line); }
void LineEditor::remember(const std::string& entry) { library_->remember(entry); }

}  // namespace partita::tools
