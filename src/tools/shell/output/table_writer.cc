#include "document/json/terminal_text.h"
#include "tools/shell/output/row_writer.h"
#include "tools/shell/text/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace partita::tools {
namespace {

constexpr size_t kRowsKept = 500;
constexpr size_t kBytesKept = 4 << 20;
constexpr size_t kColumnsMax = 100;
// In a terminal; a wider value is in the other formats.
constexpr size_t kCellColumnsMax = 60;
constexpr size_t kCellColumnsMin = 6;
constexpr std::string_view kGap = "  ";

struct Cell {
  std::string text;
  bool is_number = false;
};

// TableWriter: rows below each other, as many at a time as are kept; the head comes again when the columns are others.
class TableWriter : public RowWriter {
 public:
  TableWriter(const RowStyle& style, RowSink sink) : style_(style), sink_(std::move(sink)) {}

  void add(const Value& row) override {
    std::vector<Cell> cells;
    if (!row.is_object()) {
      put(cells, "value", row);
    } else {
      const bool is_whole = is_whole_document(row);
      for (size_t i = 0; i < row.size(); ++i) {
        const Value::Member member = row.member(i);
        if (!is_whole || !is_system_property(member.key)) put(cells, terminal_text(member.key), member.value);
      }
    }
    rows_.push_back(std::move(cells));
    if (rows_.size() >= kRowsKept || bytes_ >= kBytesKept) flush();
  }

  void flush() override {
    if (rows_.empty()) return;
    const std::vector<size_t> widths = fitting_widths();
    std::string out;
    if (names_ != names_shown_ || widths != widths_shown_) {
      std::vector<Cell> head;
      std::vector<Cell> rule;
      for (size_t i = 0; i < names_.size(); ++i) {
        head.push_back({names_[i]});
        rule.push_back({std::string(widths[i], '-')});
      }
      out += line(head, widths) + line(rule, widths);
      names_shown_ = names_;
      widths_shown_ = widths;
    }
    for (const std::vector<Cell>& row : rows_) out += line(row, widths);
    if (has_more_columns_) out += fmt::format("(the first {} columns; other formats have all)\n", kColumnsMax);
    sink_(out);
    rows_.clear();
    bytes_ = 0;
  }

  void end() override { flush(); }

 private:
  void put(std::vector<Cell>& cells, const std::string& name, const Value& value) {
    const auto found = std::ranges::find(names_, name);
    const auto column = static_cast<size_t>(found - names_.begin());
    if (column == kColumnsMax) {
      has_more_columns_ = true;
      return;
    }
    if (found == names_.end()) names_.push_back(name);
    if (cells.size() <= column) cells.resize(column + 1, {"-"});
    cells[column] = {terminal_text(cell_text(value)), value.is_number()};
    bytes_ += cells[column].text.size();
  }

  std::vector<size_t> fitting_widths() const {
    std::vector<size_t> widths;
    for (const std::string& name : names_) widths.push_back(column_count(name));
    for (const std::vector<Cell>& row : rows_) {
      for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], column_count(row[i].text));
    }
    if (style_.columns_max == 0) return widths;
    size_t total = kGap.size() * (widths.empty() ? 0 : widths.size() - 1);
    for (size_t& width : widths) total += width = std::min(width, kCellColumnsMax);
    while (total > style_.columns_max) {
      const auto widest = std::ranges::max_element(widths);
      if (*widest <= kCellColumnsMin) break;
      --*widest;
      --total;
    }
    return widths;
  }

  // Without blanks at its end.
  static std::string line(const std::vector<Cell>& cells, const std::vector<size_t>& widths) {
    std::string out;
    for (size_t i = 0; i < widths.size(); ++i) {
      const Cell missing{"-"};
      const Cell& cell = i < cells.size() ? cells[i] : missing;
      const std::string text = cut_to(cell.text, std::max<size_t>(widths[i], 1));
      const std::string blanks(widths[i] - std::min(widths[i], column_count(text)), ' ');
      if (i > 0) out += kGap;
      out += cell.is_number ? blanks + text : text + blanks;
    }
    out.resize(out.find_last_not_of(' ') + 1);
    return out + "\n";
  }

  RowStyle style_;
  RowSink sink_;
  std::vector<std::string> names_;
  std::vector<std::string> names_shown_;
  std::vector<size_t> widths_shown_;
  std::vector<std::vector<Cell>> rows_;
  size_t bytes_ = 0;
  bool has_more_columns_ = false;
};

}  // namespace

std::unique_ptr<RowWriter> make_table_writer(const RowStyle& style, RowSink sink) {
  return std::make_unique<TableWriter>(style, std::move(sink));
}

}  // namespace partita::tools
