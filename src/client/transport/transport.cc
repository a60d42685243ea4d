#include "client/transport/transport.h"

#include "client/transport/http_connection.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <thread>
#include <vector>

namespace partita::client {
namespace {

// How late the end of an exchange that is late may come.
constexpr std::chrono::milliseconds kTick{50};

// Shard: one thread, its connections, and what waits for one of them. Only that thread touches them, so there are no locks.
class Shard {
 public:
  Shard(const ConnectionSettings& settings, const Options& options, size_t connections_max, size_t waiting_max)
      : settings_(settings),
        request_timeout_(options.request_timeout),
        connections_max_(connections_max),
        waiting_max_(waiting_max),
        ticker_(context_),
        thread_([this] { context_.run(); }) {}

  // Nothing is finished by the thread any more, so what is left is finished here.
  ~Shard() {
    context_.stop();
    thread_.join();
    for (const auto& connection : connections_) {
      if (connection->is_busy()) end(connection->take_exchange());
    }
    for (std::unique_ptr<Exchange>& exchange : waiting_) end(std::move(exchange));
    for (auto& [number, sleeper] : sleepers_) end(std::move(sleeper->exchange));
    std::lock_guard lock(inbox_mutex_);
    for (std::unique_ptr<Exchange>& exchange : inbox_) end(std::move(exchange));
  }

  bool is_own_thread() const { return thread_.get_id() == std::this_thread::get_id(); }

  void send(std::unique_ptr<Exchange> exchange) {
    if (is_own_thread()) return accept(std::move(exchange));
    bool is_first = false;
    {
      std::lock_guard lock(inbox_mutex_);
      is_first = inbox_.empty();
      inbox_.push_back(std::move(exchange));
    }
    if (is_first) asio::post(context_, [this] { empty_inbox(); });
  }

  void send_after(std::chrono::milliseconds delay, std::unique_ptr<Exchange> exchange) {
    const uint64_t number = ++sleeper_number_;
    auto& sleeper = sleepers_[number] = std::make_unique<Sleeper>(context_, std::move(exchange));
    sleeper->timer.expires_after(delay);
    sleeper->timer.async_wait([this, number](SystemError) {
      std::unique_ptr<Exchange> awake = std::move(sleepers_[number]->exchange);
      sleepers_.erase(number);
      accept(std::move(awake));
    });
  }

 private:
  struct Sleeper {
    Sleeper(asio::io_context& context, std::unique_ptr<Exchange> sleeping) : timer(context), exchange(std::move(sleeping)) {}
    asio::steady_timer timer;
    std::unique_ptr<Exchange> exchange;
  };

  static void end(std::unique_ptr<Exchange> exchange) {
    Exchange& finished = *exchange;
    finished.finish(std::move(exchange), std::unexpected(Loss{Loss::Kind::kClosed, "the client is closed"}));
  }

  void empty_inbox() {
    std::vector<std::unique_ptr<Exchange>> arrived;
    {
      std::lock_guard lock(inbox_mutex_);
      arrived.swap(inbox_);
    }
    for (std::unique_ptr<Exchange>& exchange : arrived) accept(std::move(exchange));
  }

  void accept(std::unique_ptr<Exchange> exchange) {
    if (HttpConnection* connection = idle_connection()) return begin(*connection, std::move(exchange));
    if (waiting_.size() < waiting_max_) return waiting_.push_back(std::move(exchange));
    Exchange& refused = *exchange;
    refused.finish(std::move(exchange),
                   std::unexpected(Loss{Loss::Kind::kNotOpened, "more requests wait for a connection than the options allow"}));
  }

  // The one that was used last, so that those that are not needed grow old.
  HttpConnection* idle_connection() {
    if (!idle_.empty()) {
      HttpConnection* connection = idle_.back();
      idle_.pop_back();
      connection->close_if_stale(std::chrono::steady_clock::now());
      return connection;
    }
    if (connections_.size() >= connections_max_) return nullptr;
    const auto on_done = [this](HttpConnection& connection, Outcome outcome) { finish(connection, std::move(outcome)); };
    if (settings_.tls != nullptr) {
      connections_.push_back(std::make_unique<StreamConnection<TlsStream>>(context_, settings_, on_done));
    } else {
      connections_.push_back(std::make_unique<StreamConnection<PlainStream>>(context_, settings_, on_done));
    }
    return connections_.back().get();
  }

