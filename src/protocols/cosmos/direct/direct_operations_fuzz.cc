#include "base/check.h"
#include "protocols/cosmos/direct/direct_answer.h"
#include "protocols/cosmos/direct/direct_request.h"
#include "protocols/cosmos/direct/frame_builder.h"
#include "protocols/cosmos/direct/request_tokens.h"
#include "protocols/cosmos/fuzz/answer_check.h"
#include "protocols/cosmos/fuzz/fuzzed_account.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// Frames from their bytes to those of their answers, at an account that has something of everything. An input is one frame; whose
// authorization is "key", "readonly" or "token" is signed as the account's owner or bearer would.
using namespace partita;
using namespace partita::cosmos;
using namespace partita::cosmos::direct;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr uint16_t kAuthorization = 0x0001;

FrameBuilder on_items(uint16_t operation, std::string_view item = {}) {
  FrameBuilder frame(3, operation);
  frame.text(kAuthorization, "key").text(0x15, "db").text(0x16, "c").number(0x4D, 1).text(0x13, "/x/replicas/1p");
  if (!item.empty()) frame.text(0x17, item);
  return frame.text(0x2B, R"(["k1"])");
}

// One of every kind of request.
std::vector<std::string> seed_frames() {
  const auto named = [](uint16_t kind, uint16_t operation) {
    return FrameBuilder(kind, operation).text(kAuthorization, "key").text(0x15, "db").number(0x4D, 1);
  };
  return {
      on_items(0x01).build(R"({"id":"f1","pk":"k1"})"),
      on_items(0x13).text(0x08, "*").build(R"({"id":"f1","pk":"k1","n":1})"),
      on_items(0x03, "d1").text(0x08, "\"e\"").text(0x05, "0:-1#1").byte(0x10, 2).build(),
      on_items(0x06, "d1").byte(0x82, 1).build(R"({"id":"d1","pk":"k1","n":3})"),
      on_items(0x02, "d1").build(R"({"operations":[{"op":"set","path":"/n","value":1}]})"),
      on_items(0x05, "f1").build(),
      on_items(0x04).number(0x04, 1).bytes(0x62, "05C1").bytes(0x63, "15C1").byte(0x64, 3).build(),
      on_items(0x04).text(0x3F, "Incremental Feed").text(0x08, "*").text(0x2C, "0").build(),
      on_items(0x0F).number(0x04, 0xFFFF'FFFF).byte(0x42, 1).byte(0xA9, 1).build(R"({"query":"SELECT * FROM c WHERE c.n > 0"})"),
      on_items(0x0F).text(0x2C, "0").text(0x06, "x").build(R"({"query":"SELECT c.n FROM c ORDER BY c.n"})"),
      on_items(0x25).byte(0x73, 1).build(R"([{"operationType":"Upsert","resourceBody":{"id":"b","pk":"k1"}}])"),
      on_items(0x25).byte(0x74, 1).text(0x2C, "0").build(R"([{"operationType":"Read","id":"d1","partitionKey":"[\"k1\"]"}])"),
      named(7, 0x08).text(0x16, "c").text(0x1B, "s").text(0x2B, R"(["k1"])").build("[1]"),
      named(1, 0x03).byte(0x10, 0).build(),
      named(1, 0x04).build(),
      named(1, 0x0F).build(R"({"query":"SELECT * FROM r"})"),
      named(1, 0x12).build(),
      named(2, 0x04).build(),
      named(2, 0x11).text(0x16, "c").text(0x2B, R"(["k1"])").build(),
      named(2, 0x11).text(0x16, "c").text(0x2C, "0").text(0x35, "AAAAAYAAAAE=").build(),
      named(5, 0x04).build(),
      named(6, 0x04).text(0x19, "u").build(),
      named(8, 0x04).text(0x16, "c").build(),
      FrameBuilder(3, 0x03)
          .text(kAuthorization, "key")
          .bytes(0x00, bytes_of("00 00 00 01 80 00 00 01 01 00 00 00 00 00 00 00"))
          .build(),
  };
}

