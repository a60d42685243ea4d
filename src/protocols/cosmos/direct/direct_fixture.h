#pragma once

#include "cluster/test_account.h"
#include "net/http/http_wire.h"
#include "net/server.h"
#include "net/test_server.h"
#include "protocols/cosmos/direct/direct_answer.h"
#include "protocols/cosmos/direct/direct_client.h"
#include "protocols/cosmos/direct/direct_wire.h"
#include "protocols/cosmos/in_process_service.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::cosmos::direct {

// A handler's answer to a frame, as the client reads it, without its payload.
inline ParsedAnswer told(const Service& service, const FrameBuilder& frame, net::HttpResponse& response) {
  const std::string bytes = frame.build();
  DirectRequest request;
  EXPECT_TRUE(request.read(*parse_request_head(bytes), std::string_view(bytes).substr(kFixedHeadBytes), "2020-07-15"));
  std::string out;
  append_answer(out, service, request, response, 1.0);
  return parse_answer_head(out);
}

// HoldingDoor: what is about a database named "held" waits until the test says so.
class HoldingDoor final : public net::HttpHandler {
 public:
  explicit HoldingDoor(net::HttpHandler& next) : next_(next) {}

  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) override {
    if (!request.path.starts_with("/dbs/held")) return next_.handle(request, response, std::move(done));
    std::lock_guard lock(mutex_);
    held_.push_back({&request, &response, std::move(done)});
    changed_.notify_all();
  }
  net::HttpAdmission admit(const net::HttpRequest& head, net::HttpResponse& refusal) override {
    ++admitted;
    return next_.admit(head, refusal);
  }
  uint64_t tenant_of(const net::HttpRequest& head) const override { return next_.tenant_of(head); }
  void answer_busy(net::HttpResponse& response) const override { next_.answer_busy(response); }

  size_t held() {
    std::lock_guard lock(mutex_);
    return held_.size();
  }
  void wait_for_held(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_.size() >= count; });
  }
  void wait_for_abandonment() {
    std::lock_guard lock(mutex_);
    for (const Held& each : held_) each.request->is_abandoned->wait(false);
  }
  // The last one first. Answers have so many bytes.
  void release(size_t bytes = 2) {
    std::vector<Held> released;
    {
      std::lock_guard lock(mutex_);
      released.swap(held_);
    }
    while (!released.empty()) {
      released.back().response->body = "{" + std::string(bytes - 2, ' ') + "}";
      released.back().done();
      released.pop_back();
    }
  }
  // Without an answer.
  void drop() {
    std::lock_guard lock(mutex_);
    held_.clear();
  }

  std::atomic<int> admitted = 0;

 private:
  struct Held {
    const net::HttpRequest* request;
    net::HttpResponse* response;
    net::HttpDone done;
  };

  net::HttpHandler& next_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Held> held_;
};

// DirectTest: an account with the database db and its container c, partition key /pk, on a port where http and direct mode are
// spoken.
class DirectTest : public testing::Test {
 protected:
  static constexpr std::string_view kKey = InProcessService::kKey;
  static constexpr std::string_view kReadOnlyKey = InProcessService::kReadOnlyKey;
  static constexpr std::string_view kPrimary = "/apps/partita/services/x/partitions/0/replicas/1p";
  static constexpr std::string_view kSecondary = "/apps/partita/services/x/partitions/0/replicas/2s";

  explicit DirectTest(net::StreamLimits limits = {}, FairMemory* memory = nullptr, const DirectLimits& direct = {},
                      ConsistencyLevel consistency = ConsistencyLevel::kSession)
      : consistency_(consistency), wire_(door_, service_, direct) {
    net::ServerOptions options{.threads = 1, .tls = net::test_identity(), .limits = limits, .memory = memory};
    auto started = net::Server::start(std::move(options), {{.port = 0, .wires = {&wire_, &http_}}});
    EXPECT_TRUE(started.has_value()) << started.error().message;
    server_ = std::move(*started);
    make("/dbs", R"({"id":"db"})");
    make("/dbs/db/colls", R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}})");
  }

  void make(std::string_view path, std::string_view body, std::string_view key = {}) {
    const auto answer = served_.send("POST", path, {{"x-ms-documentdb-partitionkey", std::string(key)}}, body);
    ASSERT_EQ(answer.status, 201) << answer.body;
  }
  uint16_t port() const { return server_->port(); }
  std::unique_ptr<DirectClient> connect() {
    auto client = std::make_unique<DirectClient>(port());
    client->begin();
    return client;
  }

  // A request for what the path names, signed.
  static FrameBuilder signed_frame(uint16_t kind, uint16_t operation, std::string_view method, std::string_view path,
                                   std::string_view key = kKey) {
    FrameBuilder frame(kind, operation);
    frame.text(in::kAuthorization, InProcessService::signature(key, method, path));
    frame.small_text(in::kDate, InProcessService::kNow);
    const Result<ResourcePath> parsed = ResourcePath::parse(path);
    if (!parsed->database().empty()) frame.text(in::kDatabase, parsed->database());
    if (!parsed->container().empty()) frame.text(in::kContainer, parsed->container());
    if (!parsed->item().empty()) frame.text(in::kItem, parsed->item());
    return frame.number(in::kTransport, 7).text(in::kReplicaPath, kPrimary);
  }
  // About items of the container, with the partition key "a" unless it is empty.
  static FrameBuilder on_items(uint16_t operation, std::string_view method, std::string_view item = {},
                               std::string_view partition_key = R"(["a"])", std::string_view key = kKey) {
    const std::string path = "/dbs/db/colls/c/docs" + (item.empty() ? std::string() : "/" + std::string(item));
    FrameBuilder frame = signed_frame(kind::kItem, operation, method, path, key);
    if (!partition_key.empty()) frame.text(in::kPartitionKey, partition_key);
    return frame;
  }
  static std::string create(std::string_view body, std::string_view partition_key = R"(["a"])") {
    return on_items(op::kCreate, "POST", {}, partition_key).build(body);
  }
  static std::string read(std::string_view item) { return on_items(op::kRead, "GET", item).build(); }
  // Answered when the test says so.
  static std::string held(uint32_t transport) {
    return FrameBuilder(kind::kDatabase, op::kRead).text(in::kDatabase, "held").number(in::kTransport, transport).build();
  }

  TestAccount account_;
  InProcessService served_{{*account_.catalog, account_.etags, account_.random, account_.clock}, SCRIPT_HOST};
  const ConsistencyLevel consistency_;
  Service service_{[this] {
    ServiceParts parts = served_.parts();
    parts.consistency = consistency_;
    return parts;
  }()};
  HoldingDoor door_{service_};
  DirectWire wire_;
  net::HttpWire http_{door_};
  std::unique_ptr<net::Server> server_;
};

}  // namespace partita::cosmos::direct