  void begin(HttpConnection& connection, std::unique_ptr<Exchange> exchange) {
    connection.begin(std::move(exchange), std::chrono::steady_clock::now() + request_timeout_);
    ++busy_;
    if (!is_ticking_) tick();
  }

  void finish(HttpConnection& connection, Outcome outcome) {
    std::unique_ptr<Exchange> exchange = connection.take_exchange();
    --busy_;
    if (waiting_.empty()) {
      idle_.push_back(&connection);
    } else {
      std::unique_ptr<Exchange> next = std::move(waiting_.front());
      waiting_.pop_front();
      begin(connection, std::move(next));
    }
    Exchange& finished = *exchange;
    finished.finish(std::move(exchange), std::move(outcome));
  }

  // Looks for late exchanges as long as there are any at all.
  void tick() {
    is_ticking_ = busy_ > 0;
    if (!is_ticking_) return;
    ticker_.expires_after(kTick);
    ticker_.async_wait([this](SystemError) {
      const Moment now = std::chrono::steady_clock::now();
      for (const auto& connection : connections_) connection->end_if_late(now);
      tick();
    });
  }

  const ConnectionSettings& settings_;
  const std::chrono::milliseconds request_timeout_;
  const size_t connections_max_;
  const size_t waiting_max_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  asio::steady_timer ticker_;
  bool is_ticking_ = false;
  size_t busy_ = 0;
  std::vector<std::unique_ptr<HttpConnection>> connections_;
  std::vector<HttpConnection*> idle_;
  std::deque<std::unique_ptr<Exchange>> waiting_;
  std::map<uint64_t, std::unique_ptr<Sleeper>> sleepers_;
  uint64_t sleeper_number_ = 0;
  std::mutex inbox_mutex_;  // guards inbox_
  std::vector<std::unique_ptr<Exchange>> inbox_;
  std::thread thread_;  // last, as it uses the others
};

class ShardedTransport final : public Transport {
 public:
  ShardedTransport(const Endpoint& endpoint, const Options& options, std::unique_ptr<asio::ssl::context> tls, bool is_verified)
      : tls_(std::move(tls)),
        settings_{.endpoint = endpoint,
                  .answer_bytes_max = options.answer_bytes_max,
                  .connect_timeout = options.connect_timeout,
                  .tls = tls_.get(),
                  .is_verified = is_verified} {
    const size_t connections_max = std::max<size_t>(options.connections_max, 1);
    const size_t threads = std::clamp<size_t>(options.threads, 1, connections_max);
    for (size_t index = 0; index < threads; ++index) {
      const size_t share = connections_max / threads + (index < connections_max % threads ? 1 : 0);
      shards_.push_back(std::make_unique<Shard>(settings_, options, share, options.waiting_max / threads + 1));
    }
  }

  void send(std::unique_ptr<Exchange> exchange) override { shard().send(std::move(exchange)); }

  void send_after(std::chrono::milliseconds delay, std::unique_ptr<Exchange> exchange) override {
    shard().send_after(delay, std::move(exchange));
  }

  bool is_own_thread() const override {
    return std::ranges::any_of(shards_, [](const auto& each) { return each->is_own_thread(); });
  }

 private:
  // What one of the threads sends stays with it; others take turns.
  Shard& shard() {
    for (const auto& each : shards_) {
      if (each->is_own_thread()) return *each;
    }
    return *shards_[next_.fetch_add(1, std::memory_order_relaxed) % shards_.size()];
  }

  std::unique_ptr<asio::ssl::context> tls_;
  const ConnectionSettings settings_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<size_t> next_{0};
};

}  // namespace

Result<std::unique_ptr<Transport>> Transport::start(const Endpoint& endpoint, const Options& options) {
  const TlsOptions& tls = options.tls;
  const bool is_verified = !tls.is_insecure && (!endpoint.is_loopback() || !tls.authority_file.empty());
  std::unique_ptr<asio::ssl::context> context;
  if (endpoint.is_https) {
    context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
    SystemError error;
    if (tls.authority_file.empty()) {
      context->set_default_verify_paths(error);
    } else {
      context->load_verify_file(tls.authority_file, error);
    }
    if (error) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("the certificate authorities in '{}' cannot be read: {}", tls.authority_file, error.message()));
    }
  }
  return std::make_unique<ShardedTransport>(endpoint, options, std::move(context), is_verified);
}

}  // namespace partita::client
