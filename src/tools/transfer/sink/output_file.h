#pragma once

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace partita::tools::transfer {

enum class Compression { kNone, kGzip, kZstd };

// By how the name ends: .gz, .zst or neither.
Compression compression_of(std::string_view path);

// Compressor: turns a text into the bytes of one compressed member after the other. Not thread-safe.
class Compressor {
 public:
  virtual ~Compressor() = default;
  // Appends what is ready of the text's compressed form.
  virtual Status add(std::string_view text, std::string& out) = 0;
  // Ends the member, so that what was added until now can be read whatever follows. Nothing happens without any.
  virtual Status end_member(std::string& out) = 0;
};
std::unique_ptr<Compressor> make_compressor(Compression compression);

// OutputFile: a file that is written from its beginning to its end, or standard output for "-". Not thread-safe.
//
// What was written before sync() returned stays whatever happens to this program, and the file can be gone on with at the length
// that it returned.
class OutputFile {
 public:
  // Cuts the file to `length` bytes and goes on there; 0 begins a new one. kInvalidInput when it is shorter.
  static Result<OutputFile> open(const std::string& path, Compression compression, uint64_t length);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status write(std::string_view text);
  // The length of the file, everything before on disk.
  Result<uint64_t> sync();
  // Bytes in the file and those that wait for the disk.
  uint64_t length() const { return length_ + waiting_.size(); }

 private:
  OutputFile(std::string path, int descriptor, Compression compression, uint64_t length);
  Status write_out();

  std::string path_;
  int descriptor_;
  std::unique_ptr<Compressor> compressor_;  // or none
  std::string waiting_;
  uint64_t length_;
};

}  // namespace partita::tools::transfer
