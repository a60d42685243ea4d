#pragma once

#include "tools/transfer/source/document_reader.h"
#include "tools/transfer/source/input_files.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools::transfer {

// RecordSource: documents, wherever they come from. Not thread-safe.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  // False at the end. `record` was cleared.
  virtual Result<bool> next(SourceRecord& record) = 0;
  // Where the last record comes from, for people; empty when nobody needs to be told.
  virtual std::string_view name() const = 0;
  // Where another source of this kind goes on behind the last record; nothing when it can only do so elsewhere.
  virtual std::optional<std::string> position() const = 0;
  // Whether a second one gives the same records in the same order.
  virtual bool is_ordered() const = 0;
  // How much of the whole was read, from 0 to 1; nothing when nobody knows.
  virtual std::optional<double> progress() const = 0;
};

// FileRecords: the documents of files, one after the other. A position is how many there were.
class FileRecords : public RecordSource {
 public:
  // `position` is empty for the beginning; otherwise so many documents are passed over. The delimiter of a file's own, unless
  // `table` has one.
  static Result<std::unique_ptr<FileRecords>> open(std::vector<InputFile> files, TableOptions table, std::string_view position);

  Result<bool> next(SourceRecord& record) override;
  std::string_view name() const override { return name_; }
  std::optional<std::string> position() const override;
  bool is_ordered() const override { return true; }
  std::optional<double> progress() const override;

 private:
  FileRecords(std::vector<InputFile> files, TableOptions table) : files_(std::move(files)), table_(std::move(table)) {}
  Status open_next();
  Status pass_over(uint64_t documents);

  std::vector<InputFile> files_;
  TableOptions table_;
  size_t next_file_ = 0;
  std::string name_;
  std::unique_ptr<DocumentReader> reader_;  // of the file before next_file_
  uint64_t documents_ = 0;
  uint64_t bytes_read_ = 0;
};

}  // namespace partita::tools::transfer
