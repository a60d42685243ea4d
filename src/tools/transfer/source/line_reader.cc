#include "document/json/json.h"
#include "tools/transfer/source/document_reader.h"
#include "tools/transfer/source/source_window.h"

#include <fmt/format.h>

#include <optional>

namespace partita::tools::transfer {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n";

// LineReader: NDJSON. What is wrong in one line does not touch the next.
class LineReader : public DocumentReader {
 public:
  explicit LineReader(std::unique_ptr<ByteSource> source) : window_(std::move(source)) {}

  Result<bool> next(SourceRecord& record) override {
    while (true) {
      record.line = window_.line();
      TRY_ASSIGN(const std::optional<size_t> end, find_line_end(record));
      if (!end) return false;
      const std::string_view line = window_.text().substr(0, *end);
      const bool is_blank = line.find_first_not_of(kWhiteSpace) == std::string_view::npos;
      const bool is_too_long = !record.fault.empty();
      if (!is_blank && !is_too_long) read(line, record);
      window_.consume(std::min(*end + 1, window_.text().size()));
      if (!is_blank || is_too_long) return true;
    }
  }

 private:
  static void read(std::string_view line, SourceRecord& record) {
    if (const Status status = read_json(line, record.document); !status) {
      record.fault = status.error().message;
    } else if (!record.document.view().is_object()) {
      record.fault = "a document must be a JSON object";
    }
  }

  // How long the line is; nothing at the end. Of a line that is too long only what is in the window is left.
  Result<std::optional<size_t>> find_line_end(SourceRecord& record) {
    size_t searched = 0;
    while (true) {
      if (const size_t end = window_.text().find('\n', searched); end != std::string_view::npos) return end;
      searched = window_.text().size();
      if (searched > kRecordBytesMax) {
        record.fault = fmt::format("the line has more than {} bytes", kRecordBytesMax);
        window_.consume(searched);
        searched = 0;
      }
      TRY_ASSIGN(const bool has_more, window_.grow());
      if (has_more) continue;
      if (searched == 0 && record.fault.empty()) return std::optional<size_t>();
      return searched;
    }
  }

  SourceWindow window_;
};

}  // namespace

std::unique_ptr<DocumentReader> read_lines(std::unique_ptr<ByteSource> source) {
  return std::make_unique<LineReader>(std::move(source));
}

}  // namespace partita::tools::transfer
