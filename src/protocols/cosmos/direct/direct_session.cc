#include "protocols/cosmos/direct/direct_session.h"

#include "base/bytes.h"
#include "protocols/cosmos/direct/context.h"
#include "protocols/cosmos/direct/direct_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace partita::cosmos::direct {
namespace {

using net::kUncountedBytes;

constexpr size_t kOutputBytesMax = kUncountedBytes;  // gathered before it is sent
// Requests and answers of one connection together, before each further one is counted.
constexpr size_t kHeldBytesMax = 4 * kUncountedBytes;
// A payload is counted twice: as it comes, and as the document or the answer that becomes of it.
constexpr size_t kPayloadCopies = 2;
// What one receipt, decrypted, can bring.
constexpr size_t kReceiptBytesMax = 32 * 1024;
// What TLS holds of a large answer at a time.
constexpr size_t kEncryptionBytes = 128 * 1024;
constexpr size_t kContextBytesMax = 4096;
constexpr std::string_view kServerAgent = "Partita";
constexpr std::string_view kServerVersion = "version=2.14.0.0";

constexpr std::string_view kAgentThatMixesUpAnswers = "azsdk-java-cosmos/";
// So long it has for an answer before the next one is sent, if it waits for one only, and if it waits for several; and then so
// often so long as its system does not confirm the answer.
constexpr std::chrono::microseconds kTimeToRead{250};
constexpr std::chrono::microseconds kTimeToReadOneOfSeveral{2000};
constexpr std::chrono::microseconds kTimeToConfirm{1000};
constexpr int kTimesToConfirmMax = 4;

constexpr size_t kLengthOfFrame = 8;  // that tell a frame

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// Within the first four bytes is the length of the first frame; kind and operation behind it are zero.
net::Wire::Match DirectWire::match(std::string_view first_bytes, bool /*is_tls*/) const {
  const std::string_view zeros = first_bytes.substr(std::min<size_t>(2, first_bytes.size()), kLengthOfFrame - 2);
  if (std::ranges::any_of(zeros, [](char c) { return c != 0; })) return Match::kNo;
  return first_bytes.size() >= kLengthOfFrame ? Match::kYes : Match::kNeedMore;
}

std::unique_ptr<net::Session> DirectWire::open(net::Connection& connection) {
  return std::make_unique<DirectSession>(*this, connection);
}

// One request, from its receipt until its answer was sent.
struct DirectSession::Work {
  enum class State : int { kAtWork, kAwaited, kAnswered };

  explicit Work(DirectSession& owner) : session(owner) {}

  DirectSession& session;
  std::string head;  // the tokens
  std::string payload;
  DirectRequest request;
  net::HttpResponse response;
  MemoryLoan loan;
  size_t held_bytes = 0;
  std::chrono::steady_clock::time_point started;
  std::atomic<State> state{State::kAtWork};
  bool is_counted_work = false;
};

// What a handler's HttpDone holds: one pointer, so that no allocation is needed. Dropped without a call it answers 500.
class DirectSession::DoneSignal {
 public:
  explicit DoneSignal(Work* work) : work_(work) {}
  DoneSignal(DoneSignal&& other) noexcept : work_(std::exchange(other.work_, nullptr)) {}
  DoneSignal& operator=(DoneSignal&&) = delete;
  ~DoneSignal() {
    if (work_ == nullptr) return;
    const Error error{ErrorCode::kInternal, "the request was dropped without an answer"};
    fill_error(work_->response, error, work_->request.activity_text());
    operator()();
  }
  void operator()() {
    Work* work = std::exchange(work_, nullptr);
    if (work == nullptr) return;
    // Once the state changes, the session may go on and end on its own thread, unless this is awaited.
    std::shared_ptr<net::Worker> worker = work->session.connection_.shared_worker();
    if (work->state.exchange(Work::State::kAnswered, std::memory_order_acq_rel) == Work::State::kAwaited)
      worker->loop().post([work] { work->session.finish(*work); });
  }

 private:
  Work* work_;
};

// LoanTurn: while it lives, nobody else uses the connection's loan. REQUIRES: is_loan_used_ was false.
class DirectSession::LoanTurn {
 public:
  explicit LoanTurn(DirectSession& session) : session_(session) { session_.is_loan_used_ = true; }
  LoanTurn(const LoanTurn&) = delete;
  LoanTurn& operator=(const LoanTurn&) = delete;
  ~LoanTurn() {
    session_.connection_.end_transfer();
    session_.connection_.give_memory_back();
    session_.is_loan_used_ = false;
    session_.is_loan_free_.set();
  }

