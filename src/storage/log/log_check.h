#pragma once

#include "base/result.h"
#include "storage/log/log_ledger.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Whether the logs in a store's directory contain what they must, and how what is lost is given up.
namespace partita {

// LogLoss: the first log that has lost something.
struct LogLoss {
  uint64_t log = 0;  // its number
  std::string path;
  std::string what;         // for people: the file, and what is missing
  uint64_t kept_bytes = 0;  // of its batches, that can still be read
  bool is_there = true;
};

// By what the logs say of themselves, and by these demands. Nothing is changed.
Result<std::optional<LogLoss>> find_log_loss(const std::string& directory, const std::vector<LogDemand>& demands);

// kCorruption, with what to do, when there is a loss.
Status check_logs(const std::string& directory, const std::vector<LogDemand>& demands);

// Gives up what is lost, and what was written later, so that the store is as it was at one moment. Files are kept aside under
// another name. What was done, for people; empty when nothing is lost.
Result<std::vector<std::string>> repair_logs(const std::string& directory);

}  // namespace partita
