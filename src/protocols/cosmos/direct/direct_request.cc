#include "protocols/cosmos/direct/direct_request.h"

#include "base/encodings.h"
#include "protocols/cosmos/codec/header_names.h"
#include "protocols/cosmos/direct/replica_path.h"
#include "protocols/cosmos/direct/wire_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

namespace partita::cosmos::direct {

// What is done, by its number: in REST a method, on a resource or on the feed that it is in, and what else says so there.
struct DirectRequest::Verb {
  uint16_t operation;
  std::string_view method;
  bool is_feed;
  bool reads = false;  // as far as conditions are concerned
  std::string_view header = {};
};

// A kind of resource, by its number: the tokens with the names that lead to it, and what its resource id has in bytes.
struct DirectRequest::Kind {
  uint16_t number;
  std::array<uint16_t, 3> names;
  std::array<std::string_view, 3> segments;
  std::array<uint8_t, 3> rid_bytes;

  size_t levels() const { return static_cast<size_t>(std::ranges::find(names, 0) - names.begin()); }
  bool is_in_container() const { return names[1] == 0x0016 && names[2] != 0; }
  bool is_container() const { return names[1] == 0x0016 && names[2] == 0; }
};

namespace {

constexpr std::string_view kTrue = "True";
constexpr std::string_view kQueryType = "application/query+json";
constexpr int64_t kAll = 0xFFFF'FFFF;
constexpr int64_t kLatestCommitted = 3;
constexpr size_t kContainerRidBytes = 8;
constexpr char kContainerBit = static_cast<char>(0x80);  // of the fifth byte of a resource id; users have it clear

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
         c == '~';
}

void append_name(std::string& out, std::string_view name) {
  if (std::ranges::all_of(name, is_unreserved)) {
    out.append(name);
  } else {
    out.append(percent_encode(name));
  }
}

// Base64 of a resource id's beginning, as in `_rid`.
std::string rid_text(std::string_view bytes) {
  std::string text = base64(bytes);
  std::ranges::replace(text, '/', '-');
  return text;
}

}  // namespace

bool DirectRequest::read(const RequestHead& head, std::string_view tokens, std::string_view version) {
  clear();
  activity_id_ = head.activity_id;
  write_guid_text(activity_text_.data(), {activity_id_.data(), activity_id_.size()});
  TokenReader reader(tokens);
  Token token;
  while (reader.next(token)) {
    if (const RequestToken* known = find_request_token(token.id)) take(*known, token);
  }
  if (reader.is_broken()) return false;
  translate(head, version);
  return true;
}

void DirectRequest::clear() {
  request_.method = request_.path = request_.query = request_.body = {};
  request_.headers.clear();
  request_.announced_bytes.reset();
  request_.wire = kWireName;
  request_.is_tls = true;
  mistake_.reset();
  path_.clear();
  text_bytes_ = 0;
  names_.fill(std::nullopt);
  resource_id_.reset();
  container_rid_.reset();
  match_.reset();
  transport_id_ = 0;
  has_payload_ = is_at_primary_ = names_range_ = names_key_ = insists_on_container_ = is_barrier_ = false;
  wants_latest_committed_ = false;
}

void DirectRequest::take(const RequestToken& known, const Token& token) {
  if (known.form == RequestForm::kIgnored || known.form == RequestForm::kGuid) return;
  if (const auto text = token.text()) return take_text(known, *text);
  if (const auto number = token.number()) return take_number(known, *number);
  refuse(ErrorCode::kInvalidInput, fmt::format("The token {} has no value of its type.", known.name));
}

void DirectRequest::take_text(const RequestToken& known, std::string_view text) {
  switch (known.form) {
    case RequestForm::kText:
      if (known.header == header::kPartitionKeyRangeId) names_range_ = true;
      if (known.header == header::kPartitionKey) names_key_ = !text.empty();
      if (known.header == header::kIntendedContainerRid) insists_on_container_ = true;
      return set_header(known.header, text);
    case RequestForm::kMatch: match_ = text; return;
    case RequestForm::kName: name_of(known.id) = text; return;
    case RequestForm::kResourceId: resource_id_ = text; return;
    case RequestForm::kContainerRid: container_rid_ = text; return;
    case RequestForm::kReplicaPath: is_at_primary_ = is_primary_path(text); return;
    default: return refuse(ErrorCode::kInvalidInput, fmt::format("The token {} is a number, not a text.", known.name));
  }
}

