#pragma once

#include "document/stored/stored_writer.h"
#include "tools/transfer/source/byte_source.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools::transfer {

// One document of a source, or what is wrong where one should be.
struct SourceRecord {
  uint64_t line = 0;           // where it begins; of a BSON file, which document it is. 1 is the first
  StoredWriter document = {};  // an object, unless there is a fault
  std::string fault = {};      // empty: none

  void clear() {
    document.clear();
    fault.clear();
  }
};

// DocumentReader: documents of one text, in their order. Not thread-safe.
//
// A document that is wrong is a record with a fault, and reading goes on behind it; an error is what nothing can be read behind.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;

  // False at the end. `record` was cleared.
  virtual Result<bool> next(SourceRecord& record) = 0;
};

enum class CellType { kInferred, kNumber, kString, kBoolean, kJson };

// A column whose type was told.
struct ColumnType {
  std::string name = {};
  CellType type = CellType::kInferred;

  bool operator==(const ColumnType&) const = default;
};

struct TableOptions {
  char delimiter = ',';
  std::vector<ColumnType> columns = {};  // those that are not here are inferred
};

// "a:number,b:string"; types are number, string, boolean and json.
Result<std::vector<ColumnType>> parse_columns(std::string_view text);

// One JSON object per line.
std::unique_ptr<DocumentReader> read_lines(std::unique_ptr<ByteSource> source);
// A JSON array of objects, or objects behind each other over as many lines as they like.
std::unique_ptr<DocumentReader> read_sequence(std::unique_ptr<ByteSource> source);
// Cells between delimiters (RFC 4180), whose first line names the columns.
std::unique_ptr<DocumentReader> read_table(std::unique_ptr<ByteSource> source, TableOptions options);
// What mongodump writes: BSON documents behind each other.
std::unique_ptr<DocumentReader> read_bson(std::unique_ptr<ByteSource> source);

enum class SourceFormat { kAutomatic, kLines, kJson, kTable, kBson };

// The reader of a format; kAutomatic looks at the first byte that is no white space: an array begins with '['.
Result<std::unique_ptr<DocumentReader>> reader_of(std::unique_ptr<ByteSource> source, SourceFormat format, TableOptions options);

}  // namespace partita::tools::transfer
