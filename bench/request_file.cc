#include "request_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fatal.h"

namespace partita::bench {

RequestFile::RequestFile(const std::string& path) {
  const int file = must(path.c_str(), ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  must("fstat", ::fstat(file, &status));
  if (status.st_size == 0) fatal("{} is empty", path);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (start == MAP_FAILED) fatal("{} cannot be mapped", path);
  bytes_ = {static_cast<const char*>(start), bytes};
  for (std::string_view rest = bytes_; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    lines_.push_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

RequestFile::~RequestFile() { ::munmap(const_cast<char*>(bytes_.data()), bytes_.size()); }

}  // namespace partita::bench
