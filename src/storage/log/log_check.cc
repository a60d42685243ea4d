#include "storage/log/log_check.h"

#include "storage/log/log_damage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

namespace partita {
namespace {

constexpr std::string_view kLogSuffix = ".log";
// Of a file that was put aside: no log for RocksDB.
constexpr std::string_view kAsideSuffix = ".lost";

using Logs = std::map<uint64_t, std::filesystem::path>;

Logs logs_in(const std::string& directory) {
  Logs logs;
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(directory, ignored)) {
    const std::string name = file.path().filename().string();
    if (!name.ends_with(kLogSuffix)) continue;
    uint64_t number = 0;
    const char* end = name.data() + name.size() - kLogSuffix.size();
    if (const auto parsed = std::from_chars(name.data(), end, number); parsed.ec == std::errc() && parsed.ptr == end) {
      logs[number] = file.path();
    }
  }
  return logs;
}

// OpenFile: for reading, closed at the end.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // As many as there are, or -1.
  ssize_t read(std::string& bytes, uint64_t at) const {
    size_t count = 0;
    while (count < bytes.size()) {
      const ssize_t got = ::pread(file_, bytes.data() + count, bytes.size() - count, static_cast<off_t>(at + count));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return got;
      if (got == 0) break;
      count += static_cast<size_t>(got);
    }
    return static_cast<ssize_t>(count);
  }
  // Where, at `at` or behind it, something is stored. Where a file system does not tell, everything is.
  uint64_t next_data(uint64_t at) const {
    const off_t found = ::lseek(file_, static_cast<off_t>(at), SEEK_DATA);
    if (found >= 0) return static_cast<uint64_t>(found);
    return errno == ENXIO ? UINT64_MAX : at;
  }

 private:
  int file_;
};

struct ScannedLog {
  LogScan scan;
  uint64_t file_bytes = 0;
};

Result<ScannedLog> scan_log(const std::filesystem::path& path, uint64_t sought_end) {
  const OpenFile file(path.string());
  ScannedLog log{.scan = LogScan(sought_end)};
  std::string block(kLogBlockBytes, '\0');
  ssize_t count = 0;
  for (uint64_t at = 0; (count = file.read(block, at)) > 0; at += static_cast<uint64_t>(count)) {
    log.scan.read(std::string_view(block).substr(0, static_cast<size_t>(count)));
    log.file_bytes += static_cast<uint64_t>(count);
    if (!log.scan.has_gap() || static_cast<size_t>(count) < kLogBlockBytes) continue;
    // The rest is mostly what was never written, of which the file system knows that it is zeros.
    const uint64_t next = at + kLogBlockBytes;
    const uint64_t data = file.next_data(next);
    std::error_code failed;
    const uint64_t size = std::filesystem::file_size(path, failed);
    const uint64_t end = std::max(next, failed ? next : size);
    const uint64_t skipped = (std::min(data, end) - next) / kLogBlockBytes * kLogBlockBytes;
    log.scan.skip(skipped);
    log.file_bytes += skipped;
    at += skipped;
  }
  if (count < 0) {
    return fail(ErrorCode::kStorageFailure, fmt::format("the log {} cannot be read: {}", path.string(), std::strerror(errno)));
  }
  return log;
}

std::string counted(uint64_t batches) { return batches == 1 ? "one write" : fmt::format("{} writes", batches); }

LogLoss missing_log(const std::string& directory, const LogDemand& demand) {
  const std::string path = fmt::format("{}/{:06}{}", directory, demand.log, kLogSuffix);
  return {.log = demand.log,
          .path = path,
          .what = fmt::format("the log {} is missing, with {} bytes that were acknowledged: about {}", path, demand.batch_bytes,
                              counted(demand.serial > demand.serial_before ? demand.serial - demand.serial_before : 1)),
          .kept_bytes = 0,
          .is_there = false};
}

// What a log lacks of what it must contain.
std::optional<std::string> lack_of(const ScannedLog& log, const LogDemand& demand) {
  if (log.scan.batch_bytes() < demand.batch_bytes) {
    const uint64_t last = log.scan.last_serial().value_or(demand.serial_before);
    const std::string batches =
        last < demand.serial ? fmt::format(": {} or more are missing", counted(demand.serial - last)) : "";
    return fmt::format("has lost what was acknowledged: of {} bytes, only the first {} can be read{}", demand.batch_bytes,
                       log.scan.batch_bytes(), batches);
  }
  if (!log.scan.has_sought_end()) {
    return fmt::format("is another one than what was written: no write ends at its byte {}, where one was acknowledged",
                       demand.batch_bytes);
  }
  if (log.file_bytes >= demand.file_bytes) return std::nullopt;
  return fmt::format("was cut off: it has {} bytes and had {} or more; what is missing may have been acknowledged",
                     log.file_bytes, demand.file_bytes);
}

