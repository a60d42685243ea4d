#include "net/http_server.h"

#include "net/event_loop.h"
#include "net/tls.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

namespace partita::net {
namespace {

using Tcp = asio::ip::tcp;
using Acceptor = asio::basic_socket_acceptor<Tcp, asio::io_context::executor_type>;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, asio::io_context::executor_type>;

// Over connections_max so many more are told why they are closed; beyond that they are closed at once.
constexpr uint64_t kRefusedConnectionsMax = 64;
constexpr std::chrono::milliseconds kAcceptPause{100};  // when the process has no file descriptor left

Result<Tcp::endpoint> endpoint_of(const HttpServerOptions& options) {
  ErrorCondition error;
  auto address = asio::ip::make_address(options.bind_address == "localhost" ? "127.0.0.1" : options.bind_address, error);
  if (error) return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not an IP address that a server can listen on", options.bind_address));
  return Tcp::endpoint(address, options.port);
}

std::string text_of(const Tcp::endpoint& endpoint) {
  std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port()) : fmt::format("{}:{}", address, endpoint.port());
}

Status listen_error(const HttpServerOptions& options, const ErrorCondition& error) {
  if (error == asio::error::address_in_use) {
    return fail(ErrorCode::kUnavailable, fmt::format("port {} on {} is already in use; stop the program that uses it or choose another port",
                                                     options.port, options.bind_address));
  }
  return fail(ErrorCode::kUnavailable, fmt::format("cannot listen on port {} of {}: {}", options.port, options.bind_address, error.message()));
}

class AsioHttpServer final : public HttpServer {
 public:
  explicit AsioHttpServer(std::shared_ptr<ServerContext> context, size_t threads) : context_(std::move(context)) {
    for (size_t index = 0; index < threads; ++index) loops_.push_back(std::make_shared<EventLoop>(context_));
  }

  ~AsioHttpServer() override {
    if (!is_running_) return;
    stop(std::chrono::milliseconds(0));
    context_->connections.wait_until_none();
    for (auto& loop : loops_) loop->finish();
  }

  Status listen(const HttpServerOptions& options) {
    TRY_ASSIGN(Tcp::endpoint endpoint, endpoint_of(options));
    acceptor_ = std::make_unique<Acceptor>(loops_.front()->context().get_executor());
    accept_pause_ = std::make_unique<Timer>(loops_.front()->context().get_executor());
    ErrorCondition error;
    acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(Acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(Acceptor::max_listen_connections, error);
    if (!error) port_ = acceptor_->local_endpoint(error).port();
    if (error) return listen_error(options, error);
    return {};
  }

  void run() {
    is_running_ = true;
    accept_next();
    for (size_t index = 0; index < loops_.size(); ++index) loops_[index]->start_thread(index);
  }

  uint16_t port() const override { return port_; }

  HttpServerCounters counters() const override {
    HttpServerCounters sum{};
    sum.connections_open = context_->connections.open();
    sum.connections_accepted = accepted_.load(std::memory_order_relaxed);
    sum.connections_refused = refused_.load(std::memory_order_relaxed);
    for (const auto& loop : loops_) {
      sum.requests += loop->counters().requests.load(std::memory_order_relaxed);
      sum.malformed_requests += loop->counters().malformed_requests.load(std::memory_order_relaxed);
      sum.timeouts += loop->counters().timeouts.load(std::memory_order_relaxed);
    }
    return sum;
  }

  void stop(std::chrono::milliseconds grace) override {
    stop_accepting();
    for (auto& loop : loops_) loop->begin_stop();
    if (grace.count() > 0 && context_->connections.wait_until_none(grace)) return;
    for (auto& loop : loops_) loop->abort_connections();
  }

 private:
  // Sockets are dealt to the loops in turn: with SO_REUSEPORT the kernel would choose by a hash, and few connections could share one loop.
  void accept_next() {
    EventLoop& loop = *loops_[next_loop_++ % loops_.size()];
    acceptor_->async_accept(loop.context().get_executor(), peer_, [this, &loop](ErrorCondition error, Socket socket) {
      if (!acceptor_->is_open()) return;
      if (!error) {
        deal(loop, std::move(socket));
        accept_next();
      } else if (error == asio::error::no_descriptors || error == asio::error::no_buffer_space || error == asio::error::no_memory) {
        accept_pause_->expires_after(kAcceptPause);
        accept_pause_->async_wait([this](ErrorCondition cancelled) {
          if (!cancelled && acceptor_->is_open()) accept_next();
        });
      } else {
        accept_next();  // a client that went away before it was accepted
      }
    });
  }

  void deal(EventLoop& loop, Socket socket) {
    accepted_.fetch_add(1, std::memory_order_relaxed);
    uint64_t open = context_->connections.open();
    bool is_refused = open >= context_->limits.connections_max;
    if (is_refused) refused_.fetch_add(1, std::memory_order_relaxed);
    if (open >= context_->limits.connections_max + kRefusedConnectionsMax) return;
    ErrorCondition ignored;
    socket.set_option(Tcp::no_delay(true), ignored);
    context_->connections.add();
    loop.adopt(std::move(socket), text_of(peer_), is_refused);
  }

  void stop_accepting() {
    std::promise<void> closed;
    asio::post(loops_.front()->context(), [this, &closed] {
      ErrorCondition ignored;
      acceptor_->close(ignored);
      accept_pause_->cancel();
      closed.set_value();
    });
    closed.get_future().wait();
  }

  std::shared_ptr<ServerContext> context_;
  std::vector<std::shared_ptr<EventLoop>> loops_;
  std::unique_ptr<Acceptor> acceptor_;  // used on the first loop's thread
  std::unique_ptr<Timer> accept_pause_;
  Tcp::endpoint peer_;  // of the connection being accepted
  bool is_running_ = false;
  size_t next_loop_ = 0;
  uint16_t port_ = 0;
  std::atomic<uint64_t> accepted_{0};
  std::atomic<uint64_t> refused_{0};
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options, HttpHandler& handler) {
  std::unique_ptr<TlsContext> tls;
  if (!options.tls.certificate_pem.empty()) {
    TRY_ASSIGN(tls, TlsContext::make(options.tls));
  }
  size_t threads = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  auto context = std::shared_ptr<ServerContext>(new ServerContext{options.limits, handler, std::move(tls), {}});
  auto server = std::make_unique<AsioHttpServer>(std::move(context), threads);
  TRY(server->listen(options));
  server->run();
  return server;
}

}  // namespace partita::net
