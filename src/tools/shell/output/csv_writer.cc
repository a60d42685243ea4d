#include "document/json/terminal_text.h"
#include "tools/shell/output/row_writer.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace partita::tools {
namespace {

constexpr size_t kRowsKept = 500;
constexpr size_t kBytesKept = 4 << 20;
// As many as spreadsheets have.
constexpr size_t kColumnsMax = 16'384;

std::string quoted(const std::string& text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos && text.front() != ' ' && text.back() != ' ')
    return text;
  std::string out = "\"";
  for (const char each : text) {
    if (each == '"') out += '"';
    out += each;
  }
  return out + '"';
}

// CsvWriter: the first rows decide about the columns; a missing value is an empty field, an empty text is "".
class CsvWriter : public RowWriter {
 public:
  CsvWriter(const RowStyle& style, RowSink sink) : style_(style), sink_(std::move(sink)) {}

  void add(const Value& row) override {
    std::vector<std::string> fields;
    if (!row.is_object()) put(fields, "value", row);
    for (size_t i = 0; row.is_object() && i < row.size(); ++i) put(fields, row.member(i).key, row.member(i).value);
    rows_.push_back(std::move(fields));
    if (has_head_ || rows_.size() >= kRowsKept || bytes_ >= kBytesKept) flush();
  }

  void flush() override {
    std::string out;
    if (!has_head_ && !names_.empty()) {
      std::vector<std::string> head;
      for (const std::string& name : names_) head.push_back(quoted(name));
      out += line(head);
      has_head_ = true;
    }
    for (const std::vector<std::string>& row : rows_) out += line(row);
    rows_.clear();
    bytes_ = 0;
    if (!out.empty()) sink_(out);
  }

  void end() override { flush(); }
  bool has_lost_columns() const override { return has_lost_; }

 private:
  void put(std::vector<std::string>& fields, std::string_view name, const Value& value) {
    auto found = columns_.find(name);
    if (found == columns_.end() && (has_head_ || names_.size() == kColumnsMax)) {
      has_lost_ = true;
      return;
    }
    if (found == columns_.end()) {
      found = columns_.emplace(name, names_.size()).first;
      names_.emplace_back(name);
    }
    const size_t column = found->second;
    if (fields.size() <= column) {
      bytes_ += (column + 1 - fields.size()) * sizeof(std::string);
      fields.resize(column + 1);
    }
    fields[column] = quoted(cell_text(value));
    bytes_ += fields[column].size();
  }

  std::string line(const std::vector<std::string>& fields) const {
    std::string out;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (i > 0) out += ',';
      if (i < fields.size()) out += fields[i];
    }
    return (style_.is_terminal ? terminal_text(out) : out) + "\r\n";
  }

  RowStyle style_;
  RowSink sink_;
  std::vector<std::string> names_;
  std::map<std::string, size_t, std::less<>> columns_;  // by name
  std::vector<std::vector<std::string>> rows_;
  size_t bytes_ = 0;
  bool has_head_ = false;
  bool has_lost_ = false;
};

}  // namespace

std::unique_ptr<RowWriter> make_csv_writer(const RowStyle& style, RowSink sink) {
  return std::make_unique<CsvWriter>(style, std::move(sink));
}

}  // namespace partita::tools
