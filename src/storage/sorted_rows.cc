#include "storage/rocks.h"
#include "storage/sorted_rows_state.h"

#include <fmt/format.h>

#include <filesystem>

namespace partita {
namespace {

constexpr uint64_t kFileBytesMax = 128UL << 20;
// So much is sent to the disk at a time: whoever syncs the log meanwhile does not wait for a whole file.
constexpr uint64_t kSentBytes = 1UL << 20;

std::unique_ptr<rocksdb::SstFileWriter> new_writer(const rocksdb::Options& options) {
  rocksdb::EnvOptions environment(options);
  environment.bytes_per_sync = kSentBytes;
  // They will be read soon: they stay in the system's memory.
  constexpr bool kForgetsPages = false;
  return std::make_unique<rocksdb::SstFileWriter>(environment, options, nullptr, kForgetsPages);
}

}  // namespace

SortedRows::SortedRows(std::unique_ptr<State> state) : state_(std::move(state)) {}
SortedRows::SortedRows(SortedRows&&) noexcept = default;

SortedRows::~SortedRows() {
  if (!state_) return;
  state_->writer.reset();
  std::error_code ignored;
  for (const std::string& file : state_->files) std::filesystem::remove(file, ignored);
}

Status SortedRows::add(std::string_view key, std::string_view value) {
  if (state_->writer && state_->writer->FileSize() > kFileBytesMax) TRY(finish_file());
  if (!state_->writer) {
    state_->files.push_back(fmt::format("{}-{}.sst", state_->path, state_->files.size()));
    state_->writer = new_writer(state_->options);
    TRY(rocks::to_status(state_->writer->Open(state_->files.back())));
  }
  return rocks::to_status(state_->writer->Put(rocks::slice(key), rocks::slice(value)));
}

Status SortedRows::finish_file() {
  if (!state_->writer) return {};
  const rocksdb::Status finished = state_->writer->Finish();
  state_->writer.reset();
  return rocks::to_status(finished);
}

}  // namespace partita
