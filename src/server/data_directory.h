#pragma once

#include "base/result.h"

#include <string>

namespace partita::server {

// The layout of a data directory. ON DISK: docs/formats/data-directory.md. Raised with every incompatible change.
inline constexpr int kDataFormat = 2;

// DataDirectory: a directory that this process alone uses while the object lives.
//
//   FORMAT    "partita 2"
//   lock      held by the process that uses the directory; contains its process id
//   store/    the store
//   tls/      certificate and key, made at the first start
class DataDirectory {
 public:
  // Made if it does not exist. Errors: in use by another server, of another format, not writable; each says what to do.
  static Result<DataDirectory> open(const std::string& path);
  // Refuses a path where none is: a tool that was given a misspelt one must not make a directory there.
  static Status expect(const std::string& path);
  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&& other) noexcept;
  ~DataDirectory();

  const std::string& path() const { return path_; }
  std::string store_path() const { return path_ + "/store"; }
  std::string tls_path() const { return path_ + "/tls"; }

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;
};

}  // namespace partita::server
