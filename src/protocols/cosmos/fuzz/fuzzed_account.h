#pragma once

#include "base/check.h"
#include "base/encodings.h"
#include "document/json/json.h"
#include "net/http/http_parser.h"
#include "net/input_buffer.h"
#include "protocols/cosmos/codec/batch/record_stream.h"
#include "protocols/cosmos/fuzz/request_seeds.h"
#include "protocols/cosmos/fuzz/request_text.h"
#include "protocols/cosmos/in_process_account.h"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace partita::cosmos::fuzz {

// Requests that changed something, after which an account is better made anew.
inline constexpr size_t kChangesMax = 2000;
inline constexpr script::ScriptLimits kScriptLimits{.accepts = std::chrono::milliseconds(1000),
                                                    .total = std::chrono::milliseconds(2000)};

// FuzzedAccount: an account with something of everything, and what it has told its clients.
class FuzzedAccount {
 public:
  // `script_host`: the program that runs scripts.
  explicit FuzzedAccount(std::string script_host) : account_(std::move(script_host), kScriptLimits) {
    for (const std::string_view text : seed_texts()) add_seed(text);
    for (const std::string_view text : refused_seed_texts()) seeds_.emplace_back(text);
    seeds_.push_back(batch_of_rows());
    changes_ = 0;
  }

  // Sends a request that must succeed, and keeps it to start from.
  void add_seed(std::string_view text) {
    const std::string seed = with_known(text);
    const InProcessAccount::Answer answer = send(parse_request(seed));
    CHECK_MESSAGE(answer.status != 0 && answer.status < 400, seed + "\n" + answer.header_block + answer.body);
    learn(answer, seed);
    seeds_.push_back(seed);
  }

  // What a request is signed with, when its authorization asks for that: by whoever has the key.
  using Sign = std::function<std::string(std::string_view key, const net::HttpRequest& request)>;
  // From now on requests go to this, which outlives them, and are signed for it.
  void serve_through(net::HttpHandler& handler, Sign sign) {
    account_.serve_through(handler);
    sign_ = std::move(sign);
  }
  InProcessAccount& account() { return account_; }

  bool is_worn() const { return changes_ >= kChangesMax; }
  const std::vector<std::string>& seeds() const { return seeds_; }
  const std::vector<std::string>& tokens() const { return tokens_; }

  // Answers with status 0 where the connection would be closed instead.
  InProcessAccount::Answer send(const RequestText& text) {
    net::HttpLimits limits;
    net::HttpParser parser(limits);
    net::InputBuffer input;
    input.append(wire_text(text));
    if (parser.advance(input) != net::HttpParser::Progress::kComplete) return {};
    net::HttpRequest& request = parser.request();
    const std::string signature = authorization_of(request);
    for (net::HttpHeader& header : request.headers) {
      if (net::equal_without_case(header.name, "authorization") && !signature.empty()) header.value = signature;
    }
    if (!signature.empty()) request.headers.push_back({"x-ms-date", InProcessAccount::kNow});
    InProcessAccount::Answer answer = account_.refusal(request);
    if (answer.status != 0) return answer;
    answer = account_.handle(request);
    const bool is_change = request.method != "GET" && answer.status >= 200 && answer.status < 300;
    changes_ += is_change ? 1 : 0;
    return answer;
  }

 private:
  // Empty: as it is.
  std::string authorization_of(const net::HttpRequest& request) const {
    const std::string_view wanted = request.header("authorization");
    if (wanted == "token") return known_.at("token");
    if (wanted != "key" && wanted != "readonly") return {};
    const std::string_view key = wanted == "key" ? InProcessAccount::kKey : InProcessAccount::kReadOnlyKey;
    return sign_(key, request);
  }

  std::string with_known(std::string_view text) const {
    std::string out(text);
    for (const auto& [name, value] : known_) {
      for (size_t at = out.find("$" + name); at != std::string::npos; at = out.find("$" + name, at + value.size())) {
        out.replace(at, name.size() + 1, value);
      }
    }
    return out;
  }

  void note(const std::string& name, std::string_view value) {
    if (value.empty()) return;
    known_[name] = value;
    tokens_.emplace_back(value);
  }

  // What later requests may quote.
  void learn(const InProcessAccount::Answer& answer, std::string_view seed) {
    note("continuation", answer.header("x-ms-continuation"));
    note("etag", answer.header("etag"));
    note("session", answer.header("x-ms-session-token"));
    const Result<std::string> stored = stored_from_json(answer.body);
    if (!stored) return;
    const Value body = Value::view(*stored);
    const auto text = [&](std::string_view name) {
      return body.find(name).is_string() ? body.find(name).string() : std::string_view();
    };
    const std::string_view self = text("_self");
    const std::string_view link = self.substr(0, self.size() - (self.ends_with('/') ? 1 : 0));
    if (self.find("/docs/") != std::string_view::npos && text("id") == "d1") note("item", link);
    if (seed.find("\"id\":\"c\"") != std::string_view::npos) note("container", link);
    note("rid", text("_rid"));
    note("token", text("_token"));
    if (text("media").starts_with("/media/")) note("media", text("media").substr(1));
    if (!text("offerResourceId").empty()) known_["body"] = answer.body;
    const Value offers = body.find("Offers");
    if (offers.is_array()) note("offer", offers.element(0).find("_rid").string());
  }

  // As .NET clients write it: one creation.
  static std::string batch_of_rows() {
    RequestText request = parse_request(
        "POST /dbs/db/colls/c/docs\nauthorization: key\nx-ms-cosmos-is-batch-request: True\nx-ms-cosmos-batch-atomic: True\n"
        "x-ms-documentdb-partitionkey: [\"k1\"]\n\n");
    request.body = *from_hex("81F0D8FF7F010A000000");
    std::string row = *from_hex("817054E17F43000000000200000015");
    row += R"({"id":"r1","pk":"k1"})";
    append_record(request.body, row);
    return print_request(request);
  }

  InProcessAccount account_;
  Sign sign_ = [](std::string_view key, const net::HttpRequest& request) {
    return InProcessAccount::signature(key, request.method, request.path, request.query);
  };
  std::map<std::string, std::string> known_;
  std::vector<std::string> seeds_;
  std::vector<std::string> tokens_;
  size_t changes_ = 0;
};

}  // namespace partita::cosmos::fuzz
