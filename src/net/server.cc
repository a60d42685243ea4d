#include "net/server.h"

#include "base/check.h"
#include "base/machine.h"
#include "net/acceptor.h"
#include "net/tls/tls.h"
#include "net/worker.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

namespace partita::net {
namespace {

// Over connections_max, others that wait for their client are closed for new ones. Meanwhile there are so many more, for vital
// requests and to be told why they are closed; beyond that they are closed at once.
constexpr uint64_t kSpareConnectionsMax = 64;

class EpollServer final : public Server {
 public:
  EpollServer(std::shared_ptr<ServerContext> context, size_t threads, bool measures_loops) : context_(std::move(context)) {
    for (size_t index = 0; index < threads; ++index) {
      workers_.push_back(std::make_shared<Worker>(context_));
      if (measures_loops) workers_.back()->loop().measure_processor_time();
    }
  }

  ~EpollServer() override {
    if (!is_running_) return;
    stop(std::chrono::milliseconds(0));
    context_->connections.wait_until_none();
    for (auto& worker : workers_) worker->finish();
  }

  Status run(std::vector<ListenerOptions> listeners) {
    listeners_.reserve(listeners.size());  // connections refer to their listener's wires
    for (ListenerOptions& options : listeners) TRY(listen(std::move(options)));
    for (size_t index = 0; index < workers_.size(); ++index) workers_[index]->start(index);
    is_running_ = true;
    return {};
  }

  uint16_t port(size_t listener) const override { return listeners_.at(listener).acceptor->port(); }

  ServerCounters counters() const override {
    ServerCounters sum{};
    sum.connections_open = context_->connections.open();
    sum.connections_accepted = accepted_.load(std::memory_order_relaxed);
    sum.connections_refused = refused_.load(std::memory_order_relaxed);
    for (const auto& worker : workers_) {
      sum.requests += worker->counters().requests.load(std::memory_order_relaxed);
      sum.malformed_requests += worker->counters().malformed_requests.load(std::memory_order_relaxed);
      sum.refused_for_memory += worker->counters().refused_for_memory.load(std::memory_order_relaxed);
      sum.connections_refused += worker->counters().turned_away.load(std::memory_order_relaxed);
      sum.timeouts += worker->counters().timeouts.load(std::memory_order_relaxed);
      const CallbackTimes& times = worker->loop().times();
      sum.callbacks_over_1_ms += times.over_1_ms.load(std::memory_order_relaxed);
      sum.callbacks_over_10_ms += times.over_10_ms.load(std::memory_order_relaxed);
      sum.callbacks_over_100_ms += times.over_100_ms.load(std::memory_order_relaxed);
      sum.callback_us_max = std::max(sum.callback_us_max, times.longest_us.load(std::memory_order_relaxed));
      sum.callback_processor_us_max =
          std::max(sum.callback_processor_us_max, times.longest_processor_us.load(std::memory_order_relaxed));
    }
    return sum;
  }

  void begin_stop() override {
    stop_accepting();
    for (auto& worker : workers_) worker->begin_stop();
  }

  void stop(std::chrono::milliseconds grace) override {
    begin_stop();
    if (grace.count() > 0 && context_->connections.wait_until_none(grace)) return;
    for (auto& worker : workers_) worker->abort_connections();
  }

 private:
  struct Listener {
    Wires wires;
    std::unique_ptr<Acceptor> acceptor;  // used on the first worker's thread
  };

  Status listen(ListenerOptions options) {
    CHECK(!options.wires.empty());
    Listener& listener = listeners_.emplace_back(std::move(options.wires), nullptr);
    auto on_accept = [this, &wires = listener.wires](FileDescriptor socket, std::string peer_address) {
      deal(wires, std::move(socket), std::move(peer_address));
    };
    TRY_ASSIGN(listener.acceptor, Acceptor::listen(options.bind_address, options.port, std::move(on_accept)));
    if (!listener.acceptor->watch_on(workers_.front()->loop()))
      return fail(ErrorCode::kUnavailable, "the system cannot watch one more socket");
    return {};
  }

  // In turn: with SO_REUSEPORT the kernel would choose by a hash, and a few connections could share one thread.
  void deal(const Wires& wires, FileDescriptor socket, std::string peer_address) {
    accepted_.fetch_add(1, std::memory_order_relaxed);
    uint64_t open = context_->connections.open();
    const bool is_spare = open >= context_->limits.connections_max;
    Worker& worker = *workers_[next_worker_++ % workers_.size()];
    if (is_spare) worker.make_room();
    if (open >= context_->limits.connections_max + kSpareConnectionsMax) {
      refused_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    context_->connections.add();
    worker.adopt(wires, std::move(socket), std::move(peer_address), is_spare);
  }

  // Waits, so that every connection there will ever be is counted when it returns.
  void stop_accepting() {
    std::promise<void> closed;
    workers_.front()->loop().post([this, &closed] {
      for (Listener& listener : listeners_) listener.acceptor->close();
      closed.set_value();
    });
    closed.get_future().wait();
  }

  std::shared_ptr<ServerContext> context_;
  std::vector<std::shared_ptr<Worker>> workers_;
  std::vector<Listener> listeners_;
  size_t next_worker_ = 0;  // used on the first worker's thread
  bool is_running_ = false;
  std::atomic<uint64_t> accepted_{0};
  std::atomic<uint64_t> refused_{0};
};

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, std::vector<ListenerOptions> listeners) {
  std::unique_ptr<TlsContext> tls;
  if (!options.tls.certificate_pem.empty()) {
    TRY_ASSIGN(tls, TlsContext::make(options.tls));
  }
  size_t threads = options.threads > 0 ? options.threads : processor_limit();
  auto context = std::make_shared<ServerContext>(options.limits, std::move(tls), options.memory);
  auto server = std::make_unique<EpollServer>(std::move(context), threads, options.measures_loops);
  TRY(server->run(std::move(listeners)));
  return server;
}

}  // namespace partita::net
