#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita::bench {

// RequestFile: one request per line, mapped into memory. Immutable once opened.
class RequestFile {
 public:
  // Fails with a message when it cannot be read or has no line.
  explicit RequestFile(const std::string& path);
  ~RequestFile();
  RequestFile(const RequestFile&) = delete;
  RequestFile& operator=(const RequestFile&) = delete;

  std::uint64_t size() const { return lines_.size(); }
  // The line of a number, without its end; numbers behind the last line start again at the first.
  std::string_view line(std::uint64_t number) const { return lines_[number % lines_.size()]; }

 private:
  std::string_view bytes_;
  std::vector<std::string_view> lines_;
};

}  // namespace partita::bench
