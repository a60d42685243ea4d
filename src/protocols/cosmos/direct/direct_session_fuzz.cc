#include "base/check.h"
#include "net/server.h"
#include "net/test_client.h"
#include "net/tls/certificate.h"
#include "protocols/cosmos/direct/direct_wire.h"
#include "protocols/cosmos/direct/frame_builder.h"
#include "protocols/cosmos/in_process_account.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Whole connections in direct mode: frames and whatever else comes, cut anywhere, while answers of all sizes wait, memory is
// short and others are at work for the client.
//
// An input is a program of the client's (Client::run); a byte says what comes next. What it is answered must be whole frames,
// each to a request that it made, and in the end nobody may have kept anything.
using namespace partita;
using namespace partita::cosmos;
using namespace partita::cosmos::direct;

namespace {

constexpr size_t kMemoryBytes = 4 << 20;
constexpr size_t kHugeAnswerBytes = 300'000;
constexpr size_t kLargeAnswerBytes = 20'000;
constexpr size_t kSentBytesMax = 8 << 20;
constexpr size_t kPiecesMax = 500;  // each is a record of TLS

// What becomes of a request, by the name of its database.
constexpr std::array<std::string_view, 8> kFates = {"small",     "large",   "huge",    "held",
                                                    "held-huge", "outcome", "refused", "dropped"};

// FatefulDoor: what is held waits until release(), which another thread calls.
class FatefulDoor final : public net::HttpHandler {
 public:
  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) override {
    const std::string_view fate = fate_of(request);
    if (fate == "dropped") return;
    if (fate.starts_with("held")) {
      const std::lock_guard lock(mutex_);
      held_.push_back({&response, std::move(done), fate == "held" ? 2 : kHugeAnswerBytes});
      return;
    }
    const size_t bytes = fate == "large" ? kLargeAnswerBytes : fate == "huge" || fate == "outcome" ? kHugeAnswerBytes : 2;
    response.is_outcome = fate == "outcome";
    fill(response, bytes);
    done();
  }
  net::HttpAdmission admit(const net::HttpRequest& head, net::HttpResponse& refusal) override {
    const bool is_refused = fate_of(head) == "refused";
    if (is_refused) refusal.status = 401;
    return {.is_admitted = !is_refused};
  }
  uint64_t tenant_of(const net::HttpRequest& head) const override { return fate_of(head).size(); }

  void release() {
    std::vector<Held> released;
    {
      const std::lock_guard lock(mutex_);
      released.swap(held_);
    }
    for (Held& each : released) {
      fill(*each.response, each.bytes);
      each.done();
    }
  }

 private:
  struct Held {
    net::HttpResponse* response;
    net::HttpDone done;
    size_t bytes;
  };

  static std::string_view fate_of(const net::HttpRequest& request) {
    const std::string_view name = request.path.substr(std::min(request.path.size(), std::string_view("/dbs/").size()));
    return name.substr(0, name.find('/'));
  }
  static void fill(net::HttpResponse& response, size_t bytes) {
    response.is_authorized = bytes > 2;
    response.body = "{" + std::string(bytes - 2, ' ') + "}";
  }

  std::mutex mutex_;
  std::vector<Held> held_;
};