 private:
  DirectSession& session_;
};

DirectSession::DirectSession(const DirectWire& wire, net::Connection& connection)
    : wire_(wire),
      connection_(connection),
      has_output_(connection.worker().loop()),
      is_drained_(connection.worker().loop()),
      is_loan_free_(connection.worker().loop()),
      is_writer_done_(connection.worker().loop()) {}

DirectSession::~DirectSession() = default;

net::Task<net::Session::End> DirectSession::serve() {
  if (!connection_.is_tls()) {
    end_malformed();
    co_return End::kAtOnce;
  }
  if (!co_await negotiate()) co_return End::kLingering;
  write_answers();
  while (true) {
    while (is_full() && !is_broken_) co_await is_drained_;
    if (is_broken_ || !co_await serve_frame()) break;
  }
  is_ending_ = true;
  has_output_.set();
  co_await is_writer_done_;
  co_return End::kLingering;
}

net::Task<bool> DirectSession::negotiate() {
  while (input().size() < kFixedHeadBytes) {
    if (!co_await connection_.receive_more()) co_return false;
  }
  const std::optional<RequestHead> head = parse_request_head(input().view());
  if (!head || !head->is_context() || head->head_bytes > kContextBytesMax) co_return end_malformed();
  while (input().size() < head->head_bytes) {
    if (!co_await connection_.receive_more()) co_return false;
  }
  const std::string_view tokens = input().view().substr(kFixedHeadBytes, head->head_bytes - kFixedHeadBytes);
  const Result<ContextRequest> context = parse_context(tokens);
  if (context) {
    version_ = context->version;
    if (context->user_agent.contains(kAgentThatMixesUpAnswers)) pause_.emplace(connection_.worker().loop());
    append_context_answer(output_, head->activity_id,
                          {.version = version_,
                           .server_agent = kServerAgent,
                           .server_version = kServerVersion,
                           .idle_timeout = std::chrono::duration_cast<std::chrono::seconds>(wire_.limits().idle_timeout),
                           .unauthenticated_timeout = std::chrono::duration_cast<std::chrono::seconds>(
                               connection_.worker().server().limits.idle_timeout)});
  } else {
    append_context_refusal(output_, head->activity_id, context.error());
    end_malformed();
  }
  input().consume(head->head_bytes);
  connection_.end_message();
  co_return co_await connection_.send(output_) && context.has_value();
}

bool DirectSession::end_malformed() {
  net::Worker::Counters::add(connection_.worker().counters().malformed_requests);
  return false;
}

net::Task<bool> DirectSession::serve_frame() {
  while (input().size() < kFixedHeadBytes) {
    if (!co_await connection_.receive_more()) co_return false;
  }
  const std::optional<RequestHead> head = parse_request_head(input().view());
  if (!head || head->is_context()) co_return end_malformed();
  Work& work = take_work();
  if (head->head_bytes > kUncountedBytes && !co_await receive_large_head(work, head->head_bytes)) {
    give_back(work);
    co_return false;
  }
  while (input().size() < head->head_bytes) {
    if (co_await connection_.receive_more()) continue;
    give_back(work);
    co_return false;
  }
  work.head = input().view().substr(kFixedHeadBytes, head->head_bytes - kFixedHeadBytes);
  input().consume(head->head_bytes);
  if (!work.request.read(*head, work.head, version_)) {
    give_back(work);
    co_return end_malformed();
  }
  size_t payload_bytes = 0;
  if (work.request.has_payload()) {
    while (input().size() < kPayloadLengthBytes) {
      if (co_await connection_.receive_more()) continue;
      give_back(work);
      co_return false;
    }
    payload_bytes = load_little_endian<uint32_t>(input().begin());
    input().consume(kPayloadLengthBytes);
  }
  prepare(work, payload_bytes);
  Receipt receipt = Receipt::kWhole;
  if (payload_bytes > kUncountedBytes) {
    receipt = co_await receive_large_payload(work, payload_bytes);
  } else {
    while (input().size() < payload_bytes) {
      if (co_await connection_.receive_more()) continue;
      receipt = Receipt::kCut;
      break;
    }
    if (receipt == Receipt::kWhole) {
      work.payload = input().view().substr(0, payload_bytes);
      input().consume(payload_bytes);
      if (work.request.mistake()) receipt = Receipt::kRefused;
    }
  }
  connection_.end_message();
  if (receipt == Receipt::kCut) {
    give_back(work);
    co_return false;
  }
  net::Worker::Counters::add(connection_.worker().counters().requests);
  if (receipt == Receipt::kWhole) {
    dispatch(work);
  } else {
    finish(work);
  }
  input().shrink();
  if (!input().empty()) co_await connection_.worker().loop().give_way();
  co_return receipt != Receipt::kUnskipped;
}

// What is borrowed for it goes with it; no client that means well sends one.
net::Task<bool> DirectSession::receive_large_head(Work& work, size_t bytes) {
  while (is_loan_used_) co_await is_loan_free_;
  const LoanTurn turn(*this);
  connection_.borrow_as(0);
  if (!connection_.borrow(kPayloadCopies * (bytes + kReceiptBytesMax))) {
    connection_.note_refusal();
    co_return false;
  }
  connection_.begin_transfer();
  while (input().size() < bytes) {
    if (!co_await connection_.receive_more()) co_return false;
  }
  work.loan = connection_.take_loan();
  co_return true;
}

void DirectSession::prepare(Work& work, size_t payload_bytes) {
  net::HttpRequest& request = work.request.request();
  request.peer_address = connection_.peer_address();
  request.is_abandoned = &connection_.has_peer_closed();
  request.is_alone = works_at_hand_ == 1 && connection_.worker().connection_count() == 1;
  request.announced_bytes = payload_bytes;
  work.response.clear();
  if (work.request.mistake()) fill_error(work.response, *work.request.mistake(), work.request.activity_text());
  hold(work, work.head.size() + (payload_bytes <= kUncountedBytes ? payload_bytes : 0));
}

net::Task<DirectSession::Receipt> DirectSession::receive_large_payload(Work& work, size_t bytes) {
  const net::HttpRequest& request = work.request.request();
  if (work.request.mistake()) co_return co_await skip_payload(bytes);
  if (!wire_.door().admit(request, work.response).is_admitted) co_return co_await skip_payload(bytes);
  while (is_loan_used_) co_await is_loan_free_;
  const LoanTurn turn(*this);
  connection_.give_back(work.loan);
  connection_.borrow_as(wire_.door().tenant_of(request));
  net::Connection::Memory memory = connection_.borrow_or_wait(kPayloadCopies * (bytes + kReceiptBytesMax));
  if (memory == net::Connection::Memory::kAwaited) {
    std::string nothing;  // answers have a task of their own
    memory = co_await connection_.await_memory(nothing) ? net::Connection::Memory::kGranted : net::Connection::Memory::kRefused;
  }
  if (memory == net::Connection::Memory::kRefused) {
    connection_.note_refusal();
    answer_busy(work);
    co_return co_await skip_payload(bytes);
  }
  connection_.begin_transfer();
  work.payload.reserve(bytes);
  while (true) {
    const size_t piece = std::min(input().size(), bytes - work.payload.size());
    work.payload.append(input().view().substr(0, piece));
    input().consume(piece);
    if (work.payload.size() == bytes) break;
    if (!co_await connection_.receive_more()) co_return Receipt::kCut;
  }
  work.loan = connection_.take_loan();
  co_return Receipt::kWhole;
}

net::Task<DirectSession::Receipt> DirectSession::skip_payload(size_t bytes) {
  if (bytes > wire_.limits().skipped_payload_bytes_max) co_return Receipt::kUnskipped;
  while (true) {
    const size_t piece = std::min(input().size(), bytes);
    input().consume(piece);
    bytes -= piece;
    if (bytes == 0) co_return Receipt::kRefused;
    if (!co_await connection_.receive_more()) co_return Receipt::kCut;
  }
}

void DirectSession::dispatch(Work& work) {
  work.request.request().body = work.payload;
  work.started = std::chrono::steady_clock::now();
  work.state.store(Work::State::kAtWork, std::memory_order_relaxed);
  wire_.door().handle(work.request.request(), work.response, DoneSignal(&work));
  // Its finish() is posted by whoever answers it, and comes after this.
  if (work.state.exchange(Work::State::kAwaited, std::memory_order_acq_rel) == Work::State::kAnswered) return finish(work);
  work.is_counted_work = true;
  connection_.begin_work();
}

void DirectSession::finish(Work& work) {
  if (work.response.is_authorized && !std::exchange(was_authorized_, true))
    connection_.set_idle_timeout(wire_.limits().idle_timeout);
  hold_answer(work);
  answered_.push_back(&work);
  has_output_.set();
  if (std::exchange(work.is_counted_work, false)) connection_.end_work();
}

void DirectSession::hold_answer(Work& work) {
  work.payload.clear();
  if (work.payload.capacity() > kUncountedBytes) work.payload.shrink_to_fit();
  net::HttpResponse& response = work.response;
  const size_t bytes = response.body.capacity();
  hold(work, work.head.size());
  if (bytes <= kUncountedBytes && held_bytes_ + bytes <= kHeldBytesMax) {
    connection_.give_back(work.loan);
    return hold(work, work.head.size() + bytes);
  }
  if (work.loan.bytes() == 0) work.loan = connection_.loan_of(wire_.door().tenant_of(work.request.request()));
  const size_t wanted = bytes + kEncryptionBytes;
  if (work.loan.grow_to(wanted)) return;
  connection_.note_refusal(work.loan);
  if (response.is_outcome) {
    if (work.loan.grow_to(wanted, FairMemory::Claim::kReserve)) return;
    std::string().swap(response.body);
  } else {
    answer_busy(work);
  }
}

// Who may know how far the partition is still may.
void DirectSession::answer_busy(Work& work) {
  const bool is_authorized = work.response.is_authorized;
  work.response.release();
  wire_.door().answer_busy(work.response);
  work.response.is_authorized = is_authorized;
}

net::Detached DirectSession::write_answers() {
  while (true) {
    while (answered_.empty() && !(is_ending_ && works_at_hand_ == 0)) co_await has_output_;
    if (answered_.empty()) break;
    is_sending_ = true;
    if (pause_ && !is_broken_) co_await await_reader();
    while (!answered_.empty() && output_.size() < kOutputBytesMax) {
      Work& work = *answered_.front();
      answered_.pop_front();
      if (!is_broken_) {
        const std::string_view payload =
            append_answer(output_, wire_.service(), work.request, work.response, milliseconds_since(work.started));
        if (payload.size() <= kUncountedBytes) {
          output_.append(payload);
        } else {
          is_broken_ = !co_await send_large(work, payload);
        }
      }
      is_one_of_several_ = works_at_hand_ > 1;
      give_back(work);
      if (pause_) break;
    }
    if (!output_.empty() && !co_await connection_.send(output_)) is_broken_ = true;
    output_.clear();
    last_sent_ = std::chrono::steady_clock::now();
    is_sending_ = false;
    is_drained_.set();
  }
  is_writer_done_.set();
}

net::Task<bool> DirectSession::await_reader() {
  const auto until = last_sent_ + (is_one_of_several_ ? kTimeToReadOneOfSeveral : kTimeToRead);
  const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(until - std::chrono::steady_clock::now());
  if (rest.count() > 0) co_await pause_->wait_for(rest);
  for (int times = 0; times < kTimesToConfirmMax && connection_.unconfirmed_bytes() > 0; ++times) {
    co_await pause_->wait_for(kTimeToConfirm);
  }
  co_return true;
}

net::Task<bool> DirectSession::send_large(Work& work, std::string_view payload) {
  while (is_loan_used_) co_await is_loan_free_;
  const LoanTurn turn(*this);
  connection_.lend(std::move(work.loan));
  co_return co_await connection_.send(output_, payload);
}

// One request is always let in.
bool DirectSession::is_full() const {
  return works_at_hand_ > 0 && (works_at_hand_ >= wire_.limits().requests_at_once_max || held_bytes_ >= kHeldBytesMax);
}

DirectSession::Work& DirectSession::take_work() {
  ++works_at_hand_;
  if (idle_works_.empty()) {
    works_.push_back(std::make_unique<Work>(*this));
    return *works_.back();
  }
  Work* work = idle_works_.back();
  idle_works_.pop_back();
  work->started = std::chrono::steady_clock::now();
  return *work;
}

void DirectSession::give_back(Work& work) {
  hold(work, 0);
  connection_.give_back(work.loan);
  if (work.response.body.capacity() > kUncountedBytes) work.response.release();
  if (work.head.capacity() > kUncountedBytes) std::string().swap(work.head);
  if (work.payload.capacity() > kUncountedBytes) std::string().swap(work.payload);
  --works_at_hand_;
  idle_works_.push_back(&work);
}

void DirectSession::hold(Work& work, size_t bytes) {
  held_bytes_ += bytes - work.held_bytes;
  work.held_bytes = bytes;
}

void DirectSession::release_idle_memory() {
  if (works_at_hand_ > 0 || is_sending_) return;
  std::string().swap(output_);
  idle_works_.clear();
  works_.clear();
}

}  // namespace partita::cosmos::direct
