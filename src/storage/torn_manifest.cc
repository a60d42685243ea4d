#include "storage/torn_manifest.h"

#include <fmt/format.h>

#include <cstdio>
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

bool cut_torn_manifest(const std::string& directory) {
  std::string name = contents(directory + "/CURRENT");
  while (name.ends_with('\n')) name.pop_back();
  if (!name.starts_with("MANIFEST-")) return false;
  const std::string path = directory + "/" + name;
  const std::string manifest = contents(path);
  const size_t end = manifest.find_last_not_of('\0') + 1;
  if (manifest.size() - end < kZerosMin) return false;
  std::error_code failed;
  std::filesystem::resize_file(path, end, failed);
  if (failed) return false;
  fmt::print(stderr, "{} ended in a record that was never finished; the {} zeros behind it were taken away.\n", path,
             manifest.size() - end);
  return true;
}

}  // namespace partita