// Program: the rest of an input, which has zeros behind its end.
class Program {
 public:
  explicit Program(std::string_view bytes) : rest_(bytes) {}
  bool is_over() const { return rest_.empty(); }
  uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  size_t number() { return byte() * size_t{256} + byte(); }
  std::string_view bytes(size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

// Client: one connection, which sends and receives at the same time, so that neither side waits for the other.
class Client {
 public:
  Client(uint16_t port, SSL_SESSION* resumed, FatefulDoor& door) : connection_(port, resumed), door_(door) {
    CHECK(connection_.has_shaken_hands());
    ::fcntl(connection_.socket(), F_SETFL, ::fcntl(connection_.socket(), F_GETFL) | O_NONBLOCK);
  }

  void run(Program program) {
    if (const uint8_t begin = program.byte(); begin < 240) add_context(begin);
    while (!program.is_over() && sent_bytes_ < kSentBytesMax && !is_ended_) {
      switch (program.byte() % 6) {
        case 0:
          output_ += program.bytes(program.byte());
          is_wild_ = true;
          break;
        case 1: add_context(program.byte()); break;
        case 2: add_request(program); break;
        case 3: send_in_pieces(1 + program.byte()); break;
        case 4: send_in_pieces(output_.size()); break;
        default: door_.release(); break;
      }
    }
    send_in_pieces(output_.size());
    connection_.shutdown_send();
    while (!is_ended_) pump();
    check_answers();
  }
  SSL* ssl() { return connection_.ssl(); }

 private:
  void add_context(uint8_t form) { output_ += context_frame("2020-07-15", form % 4 == 1 ? "azsdk-java-cosmos/4.81.0" : "ua"); }
  void add_request(Program& program) {
    const uint8_t form = program.byte();
    FrameBuilder frame(form >= 250 ? 99 : 1, 0x03);
    frame.text(0x15, kFates[form % kFates.size()]).number(0x4D, ++requests_);
    const size_t padding = program.byte();
    if (padding > 200) frame.text(0x06, std::string((padding - 200) * 1000, 'x'));  // a large head
    std::optional<std::string> payload;
    if (const size_t eighth = program.number(); eighth > 0) payload = std::string(8 * eighth, ' ');
    const std::string whole = payload ? frame.build(*payload) : frame.build();
    const size_t missing = program.byte();
    const bool is_cut = missing >= 240;
    is_wild_ |= is_cut;
    output_ += std::string_view(whole).substr(0, whole.size() - (is_cut ? std::min(missing - 239, whole.size()) : 0));
  }

  void send_in_pieces(size_t bytes) {
    bytes = std::max({bytes, output_.size() / kPiecesMax, size_t{1}});
    while (!output_.empty() && !is_ended_) {
      std::string piece = output_.substr(0, bytes);
      output_.erase(0, piece.size());
      sent_bytes_ += piece.size();
      while (!piece.empty() && !is_ended_) {
        const int sent = SSL_write(ssl(), piece.data(), static_cast<int>(piece.size()));
        if (sent > 0) {
          piece.erase(0, static_cast<size_t>(sent));
        } else if (const int why = SSL_get_error(ssl(), sent); why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
          pump();
        } else {
          is_ended_ = true;
        }
      }
    }
  }

  // Receives what there is; else waits a moment, and lets those go on whom the server may be waiting for.
  void pump() {
    char piece[64 * 1024];
    const int got = SSL_read(ssl(), piece, sizeof piece);
    if (got > 0) {
      input_.append(piece, static_cast<size_t>(got));
      return;
    }
    const int why = SSL_get_error(ssl(), got);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
      is_ended_ = true;
      return;
    }
    door_.release();
    pollfd waiting{connection_.socket(), POLLIN, 0};
    ::poll(&waiting, 1, 1);
  }

  // The last one may be cut: the server need not send what nobody waits for.
  void check_answers() {
    std::set<uint32_t> answered;
    bool is_first = true;
    for (std::string_view rest = input_; rest.size() >= kFixedHeadBytes; is_first = false) {
      const size_t head_bytes = load_little_endian<uint32_t>(rest.data());
      CHECK(head_bytes > kFixedHeadBytes && head_bytes <= kHeadBytesMax);
      if (head_bytes > rest.size()) return;
      const ParsedAnswer answer = parse_answer_head(std::string(rest.substr(0, head_bytes)));
      rest.remove_prefix(head_bytes);
      CHECK(answer.status >= 200 && answer.status < 600);
      if (is_first) {
        CHECK(answer.has(0x0001));
        if (answer.status == 200) continue;
      } else {
        CHECK(missing_tokens(answer).empty());
        const uint32_t id = answer.transport_id();
        CHECK(is_wild_ || (id >= 1 && id <= requests_ && answered.insert(id).second));
        if (answer.number(0) == 0) continue;
      }
      if (rest.size() < kPayloadLengthBytes) return;
      const size_t payload_bytes = load_little_endian<uint32_t>(rest.data());
      if (rest.size() < kPayloadLengthBytes + payload_bytes) return;
      CHECK(rest[kPayloadLengthBytes] == '{' && rest[kPayloadLengthBytes + payload_bytes - 1] == '}');
      rest.remove_prefix(kPayloadLengthBytes + payload_bytes);
    }
  }

  net::TestTlsClient connection_;
  FatefulDoor& door_;
  std::string output_;
  std::string input_;
  size_t sent_bytes_ = 0;
  uint32_t requests_ = 0;
  bool is_wild_ = false;  // sends what are no frames, or may be others
  bool is_ended_ = false;
};

// FuzzedWire: a server that is kept from input to input.
class FuzzedWire {
 public:
  static FuzzedWire& instance() {
    static auto* kept = new FuzzedWire();
    static const int at_exit = std::atexit([] { delete kept; });
    (void)at_exit;
    return *kept;
  }

  void run(std::string_view input) {
    {
      Client client(server_->port(), session_, door_);
      client.run(Program(input));
      if (session_ == nullptr) session_ = SSL_get1_session(client.ssl());
    }
    // Nothing is left of it. Where that never becomes true, the fuzzer's time-out tells.
    while (wire_.connections_open() > 0 || server_->counters().connections_open > 0 || memory_.taken() > 0) {
      door_.release();
      ::poll(nullptr, 0, 1);
    }
  }

 private:
  FuzzedWire() {
    std::signal(SIGPIPE, SIG_IGN);  // the server closes whenever it likes
    net::ServerOptions options{.threads = 1, .tls = net::make_self_signed_identity({}).value(), .limits = {}, .memory = &memory_};
    server_ = net::Server::start(std::move(options), {{.port = 0, .wires = {&wire_}}}).value();
  }
  ~FuzzedWire() { SSL_SESSION_free(session_); }

  InProcessAccount account_{SCRIPT_HOST};
  FairMemory memory_{kMemoryBytes};
  FatefulDoor door_;
  DirectWire wire_{door_, account_.service(), {.requests_at_once_max = 8, .skipped_payload_bytes_max = 200'000}};
  std::unique_ptr<net::Server> server_;
  SSL_SESSION* session_ = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedWire::instance().run({reinterpret_cast<const char*>(data), size});
  return 0;
}
