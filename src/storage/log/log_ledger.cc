#include "storage/log/log_ledger.h"

#include "base/bytes.h"
#include "storage/checksum.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace partita {
namespace {

constexpr std::string_view kMagic = "PLOG";
constexpr size_t kChecksumBytes = sizeof(uint32_t);
constexpr size_t kHeadBytes = kChecksumBytes + kMagic.size() + 2 * sizeof(uint64_t);
constexpr size_t kDemandBytes = 5 * sizeof(uint64_t);
static_assert(kHeadBytes + kLedgerDemandsMax * kDemandBytes <= kLedgerSlotBytes);

bool write_all(int file, std::string_view bytes, off_t at) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    at += written;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool sync_directory(const std::string& directory) {
  const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_synced = ::fsync(file) == 0;
  ::close(file);
  return is_synced;
}

std::unexpected<Error> refused(const std::string& path) {
  return fail(ErrorCode::kStorageFailure, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

}  // namespace

std::string encode_ledger_slot(uint64_t generation, const std::vector<LogDemand>& demands) {
  const size_t count = std::min(demands.size(), kLedgerDemandsMax);
  std::string slot(kChecksumBytes, '\0');
  slot += kMagic;
  append_little_endian(slot, generation);
  append_little_endian(slot, static_cast<uint64_t>(count));
  for (size_t i = demands.size() - count; i < demands.size(); ++i) {
    const LogDemand& demand = demands[i];
    for (const uint64_t number : {demand.log, demand.file_bytes, demand.batch_bytes, demand.serial_before, demand.serial}) {
      append_little_endian(slot, number);
    }
  }
  slot.resize(kLedgerSlotBytes);
  store_little_endian(slot.data(), masked_checksum(std::string_view(slot).substr(kChecksumBytes)));
  return slot;
}

std::optional<LedgerSlot> decode_ledger_slot(std::string_view slot) {
  if (slot.size() != kLedgerSlotBytes || slot.substr(kChecksumBytes, kMagic.size()) != kMagic) return std::nullopt;
  if (masked_checksum(slot.substr(kChecksumBytes)) != load_little_endian<uint32_t>(slot.data())) return std::nullopt;
  auto number = [&, at = kChecksumBytes + kMagic.size()]() mutable {
    return load_little_endian<uint64_t>(slot.data() + std::exchange(at, at + sizeof(uint64_t)));
  };
  LedgerSlot decoded{.generation = number(), .demands = {}};
  const uint64_t count = number();
  if (count > kLedgerDemandsMax) return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    decoded.demands.push_back(
        {.log = number(), .file_bytes = number(), .batch_bytes = number(), .serial_before = number(), .serial = number()});
  }
  return decoded;
}

std::string LogLedger::path_in(const std::string& directory) { return fmt::format("{}/{}", directory, kLedgerName); }

Result<std::optional<std::vector<LogDemand>>> LogLedger::read(const std::string& directory) {
  const std::string path = path_in(directory);
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) && !unknown) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return fail(ErrorCode::kStorageFailure, fmt::format("{} cannot be read", path));
  std::optional<LedgerSlot> newest;
  for (const size_t at : {size_t{0}, kLedgerSlotBytes}) {
    std::optional<LedgerSlot> slot;
    if (at < bytes.size()) slot = decode_ledger_slot(std::string_view(bytes).substr(at, kLedgerSlotBytes));
    if (slot && (!newest || newest->generation < slot->generation)) newest = std::move(slot);
  }
  if (newest) return std::optional(std::move(newest->demands));
  return fail(
      ErrorCode::kCorruption,
      fmt::format("{} is damaged, so nobody knows what the logs must contain. Restore a backup of the directory; or, in a "
                  "copy of it, take the logs as they are with `partita check --repair`",
                  path));
}

Result<std::unique_ptr<LogLedger>> LogLedger::create(const std::string& directory, const std::vector<LogDemand>& demands) {
  const std::string path = path_in(directory);
  const std::string temporary = path + ".new";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return refused(path);
  std::unique_ptr<LogLedger> ledger(new LogLedger(path, file));
  const std::string slots = encode_ledger_slot(0, demands) + encode_ledger_slot(1, demands);
  const bool is_there = write_all(file, slots, 0) && ::fdatasync(file) == 0 && ::rename(temporary.c_str(), path.c_str()) == 0 &&
                        sync_directory(directory);
  if (!is_there) return refused(path);
  return ledger;
}

LogLedger::~LogLedger() { ::close(file_); }

rocksdb::IOStatus LogLedger::write(const std::vector<LogDemand>& demands) {
  const std::string slot = encode_ledger_slot(generation_, demands);
  const auto at = static_cast<off_t>(generation_ % 2 * kLedgerSlotBytes);
  if (write_all(file_, slot, at) && ::fdatasync(file_) == 0) {
    ++generation_;
    return rocksdb::IOStatus::OK();
  }
  const char* reason = std::strerror(errno);
  return errno == ENOSPC ? rocksdb::IOStatus::NoSpace(path_, reason) : rocksdb::IOStatus::IOError(path_, reason);
}

}  // namespace partita
