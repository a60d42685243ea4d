#pragma once

#include "base/result.h"
#include "base/turn.h"
#include "cluster/resources.h"
#include "document/stored/stored_writer.h"
#include "net/http/http_message.h"
#include "protocols/cosmos/codec/header_names.h"
#include "protocols/cosmos/codec/resource_path.h"
#include "protocols/cosmos/codec/session_token.h"
#include "protocols/cosmos/operation.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace partita::cosmos {

// Told with every answer, and read by nobody.
inline constexpr std::string_view kSchemaVersion = "1.18";

// What the bearer of a token is held to where only the handler knows whether a request keeps to it, because that depends on the
// body or on what is stored. Holders of account keys are held to nothing.
struct TokenLimits {
  std::optional<PartitionKey> key;  // only documents with this whole partition key
  bool is_one_resource = false;     // only what the path names, which keeps its id
};

// WorkerTurn: the job on whose thread a request is being answered; while that lasts.
struct WorkerTurn {
  std::thread::id thread;
  Turn* turn = nullptr;  // for that thread only; null when the job has ended
};

// Exchange: one request and the answer to it, from routing to the last header. Not thread-safe; owned by whoever answers next.
//
// Exactly one of the answer functions ends it: after that nothing may touch it.
class Exchange {
 public:
  Exchange(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done, std::string activity_id,
           ResourcePath path, const Operation& operation)
      : request_(request),
        response_(response),
        done_(std::move(done)),
        activity_id_(std::move(activity_id)),
        path_(std::move(path)),
        operation_(operation) {}

  const net::HttpRequest& request() const { return request_; }
  net::HttpResponse& response() { return response_; }
  const ResourcePath& path() const { return path_; }
  const Operation& operation() const { return operation_; }
  const TokenLimits& limits() const { return limits_; }
  void set_limits(TokenLimits limits) { limits_ = std::move(limits); }
  const std::string& activity_id() const { return activity_id_; }
  // Of the job that this thread is answering the request in; null on any other thread, such as that of a connection.
  Turn* turn() const { return turn_ && turn_->thread == std::this_thread::get_id() ? turn_->turn : nullptr; }
  void set_turn(std::shared_ptr<const WorkerTurn> turn) { turn_ = std::move(turn); }

  std::string_view header(std::string_view name) const { return request_.header(name); }
  // Whether it came in direct mode (direct/): from a client that reads from several replicas, and is told more of each.
  bool is_direct() const;
  // Headers that are on when they say "true", in any case.
  bool is_header_true(std::string_view name) const;
  // Whether the client speaks this version of the API (a date) or a later one.
  bool speaks_version(std::string_view date) const;

  // The partition key of the request, if it has one. kInvalidInput when it cannot be read.
  Result<std::optional<PartitionKey>> partition_key() const;
  // From now on that is the request's partition key, whatever its header says. An error is told as computed_key_status(), and
  // ends the request. Set before anybody judges the request by its key.
  void set_computed_key(Result<PartitionKey> key) { computed_key_ = std::move(key); }
  // Why the properties that the request gives instead of a key (header::kKeyOf) are no key.
  Status computed_key_status() const;

  // Parts of the answer.
  // Once; an answer without it says that nothing was charged.
  void set_charge(double charge);
  void set_etag(std::string_view etag) { response_.header(header::kEtag, etag); }
  void set_session(const PartitionPlace& place, Lsn lsn);
  // What the answered resource belongs to: clients keep sessions by it.
  void set_owner(const Container& container);
  void set_owner(const Database& database);

  // Answers.
  void answer(int status) { answer_with(status, {}); }
  void answer_json(int status, const Value& body);
  void answer_with(int status, std::string_view body);
  // Something else than JSON.
  void answer_bytes(int status, std::string_view content_type, std::string bytes);
  void answer_error(const Error& error, std::string_view additional = {});
  void answer(const Status& outcome, int status);
  // Sends what was written into response().body already.
  void finish(int status);

 private:
  void set_location();
  // Everything but the type of the body.
  void finish_as_is(int status);

  const net::HttpRequest& request_;
  net::HttpResponse& response_;
  net::HttpDone done_;
  std::string activity_id_;
  ResourcePath path_;
  Operation operation_;
  TokenLimits limits_;
  std::optional<Result<PartitionKey>> computed_key_;
  std::shared_ptr<const WorkerTurn> turn_;
  bool has_charge_ = false;
};

using ExchangePtr = std::unique_ptr<Exchange>;

}  // namespace partita::cosmos