// FrameFuzz: an account that is kept from input to input, and made anew when it is worn.
class FrameFuzz {
 public:
  static FrameFuzz& instance() {
    static auto* kept = new FrameFuzz();
    static const int at_exit = std::atexit([] { instance().account_.reset(); });
    (void)at_exit;
    return *kept;
  }

  void run(std::string_view bytes) {
    if (account_->is_worn() || frames_ > fuzz::kChangesMax) {
      account_.reset();
      account_ = std::make_unique<fuzz::FuzzedAccount>(SCRIPT_HOST);
      frames_ = 0;
    }
    if (bytes.size() < kFixedHeadBytes) return;
    const auto head = parse_request_head(bytes);
    if (!head || head->is_context() || head->head_bytes > bytes.size()) return;
    ++frames_;
    DirectRequest request;
    if (!request.read(*head, bytes.substr(kFixedHeadBytes, head->head_bytes - kFixedHeadBytes), "2020-07-15")) return;
    std::string_view payload = bytes.substr(head->head_bytes);
    payload.remove_prefix(std::min(payload.size(), kPayloadLengthBytes));
    serve(request, request.has_payload() ? payload : std::string_view());
  }

 private:
  void serve(DirectRequest& request, std::string_view payload) {
    net::HttpResponse response;
    if (request.mistake()) {
      fill_error(response, *request.mistake(), request.activity_text());
    } else {
      request.request().body = payload;
      const std::string signature = sign(request.request());
      const InProcessService::Answer answer = account_->account().handle(request.request());
      fuzz::check_answer(answer);
      response.status = answer.status;
      response.is_authorized = answer.status != 401 && answer.status != 403;
      response.body = answer.body;
      for (std::string_view rest = answer.header_block; !rest.empty();) {
        const std::string_view line = fuzz::take_until(rest, "\r\n");
        response.header(line.substr(0, line.find(": ")), line.substr(line.find(": ") + 2));
      }
    }
    check(request, response);
  }

  std::string sign(net::HttpRequest& request) {
    for (net::HttpHeader& header : request.headers) {
      if (header.name != header::kAuthorization) continue;
      const bool is_owner = header.value == "key" || header.value == "readonly";
      if (!is_owner) return {};
      const std::string_view key = header.value == "key" ? InProcessAccount::kKey : InProcessAccount::kReadOnlyKey;
      signature_ = InProcessAccount::signature(key, request.method, request.path);
      header.value = signature_;
    }
    request.headers.push_back({header::kClientDate, InProcessAccount::kNow});
    return signature_;
  }

  void check(const DirectRequest& request, net::HttpResponse& response) {
    std::string out;
    const std::string_view answered = append_answer(out, account_->account().service(), request, response, 1.0);
    const size_t length_bytes = answered.empty() ? 0 : kPayloadLengthBytes;
    const ParsedAnswer answer = parse_answer_head(out.substr(0, out.size() - length_bytes));
    CHECK(answer.status >= 200 && answer.status < 600);
    CHECK(answer.number(0x0000) == (answered.empty() ? 0 : 1));
    CHECK(answer.transport_id() == request.transport_id());
    CHECK(answer.number(0x0013) >= 1 && answer.number(0x003A) >= 1);
    CHECK(missing_tokens(answer).empty());
    CHECK(answer.status < 400 || answered.empty() || answered.starts_with("{"));
  }

  std::unique_ptr<fuzz::FuzzedAccount> account_ = std::make_unique<fuzz::FuzzedAccount>(SCRIPT_HOST);
  std::string signature_;
  size_t frames_ = 0;
};

struct KeptToken {
  uint16_t id;
  TokenType type;
  std::string value;
};

