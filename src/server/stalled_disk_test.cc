#include "auth/master_key.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/commands/send_signed.h"
#include "server/world.h"
#include "storage/test_store.h"

#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace partita::server {
namespace {

// StallingDisk: while it is shut, whoever syncs a file of this process waits. Thread-safe.
class StallingDisk {
 public:
  void shut() {
    std::lock_guard lock(mutex_);
    is_shut_ = true;
  }
  void open() {
    std::lock_guard lock(mutex_);
    is_shut_ = false;
    changed_.notify_all();
  }
  void wait_until_somebody_waits() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ > 0; });
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !is_shut_; });
    --waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_shut_ = false;
  int waiting_ = 0;
};

StallingDisk& disk() {
  static StallingDisk disk;
  return disk;
}

}  // namespace
}  // namespace partita::server

// In place of the C library's.
extern "C" int fdatasync(int file) {
  partita::server::disk().pass();
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

namespace partita::server {
namespace {

class StalledDiskTest : public testing::Test {
 protected:
  void SetUp() override {
    ServeOptions options;
    options.data = directory_.path() + "/data";
    options.port = 0;
    options.threads = 1;  // so that all connections are on it
    Result<std::unique_ptr<World>> started = World::start(options);
    ASSERT_TRUE(started) << started.error().message;
    world_ = *std::move(started);
    ASSERT_EQ(post("dbs", "", R"({"id":"d"})"), 201);
    ASSERT_EQ(post("colls", "dbs/d", R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"}})"), 201);
  }

  int post(std::string_view type, const std::string& link, std::string_view body) {
    const std::string path = (link.empty() ? "/" : "/" + link + "/") + std::string(type);
    const auto answer = send_signed(endpoint(), {.method = "POST",
                                                 .path = path,
                                                 .resource_type = std::string(type),
                                                 .resource_link = link,
                                                 .headers = {{std::string(cosmos::header::kPartitionKey), R"(["p"])"}},
                                                 .body = std::string(body)});
    return answer ? answer->status() : 0;
  }
  EndpointOptions endpoint() const {
    EndpointOptions options;
    options.endpoint = "http://127.0.0.1:" + std::to_string(world_->port()) + "/";
    return options;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<World> world_;
};

TEST_F(StalledDiskTest, SilencesNobodyButWhoWaitsForIt) {
  disk().shut();
  std::thread writer([this] { EXPECT_EQ(post("docs", "dbs/d/colls/c", R"({"id":"1","pk":"p"})"), 201); });
  disk().wait_until_somebody_waits();
  const auto health = send_signed(endpoint(), {.path = "/_health/alive"});
  disk().open();
  writer.join();
  ASSERT_TRUE(health) << health.error().message;
  EXPECT_EQ(health->status(), 200);
}

}  // namespace
}  // namespace partita::server
