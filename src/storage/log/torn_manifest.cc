#include "storage/log/torn_manifest.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace partita {
namespace {

// Fewer may be the end of a whole record.
constexpr size_t kZerosMin = 64;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::optional<TornManifest> find_torn_manifest(const std::string& directory) {
  std::string name = contents(directory + "/CURRENT");
  while (name.ends_with('\n')) name.pop_back();
  if (!name.starts_with("MANIFEST-")) return std::nullopt;
  const std::string path = directory + "/" + name;
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
