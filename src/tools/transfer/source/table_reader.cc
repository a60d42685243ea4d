#include "document/json/json.h"
#include "tools/transfer/source/cells.h"
#include "tools/transfer/source/document_reader.h"
#include "tools/transfer/source/source_window.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::tools::transfer {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kColumnsMax = 10'000;

// TableReader: lines of cells; the first one names the columns.
class TableReader : public DocumentReader {
 public:
  TableReader(std::unique_ptr<ByteSource> source, TableOptions options)
      : window_(std::move(source)), options_(std::move(options)) {}

  Result<bool> next(SourceRecord& record) override {
    if (columns_.empty()) {
      TRY_ASSIGN(const bool has_columns, read_columns());
      if (!has_columns) return false;
    }
    TRY_ASSIGN(const bool has_row, read_row(record.line, record.fault));
    if (!has_row) return false;
    if (record.fault.empty() && cells_.size() != columns_.size())
      record.fault = fmt::format("the line has {} cells, the header {}", cells_.size(), columns_.size());
    if (record.fault.empty()) write_document(record);
    return true;
  }

 private:
  Result<bool> read_columns() {
    uint64_t line = 0;
    std::string fault;
    TRY_ASSIGN(const bool has_row, read_row(line, fault));
    if (!has_row) return false;
    if (!fault.empty()) return fail(ErrorCode::kInvalidInput, fmt::format("line {}: {}", line, fault));
    if (cells_.size() > kColumnsMax)
      return fail(ErrorCode::kInvalidInput, fmt::format("the header has more than {} columns", kColumnsMax));
    for (const Cell& cell : cells_) {
      if (!is_text(cell.text)) return fail(ErrorCode::kInvalidInput, fmt::format("line {}: the header is not UTF-8", line));
      const bool is_known = std::ranges::any_of(columns_, [&](const ColumnType& column) { return column.name == cell.text; });
      if (cell.text.empty() || is_known) {
        return fail(ErrorCode::kInvalidInput,
                    fmt::format("line {}: the header has {}", line,
                                cell.text.empty() ? "a column without a name" : fmt::format("'{}' twice", cell.text)));
      }
      columns_.push_back({.name = cell.text});
    }
    return apply_types();
  }

  Result<bool> apply_types() {
    for (const ColumnType& told : options_.columns) {
      const auto column = std::ranges::find(columns_, told.name, &ColumnType::name);
      if (column == columns_.end())
        return fail(ErrorCode::kInvalidInput, fmt::format("the header has no column '{}', which --columns names", told.name));
      column->type = told.type;
    }
    return true;
  }

  // The cells of the next line that is not empty; false at the end.
  Result<bool> read_row(uint64_t& line, std::string& fault) {
    while (true) {
      line = window_.line();
      size_t fed = 0;
      RowParser parser(options_.delimiter, cells_);
      std::optional<size_t> end;
      while (!(end = parser.feed(window_.text(), fed))) {
        fed = window_.text().size();
        if (fed > kRecordBytesMax) {
          return fail(
              ErrorCode::kInvalidInput,
              fmt::format("line {}: the line has more than {} bytes; is a quotation mark missing?", line, kRecordBytesMax));
        }
        TRY_ASSIGN(const bool has_more, window_.grow());
        if (has_more) continue;
        if (fed == 0) return false;
        parser.finish();
        end = fed;
        break;
      }
      window_.consume(*end);
      fault = parser.fault();
      if (is_first_row_ && !cells_.empty() && cells_.front().text.starts_with(kByteOrderMark))
        cells_.front().text.erase(0, kByteOrderMark.size());
      is_first_row_ = false;
      const bool is_blank = cells_.size() == 1 && cells_.front().text.empty() && !cells_.front().is_quoted;
      if (!is_blank || !fault.empty()) return true;
    }
  }

  void write_document(SourceRecord& record) const {
    record.document.begin_object();
    for (size_t index = 0; index < columns_.size(); ++index) {
      const ColumnType& column = columns_[index];
      const Status status = write_cell(cells_[index], column, record.document);
      if (status) continue;
      record.fault = fmt::format("column '{}': {}", column.name, status.error().message);
      return;
    }
    record.document.end_object();
  }

  SourceWindow window_;
  TableOptions options_;
  std::vector<ColumnType> columns_;
  std::vector<Cell> cells_;
  bool is_first_row_ = true;
};

}  // namespace

std::unique_ptr<DocumentReader> read_table(std::unique_ptr<ByteSource> source, TableOptions options) {
  return std::make_unique<TableReader>(std::move(source), std::move(options));
}

}  // namespace partita::tools::transfer
