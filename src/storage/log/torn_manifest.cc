#include "storage/log/torn_manifest.h"

#include "base/bytes.h"
#include "storage/checksum.h"
#include "storage/log/log_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace partita {
namespace {

// Fewer may be the end of a whole record.
constexpr size_t kZerosMin = 64;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Empty when CURRENT names none.
std::string path_of_manifest(const std::string& directory) {
  std::string name = contents(directory + "/CURRENT");
  while (name.ends_with('\n')) name.pop_back();
  return name.starts_with("MANIFEST-") ? directory + "/" + name : std::string();
}

size_t length_of(std::string_view record) { return load_little_endian<uint16_t>(record.data() + kLogLengthAt); }

bool has_checksum_for(std::string_view record, size_t length) {
  return masked_checksum(record.substr(kLogTypeAt, 1 + length)) == load_little_endian<uint32_t>(record.data());
}

bool is_whole(std::string_view bytes) {
  if (bytes.size() < kLogHeaderBytes || bytes[kLogTypeAt] < kLogWhole || bytes[kLogTypeAt] > kLogLast) return false;
  const size_t length = length_of(bytes);
  return bytes.size() - kLogHeaderBytes >= length && has_checksum_for(bytes, length);
}

// Where a record begins whose length goes beyond the end of the last block; the end when there is none.
size_t find_unfinished(std::string_view block) {
  size_t at = 0;
  while (at + kLogHeaderBytes <= block.size()) {
    const std::string_view record = block.substr(at);
    const size_t length = length_of(record);
    if (length == 0 && record[kLogTypeAt] == 0) break;
    if (length > record.size() - kLogHeaderBytes) return at;
    at += kLogHeaderBytes + length;
  }
  return block.size();
}

}  // namespace

Status check_manifest(const std::string& directory) {
  const std::string path = path_of_manifest(directory);
  if (path.empty()) return {};
  const std::string manifest = contents(path);
  const std::string_view block = std::string_view(manifest).substr(manifest.size() / kLogBlockBytes * kLogBlockBytes);
  const size_t at = find_unfinished(block);
  if (at == block.size()) return {};
  bool is_damaged = has_checksum_for(block.substr(at), block.size() - at - kLogHeaderBytes);
  for (size_t behind = at + 1; behind < block.size() && !is_damaged; ++behind) is_damaged = is_whole(block.substr(behind));
  if (!is_damaged) return {};
  return fail(ErrorCode::kCorruption, fmt::format("the list of tables {} is damaged at byte {}: the length of a record is wrong",
                                                  path, manifest.size() - block.size() + at));
}

std::optional<TornManifest> find_torn_manifest(const std::string& directory) {
  const std::string path = path_of_manifest(directory);
  if (path.empty()) return std::nullopt;
  const std::string manifest = contents(path);
  const size_t end = manifest.find_last_not_of('\0') + 1;
  if (manifest.size() - end < kZerosMin) return std::nullopt;
  return TornManifest{path, end};
}

bool cut(const TornManifest& manifest, EventSink* events) {
  std::error_code failed;
  const uint64_t bytes = std::filesystem::file_size(manifest.path, failed);
  if (!failed) std::filesystem::resize_file(manifest.path, manifest.end, failed);
  if (failed) return false;
  if (events != nullptr) {
    events->report(
        {.severity = EventSeverity::kWarning,
         .room = "storage",
         .kind = "torn-manifest",
         .what = fmt::format("the file ended in a record that was never finished; the {} zeros behind it were taken away",
                             bytes - manifest.end),
         .where = manifest.path});
  }
  return true;
}

}  // namespace partita
