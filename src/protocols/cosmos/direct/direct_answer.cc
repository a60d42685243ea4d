#include "protocols/cosmos/direct/direct_answer.h"

#include "base/encodings.h"
#include "protocols/cosmos/direct/position.h"
#include "protocols/cosmos/direct/replica_path.h"
#include "protocols/cosmos/direct/response_tokens.h"
#include "protocols/cosmos/errors.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace partita::cosmos::direct {
namespace {

constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kMethodNotAllowed = 405;
constexpr int kGone = 410;
constexpr int kTooLarge = 413;

constexpr uint32_t kNameCacheStale = 1000;
constexpr uint32_t kRangeGone = 1002;
constexpr uint32_t kCompletingSplit = 1007;
constexpr uint32_t kContainerMismatch = 1024;

template <typename T>
T parsed(std::string_view text) {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Wherever it is sent, it is answered like this: clients need not ask other replicas.
bool is_wrong_everywhere(int status) {
  return status == kBadRequest || status == kUnauthorized || status == kForbidden || status == kMethodNotAllowed ||
         status == kTooLarge;
}

// AnswerWriter: the tokens of one answer.
class AnswerWriter {
 public:
  AnswerWriter(std::string& out, const DirectRequest& request, int status)
      : out_(out),
        request_(request),
        status_(status),
        begin_(begin_response_head(out, static_cast<uint32_t>(status), request.activity_id())) {}

  // The two that clients look for first.
  void begin(bool has_payload) {
    append_token(out_, response_token::kPayloadPresent, static_cast<uint8_t>(has_payload));
    append_token(out_, response_token::kTransportId, request_.transport_id());
  }
  void add_headers(std::string_view block) {
    while (!block.empty()) {
      const size_t end = block.find("\r\n");
      const std::string_view line = block.substr(0, end);
      const size_t colon = line.find(": ");
      if (const ResponseToken* token = find_response_token(line.substr(0, colon))) add(*token, line.substr(colon + 2));
      block.remove_prefix(end + 2);
    }
  }
  void add_position(const Position& position) {
    add_lsn(position.lsn);
    if (position.range_id.empty()) return;
    append_string(out_, response_token::kPartitionKeyRangeId, position.range_id);
    append_string(out_, response_token::kSessionToken, "-1#" + std::to_string(position.lsn));
  }
  void finish(double duration_ms) {
    append_token(out_, response_token::kRequestCharge, charge_);
    append_token(out_, response_token::kNumberOfReadRegions, uint32_t{0});
    append_token(out_, response_token::kRequestDuration, duration_ms);
    append_small_string(out_, response_token::kSchemaVersion, kSchemaVersion);
    if (sub_status_ != 0) append_token(out_, response_token::kSubStatus, sub_status_);
    if (is_wrong_everywhere(status_)) append_token(out_, response_token::kRequestValidationFailure, uint8_t{1});
    set_response_status(out_, begin_, static_cast<uint32_t>(status_));
    finish_response_head(out_, begin_);
  }

  bool has_lsn() const { return has_lsn_; }
  int status() const { return status_; }
  uint32_t sub_status() const { return sub_status_; }
  void set_error(int status, uint32_t sub_status) {
    status_ = status;
    sub_status_ = sub_status;
  }

 private:
  void add(const ResponseToken& token, std::string_view text) {
    switch (token.form) {
      case ResponseForm::kOwn: return;
      case ResponseForm::kText: return append_string(out_, token.id, text);
      case ResponseForm::kLink: return add_link(token.id, text);
      case ResponseForm::kNumber: return append_token(out_, token.id, parsed<uint32_t>(text));
      case ResponseForm::kCharge: charge_ = parsed<double>(text); return;
      case ResponseForm::kFlag: return append_token(out_, token.id, static_cast<uint8_t>(text == "true"));
      case ResponseForm::kSession: return append_string(out_, token.id, text.substr(text.find(':') + 1));
      case ResponseForm::kLsn: return add_lsn(parsed<uint64_t>(text));
      case ResponseForm::kItemLsn: return add_item_lsn(parsed<int64_t>(text));
      case ResponseForm::kSubStatus: sub_status_ = parsed<uint32_t>(text); return;
    }
  }
  void add_link(uint16_t id, std::string_view text) {
    if (!text.contains('%')) return append_string(out_, id, text);
    append_string(out_, id, percent_decode(text).value_or(std::string(text)));
  }
  // Clients take a position of 0 for none. Nothing is behind on a single node, so every number that they compare is this one.
  void add_lsn(uint64_t value) {
    has_lsn_ = true;
    const auto lsn = static_cast<int64_t>(std::max<uint64_t>(value, 1));
    append_token(out_, response_token::kLsn, lsn);
    append_token(out_, response_token::kLocalLsn, lsn);
    append_token(out_, response_token::kGlobalCommittedLsn, lsn);
    if (!request_.is_at_primary()) return;
    append_token(out_, response_token::kQuorumAckedLsn, lsn);
    append_token(out_, response_token::kQuorumAckedLocalLsn, lsn);
    append_token(out_, response_token::kCurrentWriteQuorum, static_cast<uint32_t>(kWriteQuorum));
    append_token(out_, response_token::kCurrentReplicaSetSize, static_cast<uint32_t>(kReplicas));
  }
  void add_item_lsn(int64_t lsn) {
    append_token(out_, response_token::kItemLsn, lsn);
    append_token(out_, response_token::kItemLocalLsn, lsn);
  }

  std::string& out_;
  const DirectRequest& request_;
  int status_;
  const size_t begin_;
  double charge_ = 0;
  uint32_t sub_status_ = 0;
  bool has_lsn_ = false;
};

// Some errors mean something else to clients that look for partitions and containers themselves.
void translate_error(AnswerWriter& writer, const DirectRequest& request) {
  // They look at the map of ranges again because of the first only where they sent a request to a range, and not to a key; else
  // their program is told. Because of the second they always do.
  if (writer.status() == kGone && writer.sub_status() == kRangeGone && (request.names_key() || !request.names_range()))
    return writer.set_error(kGone, kCompletingSplit);
  if (writer.status() == kBadRequest && writer.sub_status() == kContainerMismatch && !request.insists_on_container())
    writer.set_error(kGone, kNameCacheStale);
}

// What a barrier asks for; else nothing, also when it is refused now. Positions are of different sequences: without its partition
// there is none to tell.
std::optional<Position> barrier_position(const Service& service, const DirectRequest& request, net::HttpResponse& response) {
  if (!request.is_barrier() || response.status >= kBadRequest) return std::nullopt;
  Position position = position_of(service, request.request());
  if (!position.is_of_unknown_range) return position;
  fill_error(response, {ErrorCode::kPartitionGone, "The container has no such partition key range, or no longer has it."},
             request.activity_text());
  return std::nullopt;
}

}  // namespace

std::string_view append_answer(std::string& out, const Service& service, const DirectRequest& request,
                               net::HttpResponse& response, double duration_ms) {
  const std::optional<Position> barrier = barrier_position(service, request, response);
  const std::string_view payload = barrier ? std::string_view() : response.body;
  AnswerWriter writer(out, request, response.status);
  writer.begin(!payload.empty());
  if (barrier) {
    writer.add_position(*barrier);
  } else {
    writer.add_headers(response.header_block());
    translate_error(writer, request);
  }
  // Who may not ask is told nothing of where things are.
  if (!writer.has_lsn()) writer.add_position(response.is_authorized ? position_of(service, request.request()) : Position{});
  writer.finish(duration_ms);
  if (!payload.empty()) append_little_endian(out, static_cast<uint32_t>(payload.size()));
  return payload;
}

void fill_error(net::HttpResponse& response, const Error& error, std::string_view activity_id) {
  const WireError wire = wire_error(error);
  const bool is_authorized = response.is_authorized;
  response.clear();
  response.is_authorized = is_authorized;
  response.status = wire.status;
  if (wire.sub_status != 0) response.header(header::kSubStatus, std::to_string(wire.sub_status));
  append_error_body(response.body, error, activity_id);
}

}  // namespace partita::cosmos::direct