Result<std::optional<LogLoss>> loss_in(uint64_t number, const std::filesystem::path& path, const LogDemand* demand) {
  TRY_ASSIGN(const ScannedLog log, scan_log(path, demand != nullptr ? demand->batch_bytes : 0));
  LogLoss loss{.log = number, .path = path.string(), .what = {}, .kept_bytes = log.scan.batch_bytes(), .is_there = true};
  if (const std::optional<uint64_t> damaged_at = log.scan.damaged_at()) {
    loss.what = fmt::format("the log {} is damaged at byte {}, and what was acknowledged behind it cannot be read", loss.path,
                            *damaged_at);
    return std::optional(std::move(loss));
  }
  const std::optional<std::string> lack = demand != nullptr ? lack_of(log, *demand) : std::nullopt;
  if (!lack) return std::nullopt;
  loss.what = fmt::format("the log {} {}", loss.path, *lack);
  const bool is_another = log.scan.batch_bytes() >= demand->batch_bytes && !log.scan.has_sought_end();
  if (is_another) loss.kept_bytes = 0;
  return std::optional(std::move(loss));
}

std::unexpected<Error> cannot_repair(const std::filesystem::path& path, const std::error_code& why) {
  return fail(ErrorCode::kStorageFailure, fmt::format("cannot put {} aside: {}", path.string(), why.message()));
}

// A copy is kept, in case somebody can read more of it.
Status cut_log(const LogLoss& loss, std::vector<std::string>& done) {
  std::error_code failed;
  const std::string aside = loss.path + std::string(kAsideSuffix);
  std::filesystem::copy_file(loss.path, aside, std::filesystem::copy_options::overwrite_existing, failed);
  if (!failed) std::filesystem::resize_file(loss.path, loss.kept_bytes, failed);
  if (failed) return cannot_repair(loss.path, failed);
  done.push_back(fmt::format("its first {} bytes are kept; {} is the whole file as it was", loss.kept_bytes, aside));
  return {};
}

Status put_aside(const std::filesystem::path& path, std::vector<std::string>& done) {
  std::error_code failed;
  const uint64_t bytes = std::filesystem::file_size(path, failed);
  if (!failed && bytes == 0) return {};
  const std::string aside = path.string() + std::string(kAsideSuffix);
  if (!failed) std::filesystem::rename(path, aside, failed);
  if (failed) return cannot_repair(path, failed);
  done.push_back(fmt::format("what was written later is given up, too: {} was put aside as {}", path.string(), aside));
  return {};
}

}  // namespace

Result<std::optional<LogLoss>> find_log_loss(const std::string& directory, const std::vector<LogDemand>& demands) {
  const Logs logs = logs_in(directory);
  std::map<uint64_t, const LogDemand*> demand_of;
  for (const auto& [number, path] : logs) demand_of[number] = nullptr;
  for (const LogDemand& demand : demands) demand_of[demand.log] = &demand;
  for (const auto& [number, demand] : demand_of) {
    const auto log = logs.find(number);
    if (log == logs.end()) return std::optional(missing_log(directory, *demand));
    TRY_ASSIGN(std::optional<LogLoss> loss, loss_in(number, log->second, demand));
    if (loss) return loss;
  }
  return std::nullopt;
}

Status check_logs(const std::string& directory, const std::vector<LogDemand>& demands) {
  TRY_ASSIGN(const std::optional<LogLoss> loss, find_log_loss(directory, demands));
  if (!loss) return {};
  return fail(
      ErrorCode::kCorruption,
      fmt::format("{}. Restore a backup of the directory; or, in a copy of it, give up what is lost, and what was written "
                  "later, with `partita check --repair`",
                  loss->what));
}

Result<std::vector<std::string>> repair_logs(const std::string& directory) {
  std::vector<std::string> done;
  const Result<std::optional<std::vector<LogDemand>>> ledger = LogLedger::read(directory);
  if (!ledger && ledger.error().code != ErrorCode::kCorruption) return std::unexpected(ledger.error());
  std::vector<LogDemand> demands = ledger ? ledger->value_or(std::vector<LogDemand>{}) : std::vector<LogDemand>{};
  const bool has_ledger = ledger && ledger->has_value();
  if (!has_ledger) {
    done.push_back(
        fmt::format("{} is {}: the logs are taken as they are", LogLedger::path_in(directory), ledger ? "missing" : "damaged"));
  }
  TRY_ASSIGN(const std::optional<LogLoss> loss, find_log_loss(directory, demands));
  if (!loss && has_ledger) return done;
  if (loss) {
    done.push_back(loss->what);
    if (loss->is_there) TRY(cut_log(*loss, done));
    for (const auto& [number, path] : logs_in(directory)) {
      if (number > loss->log) TRY(put_aside(path, done));
    }
    std::erase_if(demands, [&](const LogDemand& demand) { return demand.log >= loss->log; });
  }
  TRY(LogLedger::create(directory, demands));
  return done;
}

}  // namespace partita
