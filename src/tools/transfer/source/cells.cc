#include "tools/transfer/source/cells.h"

#include "document/json/json.h"
#include "document/json/utf8.h"

#include <fmt/format.h>

#include <map>

namespace partita::tools::transfer {
namespace {

constexpr char kMark = '"';

// Whether the text is one JSON value of a kind that a cell without quotation marks can be.
bool is_scalar_json(std::string_view text) {
  if (text == "true" || text == "false" || text == "null") return true;
  if (text.empty() || (text.front() != '-' && (text.front() < '0' || text.front() > '9'))) return false;
  StoredWriter ignored;
  return read_json(text, ignored).has_value();
}

bool may_be_nested(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

Status write_json(std::string_view text, StoredWriter& out, std::string_view type) {
  const Result<std::string> stored = stored_from_json(text);
  if (!stored) return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is no {}", text.substr(0, 100), type));
  const Value value = Value::view(*stored);
  const bool fits = type == "JSON" || (type == "number" ? value.is_number() : value.is_bool());
  if (!fits) return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is no {}", text.substr(0, 100), type));
  out.value(value);
  return {};
}

void write_inferred(const Cell& cell, std::string_view name, StoredWriter& out) {
  const bool looks_typed = cell.is_quoted ? may_be_nested(cell.text) : is_scalar_json(cell.text) || may_be_nested(cell.text);
  if (name != "id" && looks_typed) {
    if (const Result<std::string> stored = stored_from_json(cell.text)) {
      out.value(Value::view(*stored));
      return;
    }
  }
  out.string(cell.text);
}

}  // namespace

RowParser::RowParser(char delimiter, std::vector<Cell>& cells) : delimiter_(delimiter), cells_(cells) {
  cells_.clear();
  cells_.emplace_back();
}

std::optional<size_t> RowParser::feed(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size(); ++at) {
    const char character = text[at];
    if (character == '\n' && (!is_inside_ || is_mark_before_)) {
      finish();
      return at + 1;
    }
    take(character);
  }
  return std::nullopt;
}

void RowParser::take(char character) {
  Cell& cell = cells_.back();
  if (is_inside_) {
    take_quoted(character);
  } else if (character == delimiter_) {
    cells_.emplace_back();
  } else if (character == kMark && cell.text.empty() && !cell.is_quoted) {
    cell.is_quoted = is_inside_ = true;
  } else {
    cell.text += character;
  }
}

void RowParser::take_quoted(char character) {
  Cell& cell = cells_.back();
  if (!is_mark_before_) {
    if (character == kMark) {
      is_mark_before_ = true;
    } else {
      cell.text += character;
    }
    return;
  }
  is_mark_before_ = false;
  if (character == kMark) {
    cell.text += kMark;
    return;
  }
  is_inside_ = false;
  if (character == delimiter_) {
    cells_.emplace_back();
  } else if (character != '\r' && fault_.empty()) {
    fault_ = "there is text behind a closing quotation mark";
  }
}

void RowParser::finish() {
  if (is_inside_ && !is_mark_before_) fault_ = "a quotation mark is not closed";
  is_inside_ = is_mark_before_ = false;
  Cell& last = cells_.back();
  if (!last.is_quoted && last.text.ends_with('\r')) last.text.pop_back();
}

bool is_text(std::string_view text) { return well_formed_utf8_bytes(text, Surrogates::kRejected) == text.size(); }

Status write_cell(const Cell& cell, const ColumnType& column, StoredWriter& out) {
  if (cell.text.empty() && !cell.is_quoted) return {};
  if (!is_text(cell.text)) return fail(ErrorCode::kInvalidInput, "the text is not UTF-8");
  out.key(column.name);
  switch (column.type) {
    case CellType::kInferred: write_inferred(cell, column.name, out); return {};
    case CellType::kString: out.string(cell.text); return {};
    case CellType::kNumber: return write_json(cell.text, out, "number");
    case CellType::kBoolean: return write_json(cell.text, out, "boolean");
    case CellType::kJson: return write_json(cell.text, out, "JSON");
  }
  return {};
}

void append_cell(std::string& out, const Value& value, char delimiter) {
  if (value.is_undefined()) return;
  std::string text = value.is_string() ? std::string(value.string()) : to_json(value);
  const bool needs_marks = value.is_string() && (text.empty() || is_scalar_json(text) || may_be_nested(text));
  const std::string special = {delimiter, kMark, '\n', '\r'};
  if (!needs_marks && text.find_first_of(special) == std::string::npos) {
    out += text;
    return;
  }
  out += kMark;
  for (const char character : text) {
    if (character == kMark) out += kMark;
    out += character;
  }
  out += kMark;
}

Result<std::vector<ColumnType>> parse_columns(std::string_view text) {
  static const std::map<std::string_view, CellType> kTypes = {
      {"number", CellType::kNumber}, {"string", CellType::kString}, {"boolean", CellType::kBoolean}, {"json", CellType::kJson}};
  std::vector<ColumnType> columns;
  while (!text.empty()) {
    const std::string_view column = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), column.size() + 1));
    const size_t colon = column.rfind(':');
    const auto type = colon == std::string_view::npos ? kTypes.end() : kTypes.find(column.substr(colon + 1));
    if (colon == 0 || type == kTypes.end()) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("'{}' is not of the form NAME:TYPE; types are number, string, boolean and json", column));
    }
    columns.push_back({.name = std::string(column.substr(0, colon)), .type = type->second});
  }
  return columns;
}

}  // namespace partita::tools::transfer