void DirectRequest::take_number(const RequestToken& known, int64_t number) {
  switch (known.form) {
    case RequestForm::kFlag:
      if (number != 0) set_header(known.header, kTrue);
      return;
    case RequestForm::kCount:
      if (number == kAll) return set_header(known.header, "-1");
      [[fallthrough]];
    case RequestForm::kNumber: {
      std::array<char, 20> digits{};
      const char* end = std::to_chars(digits.begin(), digits.end(), number).ptr;
      return set_header(known.header, keep({digits.data(), end}));
    }
    case RequestForm::kChoice:
      if (const std::string_view text = choice_text(known, number); !text.empty()) set_header(known.header, text);
      return;
    case RequestForm::kPayloadPresent: has_payload_ = number != 0; return;
    case RequestForm::kTransportId: transport_id_ = static_cast<uint32_t>(number); return;
    case RequestForm::kReadStrategy: wants_latest_committed_ = number == kLatestCommitted; return;
    default: return refuse(ErrorCode::kInvalidInput, fmt::format("The token {} is a text, not a number.", known.name));
  }
}

void DirectRequest::translate(const RequestHead& head, std::string_view version) {
  static constexpr std::array kVerbs = {
      Verb{0x01, "POST", true},
      Verb{0x02, "PATCH", false},
      Verb{0x03, "GET", false, true},
      Verb{0x04, "GET", true, true},
      Verb{0x05, "DELETE", false},
      Verb{0x06, "PUT", false},
      Verb{0x08, "POST", false},
      Verb{0x0F, "POST", true, false, header::kIsQuery},
      Verb{0x11, "HEAD", false, true},
      Verb{0x12, "HEAD", true, true},
      Verb{0x13, "POST", true, false, header::kIsUpsert},
      Verb{0x25, "POST", true, false, header::kIsBatch},
  };
  static constexpr std::array kKinds = {
      Kind{0x01, {0x0015, 0, 0}, {"dbs"}, {4}},
      Kind{0x02, {0x0015, 0x0016, 0}, {"dbs", "colls"}, {4, 8}},
      Kind{0x03, {0x0015, 0x0016, 0x0017}, {"dbs", "colls", "docs"}, {4, 8, 16}},
      Kind{0x05, {0x0015, 0x0019, 0}, {"dbs", "users"}, {4, 8}},
      Kind{0x06, {0x0015, 0x0019, 0x001A}, {"dbs", "users", "permissions"}, {4, 8, 16}},
      Kind{0x07, {0x0015, 0x0016, 0x001B}, {"dbs", "colls", "sprocs"}, {4, 8, 16}},
      Kind{0x08, {0x0015, 0x0016, 0x0020}, {"dbs", "colls", "conflicts"}, {4, 8, 16}},
  };
  const auto* verb = std::ranges::find(kVerbs, head.operation, &Verb::operation);
  const auto* kind = std::ranges::find(kKinds, head.kind, &Kind::number);
  if (verb == kVerbs.end() || kind == kKinds.end()) {
    return refuse(ErrorCode::kMethodNotAllowed,
                  fmt::format("The operation {:#x} on resources of the kind {:#x} is not served in direct mode.", head.operation,
                              head.kind));
  }
  if (mistake_) return;
  is_barrier_ = verb->method == "HEAD";
  request_.method = verb->method;
  write_path(*kind, verb->is_feed);
  check_container(*kind);
  // Every read here is of what was committed last. The level that is sent along says how the client compares replicas, and may be
  // stronger than the account's.
  if (wants_latest_committed_) {
    std::erase_if(request_.headers, [](const net::HttpHeader& sent) { return sent.name == header::kConsistencyLevel; });
  }
  add_headers(*verb, version);
}

