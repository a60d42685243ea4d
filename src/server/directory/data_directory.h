#pragma once

#include "base/result.h"

#include <string>

namespace partita::server {

// The layout of a data directory. ON DISK: docs/formats/data-directory.md. Raised with every incompatible change.
inline constexpr int kDataFormat = 3;
// The oldest that is read. A server that opens it brings it to the present one (upgrade.h).
inline constexpr int kDataFormatMin = 2;
// From which on the store keeps a ledger of its logs.
inline constexpr int kDataFormatWithLedger = 3;

// DataDirectory: a directory that this process alone uses while the object lives.
//
//   FORMAT    "partita 3", or "partita 3 from 2" while that step of an upgrade is under way
//   lock      held by the process that uses the directory; contains its process id
//   store/    the store
//   tls/      certificate and key, made at the first start
class DataDirectory {
 public:
  // Made if it does not exist. Errors: in use by another server, of another format, not writable; each says what to do.
  static Result<DataDirectory> open(const std::string& path);
  // One that exists; nothing in it is changed, so that the disk may be read-only or full. No server uses it meanwhile, others may
  // read it.
  static Result<DataDirectory> open_to_read(const std::string& path);
  // Refuses a path where none is: a tool that was given a misspelt one must not make a directory there.
  static Status expect(const std::string& path);
  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&& other) noexcept;
  ~DataDirectory();

  const std::string& path() const { return path_; }
  // What can be read in it. During a step of an upgrade that is still the format before.
  int format() const { return format_; }
  // Marks that its contents are being brought to the next format. REQUIRES: format() < kDataFormat.
  Status begin_upgrade();
  // Once they are. REQUIRES: begin_upgrade().
  Status end_upgrade();
  std::string store_path() const { return path_ + "/store"; }
  std::string tls_path() const { return path_ + "/tls"; }

 private:
  DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;
  int lock_;
  int format_ = kDataFormat;
};

}  // namespace partita::server
