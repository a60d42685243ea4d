#pragma once

#include "document/value.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace partita::tools {

enum class RowFormat {
  kTable,     // for people
  kJson,      // one array
  kLines,     // a document per line
  kCsv,       // RFC 4180; the columns are those of the first rows
  kVertical,  // a property per line
};
const std::map<std::string, RowFormat>& row_formats();

struct RowStyle {
  bool is_terminal = false;  // what could control one is shown as escapes, whatever the format
  size_t columns_max = 0;    // of a table; 0: as wide as it gets
};
using RowSink = std::function<void(std::string_view)>;

// RowWriter: the rows of one query as text. Not thread-safe. Keeps at most some hundred rows, however many there are.
class RowWriter {
 public:
  RowWriter() = default;
  virtual ~RowWriter() = default;
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  virtual void add(const Value& row) = 0;
  // Writes what is kept, so that a page can be looked at before the next one comes.
  virtual void flush() {}
  // Whether rows had properties that there was no column for any more.
  virtual bool has_lost_columns() const { return false; }
  // Once, after the last row.
  virtual void end() = 0;
};

std::unique_ptr<RowWriter> make_row_writer(RowFormat format, const RowStyle& style, RowSink sink);

// Parts of the implementations.

// A value in one cell: a text as it is, anything else as JSON, nothing as "-".
std::string cell_text(const Value& value);
// The properties that documents have from the server, which say nothing in a table.
bool is_system_property(std::string_view name);
bool is_whole_document(const Value& row);
std::unique_ptr<RowWriter> make_table_writer(const RowStyle& style, RowSink sink);
std::unique_ptr<RowWriter> make_csv_writer(const RowStyle& style, RowSink sink);

}  // namespace partita::tools
