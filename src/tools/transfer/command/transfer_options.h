#pragma once

#include "tools/transfer/container/prepare.h"
#include "tools/transfer/import/destination.h"
#include "tools/transfer/sink/document_text.h"
#include "tools/transfer/sink/output_file.h"
#include "tools/transfer/source/document_reader.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What a user asks `partita import`, `export` and `copy` for.
namespace partita::tools::transfer {

// A container of a server.
struct Place {
  std::string endpoint = {};
  std::string key = {};
  bool is_insecure = false;
  std::string database = {};
  std::string container = {};
};

struct CommonOptions {
  std::string state = {};  // empty: beside the file
  int64_t patience_seconds = 120;
  Verify verify = Verify::kFull;
  bool is_quiet = false;
  bool is_json = false;
};

// How documents are written to a container.
struct WriteOptions {
  WriteMode mode = WriteMode::kInsert;
  std::vector<std::string> partition_key = {};
  std::vector<std::string> computed = {};
  std::string indexing_policy_file = {};
  std::optional<int64_t> throughput = {};
  std::optional<int64_t> throughput_after = {};
  size_t in_flight_max = 0;  // documents; 0: by the throughput
  bool is_single = false;    // a request for each document
  std::string errors = {};   // a file, or empty
  uint64_t refusals_max = 100;
};

struct ImportCommand {
  Place to = {};
  std::vector<std::string> files = {};
  SourceFormat format = SourceFormat::kAutomatic;
  std::string columns = {};
  std::string delimiter = {};  // one character, or empty
  WriteOptions write = {};
  CommonOptions common = {};
};

struct ExportCommand {
  Place from = {};
  std::string file = {};
  std::optional<OutputFormat> format = {};
  std::optional<Compression> compression = {};
  std::vector<std::string> columns = {};
  bool has_system_properties = false;
  CommonOptions common = {};
};

struct CopyCommand {
  Place from = {};
  Place to = {};
  WriteOptions write = {};
  CommonOptions common = {};
};

// Each returns the exit code and says what was wrong on standard error.
int run_import(const ImportCommand& command);
int run_export(const ExportCommand& command);
int run_copy(const CopyCommand& command);

}  // namespace partita::tools::transfer
