#include "protocols/cosmos/exchange.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "document/number.h"
#include "partition/charge/request_units.h"
#include "partition/charge/throttling.h"
#include "protocols/cosmos/direct/wire_name.h"
#include "protocols/cosmos/errors.h"

#include <fmt/format.h>

namespace partita::cosmos {
namespace {

constexpr std::string_view kServiceVersion = "version=2.14.0.0";
constexpr std::string_view kGatewayVersion = "version=2.14.0";

bool is_work(ErrorCode code) {
  return code == ErrorCode::kNotFound || code == ErrorCode::kAlreadyExists || code == ErrorCode::kPreconditionFailed;
}

// As a part of a URL: clients that send bytes beyond ASCII as they are get them back percent-encoded.
void append_link(std::string& out, std::string_view text) {
  bool is_plain = true;
  for (const char c : text) is_plain &= c > ' ' && c < 0x7F;
  if (is_plain) {
    out += text;
    return;
  }
  for (const char& c : text) {
    const bool is_printable = c > ' ' && c < 0x7F;
    out += is_printable ? std::string(1, c) : percent_encode(std::string_view(&c, 1));
  }
}

}  // namespace

bool Exchange::is_direct() const { return request_.wire == direct::kWireName; }

bool Exchange::is_header_true(std::string_view name) const { return net::equal_without_case(header(name), "true"); }

bool Exchange::speaks_version(std::string_view date) const {
  const std::string_view version = header(header::kApiVersion);
  return version.empty() || version >= date;
}

Status Exchange::computed_key_status() const {
  if (!computed_key_ || *computed_key_) return {};
  return std::unexpected(computed_key_->error());
}

Result<std::optional<PartitionKey>> Exchange::partition_key() const {
  if (computed_key_ && *computed_key_) return **computed_key_;
  const std::optional<std::string_view> text = request_.find_header(header::kPartitionKey);
  if (!text || text->empty()) return std::nullopt;
  TRY_ASSIGN(PartitionKey key, PartitionKey::parse(*text));
  return key;
}

void Exchange::set_charge(double charge) {
  if (std::exchange(has_charge_, true)) return;
  char text[kNumberTextBytesMax];
  response_.header(header::kRequestCharge, std::string_view(text, write_double(text, charge)));
}

void Exchange::set_session(const PartitionPlace& place, Lsn lsn) {
  std::string token;
  append_session_token(token, place.range_id, lsn.value, session_token_shape(header(header::kApiVersion)));
  response_.header(header::kSessionToken, token);
  response_.header(header::kLsn, std::string_view(fmt::format_int(lsn.value).c_str()));
  response_.header(header::kPartitionKeyRangeId, place.range_id);
}

void Exchange::set_owner(const Container& container) {
  response_.header(header::kOwnerFullName, container.name_link);
  response_.header(header::kOwnerRid, container.rid());
}

void Exchange::set_owner(const Database& database) {
  response_.header(header::kOwnerFullName, fmt::format("dbs/{}", printable_id(database.id)));
  response_.header(header::kOwnerRid, database.rid());
}

void Exchange::answer_json(int status, const Value& body) {
  append_json(response_.body, body);
  finish(status);
}

void Exchange::answer_with(int status, std::string_view body) {
  response_.body = body;
  finish(status);
}

void Exchange::answer_error(const Error& error, std::string_view additional) {
  const WireError wire = wire_error(error);
  if (error.charge > 0) set_charge(error.charge);
  if (is_work(error.code)) set_charge(kFailedLookupCharge);  // unless it was more
  if (const auto wait_ms = retry_after_ms(error)) response_.header(header::kRetryAfter, std::to_string(*wait_ms));
  if (wire.sub_status != 0) response_.header(header::kSubStatus, std::to_string(wire.sub_status));
  response_.body.clear();
  append_error_body(response_.body, error, activity_id_, additional);
  finish(wire.status);
}

void Exchange::answer(const Status& outcome, int status) {
  if (!outcome) return answer_error(outcome.error());
  answer(status);
}

// Where the client got this from, as it sees it.
void Exchange::set_location() {
  std::string location = request_.is_tls ? "https://" : "http://";
  append_link(location, header(header::kHost));
  append_link(location, request_.path);
  response_.header("Content-Location", location);
}

void Exchange::answer_bytes(int status, std::string_view content_type, std::string bytes) {
  response_.body = std::move(bytes);
  response_.header(header::kContentType, content_type);
  finish_as_is(status);
}

void Exchange::finish(int status) {
  if (!response_.body.empty()) response_.header(header::kContentType, "application/json");
  finish_as_is(status);
}

void Exchange::finish_as_is(int status) {
  response_.status = status;
  response_.is_outcome = operation_.is_write() && status < 400;
  set_charge(0);
  if (is_direct()) return done_();  // the rest is said by the frame, or when the connection begins
  response_.header(header::kActivityId, activity_id_);
  set_location();
  response_.header("x-ms-gatewayversion", kGatewayVersion);
  response_.header("x-ms-serviceversion", kServiceVersion);
  response_.header("x-ms-schemaversion", kSchemaVersion);
  done_();
}

}  // namespace partita::cosmos
