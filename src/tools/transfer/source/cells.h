#pragma once

#include "tools/transfer/source/document_reader.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Lines of tables: cells between delimiters, in quotation marks where they contain one of those (RFC 4180).
namespace partita::tools::transfer {

struct Cell {
  std::string text = {};
  bool is_quoted = false;
};

// RowParser: splits one line, piece by piece. A line break inside quotation marks belongs to its cell.
class RowParser {
 public:
  // `cells` is emptied.
  RowParser(char delimiter, std::vector<Cell>& cells);

  // Goes on at `from`; how many bytes of the text belong to the line, with its end, once that is among them.
  std::optional<size_t> feed(std::string_view text, size_t from);
  // The text ended without a line end.
  void finish();
  // What is wrong with the line; empty when nothing is.
  const std::string& fault() const { return fault_; }

 private:
  void take(char character);
  void take_quoted(char character);

  char delimiter_;
  std::vector<Cell>& cells_;
  std::string fault_;
  bool is_inside_ = false;       // of quotation marks
  bool is_mark_before_ = false;  // inside of them: the end, or half of a mark that is meant
};

// Whether it is UTF-8.
bool is_text(std::string_view text);

// Adds the cell to the object that is open, unless it is empty and stands for nothing. In an inferred column a cell with
// quotation marks is a string, or JSON when it is an array or an object; without them it is a number, true, false or null where
// it looks like one. The column `id` is a string always.
Status write_cell(const Cell& cell, const ColumnType& column, StoredWriter& out);

// The cell as it must be written so that write_cell() finds the same value in an inferred column.
void append_cell(std::string& out, const Value& value, char delimiter);

}  // namespace partita::tools::transfer
