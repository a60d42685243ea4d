#include "auth/master_key.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/commands/send_signed.h"
#include "server/world.h"
#include "storage/test_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <linux/magic.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

namespace partita::server {
namespace {

// What the threads of connections are called (net/worker.cc).
constexpr std::string_view kConnectionThread = "net";

bool is_connection_thread() {
  std::array<char, 16> name{};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  return std::string_view(name.data()).starts_with(kConnectionThread);
}

// StallingDisk: while it is shut, whoever syncs a file of this process or reads a table waits, and nothing of tables is in
// memory. Thread-safe.
class StallingDisk {
 public:
  void shut() {
    std::lock_guard lock(mutex_);
    is_shut_ = true;
    connections_waited_ = false;
    refused_ = 0;
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
  // Until a thread of connections has found that it would have to wait. False: none has.
  bool was_refused() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [this] { return refused_ > 0; });
  }
  void pass() {
    std::unique_lock lock(mutex_);
    if (is_shut_ && is_connection_thread()) connections_waited_ = true;
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !is_shut_; });
    --waiting_;
  }
  // Whether it has what is read.
  bool has_at_once() {
    std::lock_guard lock(mutex_);
    if (is_shut_) ++refused_;
    changed_.notify_all();
    return !is_shut_;
  }
  bool connections_waited() {
    std::lock_guard lock(mutex_);
    return connections_waited_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_shut_ = false;
  int waiting_ = 0;
  int refused_ = 0;
  bool connections_waited_ = false;
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
extern "C" ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
  partita::server::disk().pass();
  return ::syscall(SYS_pread64, file, bytes, count, offset);
}
extern "C" ssize_t preadv2(int file, const iovec* parts, int count, off_t offset, int /*flags*/) {
  if (partita::server::disk().has_at_once()) return ::preadv(file, parts, count, offset);
  errno = EAGAIN;
  return -1;
}
// Whatever file system the test's directory is on, its files are on a disk.
extern "C" int fstatfs(int file, struct statfs* system) noexcept {
  const int outcome = static_cast<int>(::syscall(SYS_fstatfs, file, system));
  system->f_type = EXT4_SUPER_MAGIC;
  return outcome;
}

namespace partita::server {
namespace {

class StalledDiskTest : public testing::Test {
 protected:
  static constexpr int kOtherDocuments = 500;  // more than the cache has memory for

  void start() {
    ServeOptions options;
    options.data = directory_.path() + "/data";
    options.port = 0;
    options.threads = 1;          // so that all connections are on it
    options.cache_megabytes = 1;  // so that what is read at the start does not stay
    Result<std::unique_ptr<World>> started = World::start(options);
    ASSERT_TRUE(started) << started.error().message;
    world_ = *std::move(started);
  }
  void SetUp() override {
    start();
    ASSERT_EQ(post("dbs", "", R"({"id":"d"})"), 201);
    ASSERT_EQ(post("colls", "dbs/d", R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash"}})"), 201);
  }

  using Headers = std::vector<std::pair<std::string, std::string>>;

  int post(std::string_view type, const std::string& link, std::string_view body, const Headers& more = {}) {
    const std::string path = (link.empty() ? "/" : "/" + link + "/") + std::string(type);
    return send("POST", path, type, link, body, more);
  }
  int send(std::string_view method, const std::string& path, std::string_view type, const std::string& link,
           std::string_view body = {}, const Headers& more = {}) {
    Headers headers = more;
    headers.emplace_back(cosmos::header::kPartitionKey, R"(["p"])");
    const auto answer = send_signed(endpoint(), {.method = std::string(method),
                                                 .path = path,
                                                 .resource_type = std::string(type),
                                                 .resource_link = link,
                                                 .headers = headers,
                                                 .body = std::string(body)});
    return answer ? answer->status() : 0;
  }
  // Sends a request for a document that only the disk has, while the disk keeps everybody waiting: others are answered, and so is
  // the request, once the disk works.
  template <typename Send>
  void expect_silences_nobody(Send send_one, int status) {
    ASSERT_EQ(post("docs", "dbs/d/colls/c", R"({"id":"cold","pk":"p"})"), 201);
    const std::string text(4000, 'x');
    for (int n = 0; n < kOtherDocuments; ++n) {
      ASSERT_EQ(post("docs", "dbs/d/colls/c", fmt::format(R"({{"id":"{}","pk":"p","text":"{}"}})", n, text)), 201);
    }
    world_.reset();
    start();  // from tables, of which the cache has little
    disk().shut();
    std::thread client([&] { EXPECT_EQ(send_one(), status); });
    const bool was_refused = disk().was_refused();
    EXPECT_TRUE(was_refused);
    if (was_refused) disk().wait_until_somebody_waits();
    const auto health = send_signed(endpoint(), {.path = "/_health/alive"});
    disk().open();
    client.join();
    ASSERT_TRUE(health) << health.error().message;
    EXPECT_EQ(health->status(), 200);
    EXPECT_FALSE(disk().connections_waited());
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

TEST_F(StalledDiskTest, AReadWaitsForItElsewhere) {
  expect_silences_nobody([&] { return send("GET", "/dbs/d/colls/c/docs/cold", "docs", "dbs/d/colls/c/docs/cold"); }, 200);
}

TEST_F(StalledDiskTest, AWriteWaitsForItElsewhere) {
  const Headers upsert = {{std::string(cosmos::header::kIsUpsert), "true"}};
  expect_silences_nobody([&] { return post("docs", "dbs/d/colls/c", R"({"id":"cold","pk":"p","n":1})", upsert); }, 200);
}

TEST_F(StalledDiskTest, AQueryWaitsForItElsewhere) {
  const Headers query = {{std::string(cosmos::header::kIsQuery), "true"}, {"Content-Type", "application/query+json"}};
  expect_silences_nobody([&] { return post("docs", "dbs/d/colls/c", R"({"query":"SELECT * FROM c WHERE c.pk = 'p'"})", query); },
                         200);
}

}  // namespace
}  // namespace partita::server
