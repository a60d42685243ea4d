#include "tools/transfer/source/input_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace partita::tools::transfer {
namespace {

namespace fs = std::filesystem;

std::string_view without_compression(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst", ".zstd"}) {
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  }
  return path;
}

InputFile describe(const std::string& path, SourceFormat format) {
  std::error_code problem;
  const uint64_t bytes = path == "-" ? 0 : fs::file_size(path, problem);
  return {.path = path,
          .format = format == SourceFormat::kAutomatic ? source_format_of(path) : format,
          .delimiter = without_compression(path).ends_with(".tsv") ? '\t' : ',',
          .bytes = problem ? 0 : bytes};
}

// What mongodump keeps beside the documents is none.
bool has_documents(std::string_view path) {
  const std::string_view name = without_compression(path);
  if (name.ends_with(".metadata.json") || name.ends_with("prelude.json") || name.ends_with("oplog.bson")) return false;
  return name.ends_with(".json") || source_format_of(path) != SourceFormat::kAutomatic;
}

Status add_directory(const std::string& path, SourceFormat format, std::vector<InputFile>& files) {
  std::error_code problem;
  std::vector<std::string> names;
  for (fs::directory_iterator at(path, problem), end; !problem && at != end; at.increment(problem)) {
    if (at->is_regular_file(problem) && has_documents(at->path().native())) names.push_back(at->path().native());
  }
  if (problem) return fail(ErrorCode::kInvalidInput, fmt::format("cannot list {}: {}", path, problem.message()));
  if (names.empty()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{} has no file whose name ends in .ndjson, .jsonl, .json, .csv, .tsv or .bson", path));
  }
  std::ranges::sort(names);
  for (const std::string& name : names) files.push_back(describe(name, format));
  return {};
}

}  // namespace

SourceFormat source_format_of(std::string_view path) {
  path = without_compression(path);
  if (path.ends_with(".ndjson") || path.ends_with(".jsonl")) return SourceFormat::kLines;
  if (path.ends_with(".csv") || path.ends_with(".tsv")) return SourceFormat::kTable;
  if (path.ends_with(".bson")) return SourceFormat::kBson;
  return SourceFormat::kAutomatic;
}

Result<std::vector<InputFile>> list_inputs(const std::vector<std::string>& paths, SourceFormat format) {
  std::vector<InputFile> files;
  for (const std::string& path : paths) {
    std::error_code problem;
    if (path != "-" && !fs::exists(path, problem))
      return fail(ErrorCode::kInvalidInput, fmt::format("there is no file {}", path));
    if (path != "-" && fs::is_directory(path, problem)) {
      TRY(add_directory(path, format, files));
    } else {
      files.push_back(describe(path, format));
    }
  }
  return files;
}

}  // namespace partita::tools::transfer