void DirectRequest::write_path(const Kind& kind, bool is_feed) {
  // Where both are given, the names decide.
  const bool is_root_feed = is_feed && kind.levels() == 1;
  if (name_of(kind.names[0]) || is_root_feed) {
    write_path_by_names(kind, is_feed);
  } else {
    write_path_by_rid(kind, is_feed);
  }
  request_.path = path_;
}

void DirectRequest::write_path_by_names(const Kind& kind, bool is_feed) {
  const size_t levels = kind.levels();
  for (size_t level = 0; level < levels; ++level) {
    path_ += '/';
    path_ += kind.segments[level];
    if (is_feed && level + 1 == levels) return;
    const std::optional<std::string_view>& name = name_of(kind.names[level]);
    if (!name || name->empty()) {
      return refuse(ErrorCode::kInvalidInput, fmt::format("The request names nothing of '{}'.", kind.segments[level]));
    }
    path_ += '/';
    append_name(path_, *name);
  }
}

// The resource id has those of all that lead to it as its beginnings; for a feed it is that of the owner.
void DirectRequest::write_path_by_rid(const Kind& kind, bool is_feed) {
  const size_t named = kind.levels() - (is_feed ? 1 : 0);
  const std::string_view rid = resource_id_.value_or(std::string_view());
  const bool is_user = kind.segments[1] == "users";
  const bool has_second = named >= 2;
  if (rid.size() != kind.rid_bytes[named - 1] || (has_second && ((rid[4] & kContainerBit) == 0) != is_user)) {
    return refuse(ErrorCode::kInvalidInput,
                  fmt::format("The request has neither names nor a resource id of '{}'.", kind.segments[named - 1]));
  }
  for (size_t level = 0; level < kind.levels(); ++level) {
    path_ += '/';
    path_ += kind.segments[level];
    if (level == named) return;
    path_ += '/';
    path_ += rid_text(rid.substr(0, kind.rid_bytes[level]));
  }
}

// What the client's cache believes is checked as what it insists on; how it is told differs (direct_answer.cc).
void DirectRequest::check_container(const Kind& kind) {
  if (insists_on_container_ || !name_of(0x0015) || !(kind.is_container() || kind.is_in_container())) return;
  if (container_rid_ && !container_rid_->empty()) return set_header(header::kIntendedContainerRid, *container_rid_);
  const bool is_in_some = resource_id_ && resource_id_->size() >= kContainerRidBytes && ((*resource_id_)[4] & kContainerBit) != 0;
  if (is_in_some) set_header(header::kIntendedContainerRid, keep(rid_text(resource_id_->substr(0, kContainerRidBytes))));
}

void DirectRequest::add_headers(const Verb& verb, std::string_view version) {
  if (match_) set_header(verb.reads ? header::kIfNoneMatch : header::kIfMatch, *match_);
  if (!request_.find_header(header::kApiVersion)) set_header(header::kApiVersion, version);
  set_header(header::kActivityId, activity_text());
  if (!verb.header.empty()) set_header(verb.header, kTrue);
  if (verb.header == header::kIsQuery) {
    set_header(header::kContentType, kQueryType);
    // Whoever names no partition has left them all to the server.
    set_header(header::kEnableCrossPartition, kTrue);
  }
}

void DirectRequest::set_header(std::string_view name, std::string_view value) {
  const auto known = std::ranges::find_if(request_.headers, [&](const auto& each) { return each.name.data() == name.data(); });
  if (known != request_.headers.end()) {
    known->value = value;
  } else {
    request_.headers.push_back({name, value});
  }
}

std::string_view DirectRequest::keep(std::string_view text) {
  if (text.size() > texts_.size() - text_bytes_) {
    refuse(ErrorCode::kInvalidInput, "The request has the same token too often.");
    return {};
  }
  char* begin = texts_.data() + text_bytes_;
  std::memcpy(begin, text.data(), text.size());
  text_bytes_ += text.size();
  return {begin, text.size()};
}

void DirectRequest::refuse(ErrorCode code, std::string message) {
  if (!mistake_) mistake_ = Error{code, std::move(message)};
}

}  // namespace partita::cosmos::direct
