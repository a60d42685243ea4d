#pragma once

#include "net/event_loop.h"
#include "net/http/http_wire.h"
#include "net/server.h"
#include "net/tls/certificate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace partita::net {

// TestHandler: echoes inline, from another thread (/later), or when the test says so (/hold). /block keeps the connection's
// thread until unblock(), and /busy as long as a turn lasts.
class TestHandler final : public HttpHandler {
 public:
  ~TestHandler() override {
    for (std::thread& thread : threads_) thread.join();
  }

  void handle(const HttpRequest& request, HttpResponse& response, HttpDone done) override {
    if (request.path == "/later") {
      std::lock_guard lock(mutex_);
      threads_.emplace_back([&request, &response, done = std::move(done)]() mutable {
        echo(request, response);
        done();
      });
    } else if (request.path == "/hold") {
      std::lock_guard lock(mutex_);
      held_.push_back({&request, &response, std::move(done)});
      changed_.notify_all();
    } else if (request.path == "/block") {
      std::unique_lock lock(mutex_);
      is_blocked_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !is_blocked_; });
      lock.unlock();
      done();
    } else if (request.path == "/busy") {
      const auto until = std::chrono::steady_clock::now() + EventLoop::kTurn;
      while (std::chrono::steady_clock::now() < until) continue;
      order += request.query;
      done();
    } else if (request.path == "/drop") {
      response.header("Half", "written");
    } else {
      echo(request, response);
      done();
    }
  }

  // "Refuse: yes" refuses a body, "Body-Max: N" limits one that comes in chunks.
  HttpAdmission admit(const HttpRequest& head, HttpResponse& refusal) override {
    if (head.header("Refuse").empty()) {
      const std::string limit(head.header("Body-Max"));
      return {.body_bytes_max = limit.empty() ? SIZE_MAX : std::stoul(limit)};
    }
    refusal.status = 401;
    refusal.body = "refused " + (head.announced_bytes ? std::to_string(*head.announced_bytes) : "unknown");
    return {.is_admitted = false};
  }
  // "/tN/..." is of tenant N.
  uint64_t tenant_of(const HttpRequest& head) const override {
    return head.path.starts_with("/t") ? static_cast<uint64_t>(head.path[2]) : 0;
  }
  bool is_vital(const HttpRequest& request) const override { return request.path == "/vital"; }

  void wait_for_block() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_blocked_; });
  }
  void unblock() {
    std::lock_guard lock(mutex_);
    is_blocked_ = false;
    changed_.notify_all();
  }
  // The queries of what was busy, one after the other. Of the connections' thread, if there is one of them.
  std::string order;

  void wait_for_held(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_.size() >= count; });
  }
  // Until the client of every held request is gone.
  void wait_for_abandonment() {
    std::lock_guard lock(mutex_);
    for (const Held& held : held_) held.request->is_abandoned->wait(false);
  }
  // On the calling thread.
  void release_held() {
    std::vector<Held> released;
    {
      std::lock_guard lock(mutex_);
      released.swap(held_);
    }
    for (Held& held : released) {
      echo(*held.request, *held.response);
      held.done();
    }
  }

 private:
  struct Held {
    const HttpRequest* request;
    HttpResponse* response;
    HttpDone done;
  };

  // "METHOD path?query tls|plain body"; /large/N answers N bytes, /status/N with that status. A PUT changes something.
  static void echo(const HttpRequest& request, HttpResponse& response) {
    response.header("Content-Type", "text/plain");
    response.is_outcome = request.method == "PUT";
    if (const size_t large = request.path.find("/large/"); large != std::string_view::npos) {
      response.body.assign(std::stoul(std::string(request.path.substr(large + 7))), 'x');
      return;
    }
    if (request.path.starts_with("/status/")) response.status = std::stoi(std::string(request.path.substr(8)));
    response.body.append(request.method).append(" ").append(request.path).append("?").append(request.query);
    response.body.append(request.is_tls ? " tls " : " plain ").append(request.body);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_blocked_ = false;  // guarded by mutex_
  std::vector<std::thread> threads_;
  std::vector<Held> held_;
};

// One identity for all tests.
inline const TlsIdentity& test_identity() {
  static const TlsIdentity identity = make_self_signed_identity({}).value();
  return identity;
}

// TestServer: HTTP on a free port. The handler outlives it.
struct TestServer {
  explicit TestServer(StreamLimits limits = {}, size_t threads = 2, FairMemory* memory = nullptr, const HttpLimits& http = {})
      : wire(handler, http) {
    ServerOptions options;
    options.threads = threads;
    options.tls = test_identity();
    options.limits = limits;
    options.memory = memory;
    auto started = Server::start(std::move(options), {{.port = 0, .wires = {&wire}}});
    EXPECT_TRUE(started.has_value()) << started.error().message;
    server = std::move(*started);
  }
  uint16_t port() const { return server->port(); }

  TestHandler handler;
  HttpWire wire;
  std::unique_ptr<Server> server;
};

inline std::string get(std::string_view path, std::string_view more_headers = "") {
  return std::string("GET ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\n").append(more_headers).append("\r\n");
}

inline std::string post(std::string_view path, std::string_view body, std::string_view more_headers = "") {
  return std::string("POST ").append(path).append(" HTTP/1.1\r\nHost: localhost\r\nContent-Length: ") +
         std::to_string(body.size()) + std::string("\r\n").append(more_headers).append("\r\n").append(body);
}

}  // namespace partita::net
