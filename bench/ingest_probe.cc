// ingest_probe: how fast RocksDB takes in sorted rows of 1 KB, written as files and moved into an empty store: what a copy of a
// partition could reach if it wrote nothing but the documents, or, with --entries, if its rows need not be read and sorted out.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>
#include <CLI/CLI.hpp>

#include "fatal.h"

namespace partita::bench {
namespace {

constexpr std::size_t kRowBytes = 1024;
constexpr std::size_t kEntryBytes = 58;  // behind the prefix
using Clock = std::chrono::steady_clock;

void demand(const rocksdb::Status& status) {
  if (!status.ok()) fatal("RocksDB: {}", status.ToString());
}

std::string key_of(std::uint64_t number) { return fmt::format("{:016x}", number); }

void write_rows(const std::string& path, const rocksdb::Options& options, std::uint64_t rows) {
  rocksdb::SstFileWriter file(rocksdb::EnvOptions(), options);
  demand(file.Open(path));
  std::string row(kRowBytes, 'p');
  for (std::uint64_t number = 0; number < rows; ++number) {
    // A row that compresses like a document, not like a constant.
    std::uint64_t noise = number * 0x9E3779B97F4A7C15;
    for (std::size_t at = 0; at < kRowBytes / 2; ++at, noise = noise * 6364136223846793005 + 1442695040888963407) {
      row[at] = static_cast<char>(' ' + (noise >> 33) % 64);
    }
    demand(file.Put(key_of(number), row));
  }
  demand(file.Finish());
}

// Index entries: keys without values.
void write_entries(const std::string& path, const rocksdb::Options& options, std::uint64_t entries) {
  rocksdb::SstFileWriter file(rocksdb::EnvOptions(), options);
  demand(file.Open(path));
  for (std::uint64_t number = 0; number < entries; ++number) {
    demand(file.Put(fmt::format("entry {:0{}x}", number * 0x9E3779B1, kEntryBytes), ""));
  }
  demand(file.Finish());
}

}  // namespace
}  // namespace partita::bench

int main(int argc, char** argv) {
  using namespace partita::bench;
  CLI::App app("Measures RocksDB's ingestion of sorted 1 KB rows");
  std::string directory;
  std::uint64_t rows = 100'000;
  std::uint64_t entries = 0;
  app.add_option("directory", directory, "an empty directory; what is written there stays")->required();
  app.add_option("--rows", rows)->check(CLI::PositiveNumber);
  app.add_option("--entries", entries, "index entries per row, which are ingested too");
  CLI11_PARSE(app, argc, argv);

  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  demand(rocksdb::DB::Open(options, directory + "/store", &opened));
  const std::unique_ptr<rocksdb::DB> store(opened);
  const auto began = Clock::now();
  write_rows(directory + "/rows", options, rows);
  rocksdb::IngestExternalFileOptions ingestion;
  ingestion.move_files = true;
  demand(store->IngestExternalFile({directory + "/rows"}, ingestion));
  if (entries > 0) {
    write_entries(directory + "/entries", options, entries * rows);
    demand(store->IngestExternalFile({directory + "/entries"}, ingestion));
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  fmt::print(R"({{"rows":{},"bytes_per_s":{:.0f}}})"
             "\n",
             rows, static_cast<double>(rows * kRowBytes) / seconds);
  return 0;
}
