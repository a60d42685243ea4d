#include "client/client.h"

#include "base/check.h"
#include "base/clock.h"
#include "client/header_names.h"
#include "client/request_text.h"
#include "client/retry.h"
#include "client/session_tokens.h"
#include "client/transport/transport.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <mutex>

namespace partita::client {
namespace {

bool names_range(const Request& request) {
  return std::ranges::any_of(request.headers, [](const Header& each) { return each.first == header::kRangeId; });
}

Failure failure_of_loss(const Loss& loss) {
  switch (loss.kind) {
    case Loss::Kind::kTimeout: return Failure(Error{ErrorCode::kTimeout, loss.message});
    case Loss::Kind::kNotSent:
    case Loss::Kind::kUnknown:
    case Loss::Kind::kNotHttp:
    case Loss::Kind::kNotOpened:
    case Loss::Kind::kClosed: return Failure(Error{ErrorCode::kUnavailable, loss.message});
  }
  return Failure(Error{ErrorCode::kInternal, loss.message});
}

}  // namespace

// Core: what the copies of a client share. Operations refer to it, and the transport, which ends first, finishes them.
class Client::Core {
 public:
  Core(Endpoint endpoint, const Options& options, RequestText text)
      : endpoint_(std::move(endpoint)), options_(options), text_(std::move(text)) {}

  SessionTokens& session(const ContainerName& container) {
    std::lock_guard lock(sessions_mutex_);
    std::unique_ptr<SessionTokens>& tokens = sessions_[container];
    if (!tokens) tokens = std::make_unique<SessionTokens>();
    return *tokens;
  }

  const Endpoint endpoint_;
  const Options options_;
  const RequestText text_;
  const SystemClock clock_;
  std::atomic<uint64_t> sent_{0};
  std::atomic<uint64_t> throttles_{0};
  std::atomic<uint64_t> retries_{0};
  std::atomic<uint64_t> lost_{0};
  std::mutex sessions_mutex_;  // guards sessions_, whose entries never go away
  std::map<ContainerName, std::unique_ptr<SessionTokens>> sessions_;
  std::unique_ptr<Transport> transport_;  // last: it finishes operations, which use the others
};

// Operation: one request of a user, through all its attempts.
class Client::Operation final : public Exchange {
 public:
  Operation(Core& core, const Request& request, SessionTokens* session, Callback callback)
      : core_(core),
        session_(session),
        retry_(core.options_.retry, request.is_repeatable || request.is_read || request.method == "GET", names_range(request)),
        callback_(std::move(callback)) {}

  void finish(std::unique_ptr<Exchange> self, Outcome outcome) override {
    count(outcome);
    if (const auto wait = retry_.wait_after(outcome)) {
      core_.sent_.fetch_add(1, std::memory_order_relaxed);
      core_.retries_.fetch_add(1, std::memory_order_relaxed);
      return core_.transport_->send_after(*wait, std::move(self));
    }
    if (!outcome) return callback_(std::unexpected(failure_of_loss(outcome.error())));
    if (session_ != nullptr) session_->note(outcome->session_token());
    outcome->throttles = retry_.throttles();
    outcome->retries = retry_.retries();
    callback_(*std::move(outcome));
  }

 private:
  void count(const Outcome& outcome) {
    constexpr int kTooManyRequests = 429;
    if (!outcome) {
      core_.lost_.fetch_add(1, std::memory_order_relaxed);
    } else if (outcome->status() == kTooManyRequests) {
      core_.throttles_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  Core& core_;
  SessionTokens* session_;
  RetryState retry_;
  Callback callback_;
};

Result<Client> Client::create(const Options& options) {
  TRY_ASSIGN(Endpoint endpoint, Endpoint::parse(options.endpoint));
  TRY_ASSIGN(RequestText text, RequestText::create(endpoint, options));
  auto core = std::make_shared<Core>(std::move(endpoint), options, std::move(text));
  TRY_ASSIGN(core->transport_, Transport::start(core->endpoint_, core->options_));
  return Client(std::move(core));
}

void Client::send(Request request, Callback callback) const {
  const bool has_session = request.session && core_->options_.keeps_sessions;
  SessionTokens* session = has_session ? &core_->session(*request.session) : nullptr;
  const bool is_read = request.is_read || request.method == "GET";
  const std::string tokens = session != nullptr && is_read ? session->text() : std::string();
  Result<std::string> text = core_->text_.write(request, tokens, core_->clock_.unix_seconds());
  if (!text) return callback(std::unexpected(Failure(std::move(text).error())));
  auto operation = std::make_unique<Operation>(*core_, request, session, std::move(callback));
  operation->text = *std::move(text);
  core_->sent_.fetch_add(1, std::memory_order_relaxed);
  core_->transport_->send(std::move(operation));
}

Answer<Response> Client::send(Request request) const {
  CHECK(!core_->transport_->is_own_thread());
  std::promise<Answer<Response>> promise;
  std::future<Answer<Response>> answer = promise.get_future();
  send(std::move(request),
       [promise = std::move(promise)](Answer<Response> given) mutable { promise.set_value(std::move(given)); });
  return answer.get();
}

Answer<Response> Client::send_expecting_success(Request request) const { return expect_success(send(std::move(request))); }

const Endpoint& Client::endpoint() const { return core_->endpoint_; }

Counters Client::counters() const {
  return {.sent = core_->sent_, .throttles = core_->throttles_, .retries = core_->retries_, .lost = core_->lost_};
}

std::string Client::session_tokens(const ContainerName& container) const { return core_->session(container).text(); }

void Client::forget_session(const ContainerName& container) const { core_->session(container).clear(); }

Answer<Response> expect_success(Answer<Response> answer) {
  if (!answer || answer->is_success()) return answer;
  return std::unexpected(failure_of(*answer));
}

}  // namespace partita::client
