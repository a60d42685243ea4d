#pragma once

#include "base/bytes.h"
#include "protocols/cosmos/direct/frame.h"
#include "protocols/cosmos/direct/token.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Frames as clients write and read them, for tests and fuzzers.
namespace partita::cosmos::direct {

// "33 22 11 ..." as bytes.
inline std::string bytes_of(std::string_view hexadecimal) {
  std::string out;
  std::string digits;
  for (const char c : hexadecimal) {
    if (c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    out += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return out;
}

// 00112233-4455-6677-8899-aabbccddeeff.
inline ActivityId sample_activity_id() {
  ActivityId id{};
  bytes_of("33 22 11 00 55 44 77 66 88 99 aa bb cc dd ee ff").copy(id.data(), id.size());
  return id;
}

// FrameBuilder: one request.
class FrameBuilder {
 public:
  FrameBuilder(uint16_t kind, uint16_t operation) : kind_(kind), operation_(operation) {}

  FrameBuilder& text(uint16_t id, std::string_view value) {
    append_string(tokens_, id, value);
    return *this;
  }
  FrameBuilder& small_text(uint16_t id, std::string_view value) {
    append_small_string(tokens_, id, value);
    return *this;
  }
  FrameBuilder& bytes(uint16_t id, std::string_view value) {
    append_token_head(tokens_, id, TokenType::kBytes);
    append_little_endian(tokens_, static_cast<uint16_t>(value.size()));
    tokens_ += value;
    return *this;
  }
  FrameBuilder& byte(uint16_t id, uint8_t value) {
    append_token(tokens_, id, value);
    return *this;
  }
  FrameBuilder& number(uint16_t id, uint32_t value) {
    append_token(tokens_, id, value);
    return *this;
  }
  FrameBuilder& raw(std::string_view tokens) {
    tokens_ += tokens;
    return *this;
  }
  // Says whether there is one, too.
  std::string build(std::optional<std::string_view> payload = std::nullopt) const {
    std::string out = head();
    append_token(out, 0x0002, static_cast<uint8_t>(payload.has_value()));
    store_little_endian(out.data(), static_cast<uint32_t>(out.size()));
    if (payload) {
      append_little_endian(out, static_cast<uint32_t>(payload->size()));
      out += *payload;
    }
    return out;
  }
  std::string build_without_payload_token() const {
    std::string out = head();
    store_little_endian(out.data(), static_cast<uint32_t>(out.size()));
    return out;
  }

 private:
  std::string head() const {
    std::string out;
    append_little_endian(out, uint32_t{0});
    append_little_endian(out, kind_);
    append_little_endian(out, operation_);
    const ActivityId id = sample_activity_id();
    out.append(id.data(), id.size());
    return out + tokens_;
  }

  uint16_t kind_;
  uint16_t operation_;
  std::string tokens_;
};

inline std::string context_frame(std::string_view version = "2020-07-15", std::string_view agent = "ua") {
  return FrameBuilder(0, 0).number(0x0000, 1).small_text(0x0001, version).small_text(0x0002, agent).build_without_payload_token();
}

// An answer as a client reads it: strictly.
struct ParsedAnswer {
  int status = 0;  // 0: the bytes are no answer
  ActivityId activity_id{};
  std::map<uint16_t, Token> tokens;
  std::string payload;

  bool has(uint16_t id) const { return tokens.contains(id); }
  int64_t number(uint16_t id) const { return has(id) ? tokens.at(id).number().value_or(-2) : -1; }
  std::string text(uint16_t id) const { return has(id) ? std::string(tokens.at(id).text().value_or("?")) : std::string(); }
  double real(uint16_t id) const {
    return has(id) ? std::bit_cast<double>(load_little_endian<uint64_t>(tokens.at(id).value.data())) : -1;
  }
  uint32_t transport_id() const { return static_cast<uint32_t>(number(0x0035)); }

  std::string head;  // that the tokens point into
};

// What every answer to a request must say; the numbers of the tokens that it lacks.
inline std::vector<int> missing_tokens(const ParsedAnswer& answer) {
  constexpr std::array<uint16_t, 9> kAlways = {
      0x0000,  // PayloadPresent
      0x0010,  // SchemaVersion
      0x0013,  // LSN
      0x0015,  // RequestCharge
      0x0029,  // GlobalCommittedLSN
      0x0030,  // NumberOfReadRegions
      0x0035,  // TransportRequestID
      0x003A,  // LocalLSN
      0x0051,  // BackendRequestDurationMilliseconds
  };
  std::vector<int> missing;
  for (const uint16_t id : kAlways) {
    if (!answer.has(id)) missing.push_back(id);
  }
  // The session's token goes with the range that it is about, or clients look for it in vain.
  if (answer.has(0x003E) != answer.has(0x0021)) missing.push_back(0x003E);
  return missing;
}

// Takes the head apart. `head` has no more than it; a payload may follow.
inline ParsedAnswer parse_answer_head(std::string head) {
  ParsedAnswer answer;
  answer.head = std::move(head);
  if (answer.head.size() < kFixedHeadBytes || load_little_endian<uint32_t>(answer.head.data()) != answer.head.size()) return {};
  answer.status = static_cast<int>(load_little_endian<uint32_t>(answer.head.data() + 4));
  answer.head.copy(answer.activity_id.data(), answer.activity_id.size(), 8);
  TokenReader reader(std::string_view(answer.head).substr(kFixedHeadBytes));
  for (Token token; reader.next(token);) {
    if (!answer.tokens.emplace(token.id, token).second) return {};  // twice
  }
  if (reader.is_broken()) return {};
  return answer;
}

}  // namespace partita::cosmos::direct