void append(std::string& out, const KeptToken& token) {
  append_token_head(out, token.id, token.type);
  switch (token.type) {
    case TokenType::kSmallString:
    case TokenType::kSmallBytes: out.push_back(static_cast<char>(std::min<size_t>(token.value.size(), 255))); break;
    case TokenType::kString:
    case TokenType::kBytes: append_little_endian(out, static_cast<uint16_t>(token.value.size())); break;
    case TokenType::kLongString:
    case TokenType::kLongBytes: append_little_endian(out, static_cast<uint32_t>(token.value.size())); break;
    default: break;
  }
  out += token.value;
}

// FrameMutator: other tokens in frames that are else as they were.
class FrameMutator {
 public:
  explicit FrameMutator(unsigned seed) : random_(seed) {}

  std::string mutate(std::string_view bytes) {
    static const std::vector<std::string> seeds = seed_frames();
    const auto known = bytes.size() < kFixedHeadBytes ? std::nullopt : parse_request_head(bytes);
    const bool is_anew = !known || known->head_bytes > bytes.size() || below(4) == 0;
    const std::string frame = is_anew ? seeds[below(seeds.size())] : std::string(bytes);
    const RequestHead head = *parse_request_head(frame);
    std::vector<KeptToken> tokens;
    TokenReader reader(std::string_view(frame).substr(kFixedHeadBytes, head.head_bytes - kFixedHeadBytes));
    for (Token token; reader.next(token);) tokens.push_back({token.id, token.type, std::string(token.value)});
    std::string payload = frame.substr(std::min(frame.size(), head.head_bytes + kPayloadLengthBytes));
    std::string begin = frame.substr(0, kFixedHeadBytes);
    for (size_t changes = 1 + below(3); changes > 0; --changes) change(begin, tokens, payload);
    for (const KeptToken& token : tokens) append(begin, token);
    store_little_endian(begin.data(), static_cast<uint32_t>(begin.size()));
    append_little_endian(begin, static_cast<uint32_t>(payload.size()));
    return begin + payload;
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }

  void change(std::string& begin, std::vector<KeptToken>& tokens, std::string& payload) {
    static constexpr std::array<uint16_t, 10> kKinds = {1, 2, 3, 5, 6, 7, 8, 3, 3, 9};
    static constexpr std::array<uint16_t, 13> kOperations = {1, 2, 3, 4, 5, 6, 8, 0xF, 0x11, 0x12, 0x13, 0x25, 0x42};
    const auto known = request_tokens();
    switch (below(8)) {
      case 0: store_little_endian(begin.data() + 4, kKinds[below(kKinds.size())]); break;
      case 1: store_little_endian(begin.data() + 6, kOperations[below(kOperations.size())]); break;
      case 2: mutate_bytes(payload); break;
      case 3:
        if (!tokens.empty()) tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(below(tokens.size())));
        break;
      case 4: {
        const RequestToken& added = known[below(known.size())];
        const bool is_text = added.type >= TokenType::kSmallString && added.type <= TokenType::kLongBytes;
        tokens.push_back({added.id, is_text ? TokenType::kString : TokenType::kUnsigned32, is_text ? "1" : std::string(4, '\1')});
        break;
      }
      case 5:
        if (!tokens.empty()) tokens.push_back(tokens[below(tokens.size())]);
        break;
      default:
        if (!tokens.empty()) mutate_value(tokens[below(tokens.size())]);
    }
  }
  void mutate_value(KeptToken& token) {
    const size_t bytes = token.value.size();
    mutate_bytes(token.value);
    if (token.type < TokenType::kSmallString || token.type > TokenType::kLongBytes) token.value.resize(bytes);
  }
  static void mutate_bytes(std::string& text) {
    constexpr size_t kBytesMax = 200;
    const size_t before = text.size();
    text.resize(std::max(before, kBytesMax));
    text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), before, text.size()));
  }

  std::minstd_rand random_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FrameFuzz::instance().run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::string frame = FrameMutator(seed).mutate({reinterpret_cast<const char*>(data), size});
  if (frame.size() > max_size) frame.resize(max_size);
  std::memcpy(data, frame.data(), frame.size());
  return frame.size();
}
