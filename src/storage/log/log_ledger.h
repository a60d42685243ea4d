#pragma once

#include "base/result.h"

#include <rocksdb/io_status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the files of the log must contain, noted beside them.
//
// A log whose end is cut off, or that is missing as a whole, looks like one to which less was written: nothing in the log itself
// tells. Therefore another file says how much of each log was durable at the least.
namespace partita {

// Of one log.
struct LogDemand {
  uint64_t log = 0;            // the number that its file has for a name
  uint64_t file_bytes = 0;     // the file is at least so long, zeros at its end included
  uint64_t batch_bytes = 0;    // batches up to here can be read
  uint64_t serial_before = 0;  // the batches in it have greater serials than this
  uint64_t serial = 0;         // of a batch up to which all can be read

  bool operator==(const LogDemand&) const = default;
};

// ON DISK, docs/formats/data-directory.md: two slots of which the newer whole one counts, so that a kill or a power cut in the
// midst of writing one leaves the other.
//
//   checksum, 4 bytes | "PLOG" | generation, 8 | number of demands, 8 | demands of 5 x 8 bytes     all little-endian
inline constexpr std::string_view kLedgerName = "synced-logs";
inline constexpr size_t kLedgerSlotBytes = 4096;
inline constexpr size_t kLedgerDemandsMax = 100;

std::string encode_ledger_slot(uint64_t generation, const std::vector<LogDemand>& demands);
struct LedgerSlot {
  uint64_t generation = 0;
  std::vector<LogDemand> demands;
};
// Nothing when it is not whole.
std::optional<LedgerSlot> decode_ledger_slot(std::string_view slot);

// LogLedger: that file, for the one who writes it. Thread-compatible.
class LogLedger {
 public:
  static std::string path_in(const std::string& directory);
  // Nothing when there is no such file; kCorruption when no slot of it is whole.
  static Result<std::optional<std::vector<LogDemand>>> read(const std::string& directory);
  // Makes the file anew, with these demands: whole, or as it was, also after a power cut.
  static Result<std::unique_ptr<LogLedger>> create(const std::string& directory, const std::vector<LogDemand>& demands);
  ~LogLedger();
  LogLedger(const LogLedger&) = delete;
  LogLedger& operator=(const LogLedger&) = delete;

  // On disk when it returns. After a failure what was there before still counts, or this does. Of very many demands the oldest
  // are left out.
  rocksdb::IOStatus write(const std::vector<LogDemand>& demands);

 private:
  LogLedger(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_;
  uint64_t generation_ = 2;  // of the next slot; its parity says which one that is
};

}  // namespace partita
