#pragma once

#include "base/clock.h"
#include "storage/store.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace partita::server {

// StoreWatch: a thread that reads from the store every second, so that whoever asks whether that works need not wait for a disk.
// Thread-safe.
class StoreWatch {
 public:
  StoreWatch(const Store& store, const Clock& clock);

  // Why reads fail, or that they have not come back for long; nothing while they work.
  std::optional<std::string> failure() const;

 private:
  void run(const std::stop_token& stop);
  void look();

  const Store& store_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<std::string> failure_;  // guarded by mutex_
  int64_t looked_at_us_;                // guarded by mutex_
  std::jthread thread_;                 // last, so that it ends first
};

}  // namespace partita::server
