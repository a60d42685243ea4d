#pragma once

#include "base/result.h"
#include "tools/transfer/progress/ledger.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace partita::tools::transfer {

// How far a transfer is, so that another run of the same one can go on.
struct Checkpoint {
  std::string job = {};                   // what is transferred, from where to where and how: another job must not go on here
  std::string position = {};              // of the source: everything before is settled; empty: its beginning
  uint64_t documents = 0;                 // before the position
  uint64_t claimed = 0;                   // of documents; none behind these was sent
  Tally tally = {};                       // of those before the position
  uint64_t output_bytes = 0;              // of the file that is written: of an import the one with errors
  std::vector<std::string> columns = {};  // of a table that is written
  std::optional<ContentSum> before = {};  // what the destination had at first

  std::string to_json() const;
  // kInvalidInput: this is no checkpoint.
  static Result<Checkpoint> parse(std::string_view json);

  bool operator==(const Checkpoint&) const = default;
};

// StateFile: the file that keeps a checkpoint. While one is open, nobody else can open it. Not thread-safe.
class StateFile {
 public:
  // kAlreadyExists: another process has it. Makes no file before the first save().
  static Result<StateFile> open(const std::string& path);
  StateFile(StateFile&& other) noexcept;
  StateFile& operator=(StateFile&&) = delete;
  ~StateFile();

  const std::string& path() const { return path_; }
  bool exists() const { return descriptor_ >= 0; }
  // What was saved last; nothing when there is no file.
  Result<std::optional<Checkpoint>> load() const;
  // When it returns, the checkpoint is on disk; whatever happens meanwhile, this one or the one before is.
  Status save(const Checkpoint& checkpoint);
  // The transfer is over.
  Status remove();

 private:
  StateFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;  // of the locked file; -1: there is none
};

}  // namespace partita::tools::transfer
