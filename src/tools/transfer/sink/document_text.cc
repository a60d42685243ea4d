#include "tools/transfer/sink/document_text.h"

#include "document/json/json.h"
#include "document/stored/stored_writer.h"
#include "tools/transfer/content/content.h"
#include "tools/transfer/source/cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::tools::transfer {
namespace {

// As many as spreadsheets have.
constexpr size_t kColumnsMax = 16'384;

std::string_view without_compression(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  return path;
}

}  // namespace

OutputFormat output_format_of(std::string_view path) {
  path = without_compression(path);
  if (path.ends_with(".json")) return OutputFormat::kJson;
  if (path.ends_with(".csv") || path.ends_with(".tsv")) return OutputFormat::kTable;
  return OutputFormat::kLines;
}

char delimiter_of(std::string_view path) { return without_compression(path).ends_with(".tsv") ? '\t' : ','; }

bool DocumentText::is_shown(std::string_view name) const { return options_.has_system_properties || !is_system_property(name); }

Status DocumentText::choose_columns(std::span<const Value> documents) {
  for (const Value& document : documents) {
    for (size_t index = 0; index < document.size(); ++index) {
      const std::string_view name = document.member(index).key;
      if (!is_shown(name) || known_columns_.contains(name)) continue;
      if (options_.columns.size() == kColumnsMax) {
        return fail(ErrorCode::kInvalidInput,
                    fmt::format("the documents have more than {} different properties: name the columns with --columns, or "
                                "export to NDJSON",
                                kColumnsMax));
      }
      known_columns_.emplace(name);
      options_.columns.emplace_back(name);
    }
  }
  return {};
}

void DocumentText::begin(std::string& out) {
  options_.is_begun = true;
  if (options_.format == OutputFormat::kJson) out += "[\n";
  if (options_.format != OutputFormat::kTable) return;
  StoredWriter name;
  for (const std::string& column : options_.columns) {
    if (&column != &options_.columns.front()) out += options_.delimiter;
    name.clear();
    name.string(column);
    append_cell(out, name.view(), options_.delimiter);
  }
  out += '\n';
}

Status DocumentText::append(const Value& document, std::string& out) {
  const bool is_first = !options_.is_begun;
  if (is_first) begin(out);
  switch (options_.format) {
    case OutputFormat::kLines:
      append_object(document, out);
      out += '\n';
      return {};
    case OutputFormat::kJson:
      if (!is_first) out += ",\n";
      append_object(document, out);
      return {};
    case OutputFormat::kTable: return append_row(document, out);
  }
  return {};
}

void DocumentText::end(std::string& out) {
  const bool is_empty = !options_.is_begun;
  if (is_empty) begin(out);
  if (options_.format == OutputFormat::kJson) out += is_empty ? "]\n" : "\n]\n";
}

void DocumentText::append_object(const Value& document, std::string& out) const {
  out += '{';
  bool is_first = true;
  for (size_t index = 0; index < document.size(); ++index) {
    const Value::Member member = document.member(index);
    if (!is_shown(member.key)) continue;
    if (!is_first) out += ',';
    is_first = false;
    append_json_string(out, member.key);
    out += ':';
    append_json(out, member.value);
  }
  out += '}';
}

Status DocumentText::append_row(const Value& document, std::string& out) const {
  for (size_t index = 0; index < document.size(); ++index) {
    const std::string_view name = document.member(index).key;
    if (!is_shown(name) || known_columns_.contains(name)) continue;
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("a document has the property '{}', for which the table has no column; name all columns with --columns, "
                    "or export to NDJSON",
                    name));
  }
  for (const std::string& column : options_.columns) {
    if (&column != &options_.columns.front()) out += options_.delimiter;
    append_cell(out, document.find(column), options_.delimiter);
  }
  out += '\n';
  return {};
}

}  // namespace partita::tools::transfer
