#pragma once

#include "base/result.h"
#include "document/value.h"

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools::transfer {

enum class OutputFormat { kLines, kJson, kTable };

// By how the name ends, without .gz or .zst: .json is an array, .csv and .tsv are tables, everything else is NDJSON.
OutputFormat output_format_of(std::string_view path);
// A tab for .tsv, else a comma.
char delimiter_of(std::string_view path);

// DocumentText: documents as text, one behind the other. Not thread-safe.
//
// A table has the columns that were named, or those of the documents that come first; a document with another property is an
// error, as it would be lost.
class DocumentText {
 public:
  struct Options {
    OutputFormat format = OutputFormat::kLines;
    char delimiter = ',';
    bool has_system_properties = false;
    std::vector<std::string> columns = {};
    bool is_begun = false;  // goes on behind documents that are written already
  };
  explicit DocumentText(Options options)
      : options_(std::move(options)), known_columns_(options_.columns.begin(), options_.columns.end()) {}

  // Whether columns must be found first: see choose_columns().
  bool needs_columns() const { return options_.format == OutputFormat::kTable && options_.columns.empty(); }
  // kInvalidInput when there would be very many.
  Status choose_columns(std::span<const Value> documents);
  const std::vector<std::string>& columns() const { return options_.columns; }

  Status append(const Value& document, std::string& out);
  // What stands behind the last document.
  void end(std::string& out);

 private:
  bool is_shown(std::string_view name) const;
  void begin(std::string& out);
  void append_object(const Value& document, std::string& out) const;
  Status append_row(const Value& document, std::string& out) const;

  Options options_;
  std::set<std::string, std::less<>> known_columns_;
};

}  // namespace partita::tools::transfer
