#include "tools/shell/output/row_writer.h"

#include "document/json/json.h"
#include "document/json/terminal_text.h"
#include "tools/shell/text/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::tools {
namespace {

std::string json_text(const Value& row, const RowStyle& style) {
  std::string json = to_json(row);
  // JSON has escapes for some control characters; a terminal knows more of them.
  return style.is_terminal ? terminal_text(json) : json;
}

class JsonWriter : public RowWriter {
 public:
  JsonWriter(const RowStyle& style, RowSink sink) : style_(style), sink_(std::move(sink)) {}
  void add(const Value& row) override {
    sink_(rows_++ == 0 ? "[\n" : ",\n");
    sink_(json_text(row, style_));
  }
  void end() override { sink_(rows_ == 0 ? "[]\n" : "\n]\n"); }

 private:
  RowStyle style_;
  RowSink sink_;
  size_t rows_ = 0;
};

class LinesWriter : public RowWriter {
 public:
  LinesWriter(const RowStyle& style, RowSink sink) : style_(style), sink_(std::move(sink)) {}
  void add(const Value& row) override { sink_(json_text(row, style_) + "\n"); }
  void end() override {}

 private:
  RowStyle style_;
  RowSink sink_;
};

class VerticalWriter : public RowWriter {
 public:
  explicit VerticalWriter(RowSink sink) : sink_(std::move(sink)) {}
  void add(const Value& row) override {
    std::string out = fmt::format("-- {} --\n", ++rows_);
    if (!row.is_object()) {
      sink_(out + terminal_text(cell_text(row)) + "\n");
      return;
    }
    size_t width = 0;
    for (size_t i = 0; i < row.size(); ++i) width = std::max(width, column_count(terminal_text(row.member(i).key)));
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string name = terminal_text(row.member(i).key);
      out += fmt::format("{}{}  {}\n", name, std::string(width - column_count(name), ' '),
                         terminal_text(cell_text(row.member(i).value)));
    }
    sink_(out);
  }
  void end() override {}

 private:
  RowSink sink_;
  size_t rows_ = 0;
};

}  // namespace

const std::map<std::string, RowFormat>& row_formats() {
  static const std::map<std::string, RowFormat> kFormats = {{"table", RowFormat::kTable},
                                                            {"json", RowFormat::kJson},
                                                            {"lines", RowFormat::kLines},
                                                            {"csv", RowFormat::kCsv},
                                                            {"vertical", RowFormat::kVertical}};
  return kFormats;
}

std::string cell_text(const Value& value) {
  if (value.is_undefined()) return "-";
  return value.is_string() ? std::string(value.string()) : to_json(value);
}

bool is_system_property(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"_rid", "_self", "_etag", "_attachments", "_ts"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool is_whole_document(const Value& row) {
  return row.is_object() && !row.find("_rid").is_undefined() && !row.find("_self").is_undefined() &&
         !row.find("_etag").is_undefined();
}

std::unique_ptr<RowWriter> make_row_writer(RowFormat format, const RowStyle& style, RowSink sink) {
  switch (format) {
    case RowFormat::kTable: return make_table_writer(style, std::move(sink));
    case RowFormat::kJson: return std::make_unique<JsonWriter>(style, std::move(sink));
    case RowFormat::kLines: return std::make_unique<LinesWriter>(style, std::move(sink));
    case RowFormat::kCsv: return make_csv_writer(style, std::move(sink));
    case RowFormat::kVertical: return std::make_unique<VerticalWriter>(std::move(sink));
  }
  return nullptr;
}

}  // namespace partita::tools
