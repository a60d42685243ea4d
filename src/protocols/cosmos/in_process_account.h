#pragma once

#include "base/check.h"
#include "base/clock.h"
#include "base/random.h"
#include "cluster/catalog/catalog.h"
#include "protocols/cosmos/in_process_service.h"
#include "storage/store.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

// For tests and fuzzers that try what clients must not achieve.
namespace partita::cosmos {

// StandingClock: it is always the same second, but work takes its time.
class StandingClock final : public Clock {
 public:
  int64_t unix_ms() const override { return 1'700'000'000'000; }
  int64_t steady_us() const override { return SystemClock().steady_us(); }
};

// TemporaryCatalog: an empty catalog on a store of its own.
class TemporaryCatalog {
 public:
  Store& store() { return *store_; }
  Catalog& catalog() { return *catalog_; }
  const Clock& clock() const { return clock_; }

 protected:
  InProcessService::Stored stored() { return {*catalog_, etags_, random_, clock_}; }

 private:
  struct Directory {
    Directory() {
      path = std::filesystem::temp_directory_path().string() + "/partita-XXXXXX";
      CHECK(::mkdtemp(path.data()) != nullptr);
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    ~Directory() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    std::string path;
  };

  static std::unique_ptr<Store> open_store(const std::string& directory) {
    StoreOptions options;
    options.directory = directory;
    options.durability = Durability::kRelaxed;
    options.cache_bytes = 1 << 20;
    options.memtable_bytes = 8 << 20;
    return Store::open(options).value();
  }

  Directory directory_;
  std::unique_ptr<Store> store_ = open_store(directory_.path);
  StandingClock clock_;
  Random random_{1};
  EtagSource etags_{random_};
  RateLimits limits_;
  std::unique_ptr<Catalog> catalog_ = Catalog::open(*store_, clock_, etags_, limits_).value();
};

// InProcessAccount: an empty account, without sockets.
class InProcessAccount : public TemporaryCatalog, public InProcessService {
 public:
  // `script_host`: the program that runs scripts.
  explicit InProcessAccount(std::string script_host, script::ScriptLimits script_limits = {})
      : InProcessService(stored(), std::move(script_host), script_limits, kChangeWaitMs) {}

 private:
  // Nobody who tries everything waits long.
  static constexpr int64_t kChangeWaitMs = 1;
};

}  // namespace partita::cosmos
