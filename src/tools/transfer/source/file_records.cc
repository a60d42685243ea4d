#include "tools/transfer/source/record_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace partita::tools::transfer {

Result<std::unique_ptr<FileRecords>> FileRecords::open(std::vector<InputFile> files, TableOptions table,
                                                       std::string_view position) {
  uint64_t documents = 0;
  if (!position.empty()) {
    const auto [end, problem] = std::from_chars(position.data(), position.data() + position.size(), documents);
    if (problem != std::errc() || end != position.data() + position.size())
      return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is no position in files", position));
  }
  std::unique_ptr<FileRecords> records(new FileRecords(std::move(files), std::move(table)));
  TRY(records->pass_over(documents));
  return records;
}

Status FileRecords::pass_over(uint64_t documents) {
  SourceRecord record;
  while (documents_ < documents) {
    record.clear();
    TRY_ASSIGN(const bool has_record, next(record));
    if (!has_record) {
      return fail(
          ErrorCode::kInvalidInput,
          fmt::format("the source has {} documents, but {} were read of it before: it is another one", documents_, documents));
    }
  }
  return {};
}

Status FileRecords::open_next() {
  const InputFile& file = files_[next_file_++];
  name_ = file.path == "-" ? "standard input" : file.path;
  TRY_ASSIGN(std::unique_ptr<ByteSource> bytes, open_source(file.path, bytes_read_));
  TRY_ASSIGN(bytes, decompressed(std::move(bytes), name_));
  TableOptions table = table_;
  if (table.delimiter == '\0') table.delimiter = file.delimiter;
  TRY_ASSIGN(reader_, reader_of(std::move(bytes), file.format, std::move(table)));
  return {};
}

Result<bool> FileRecords::next(SourceRecord& record) {
  while (true) {
    if (!reader_) {
      if (next_file_ == files_.size()) return false;
      TRY(open_next());
    }
    const Result<bool> has_record = reader_->next(record);
    if (!has_record) return fail(has_record.error().code, fmt::format("{}: {}", name_, has_record.error().message));
    if (*has_record) {
      ++documents_;
      return true;
    }
    reader_.reset();
  }
}

std::optional<std::string> FileRecords::position() const { return std::to_string(documents_); }

std::optional<double> FileRecords::progress() const {
  uint64_t whole = 0;
  for (const InputFile& file : files_) whole += file.bytes;
  const bool is_known = std::ranges::none_of(files_, [](const InputFile& file) { return file.path == "-"; });
  if (!is_known || whole == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(bytes_read_) / static_cast<double>(whole));
}

}  // namespace partita::tools::transfer
