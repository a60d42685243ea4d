#pragma once

#include "base/bytes.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Tokens: what the heads of frames consist of. Number u16, type u8, value; texts and bytes begin with their length.
namespace partita::cosmos::direct {

enum class TokenType : uint8_t {
  kByte = 0x00,
  kUnsigned16 = 0x01,
  kUnsigned32 = 0x02,
  kSigned32 = 0x03,
  kUnsigned64 = 0x04,
  kSigned64 = 0x05,
  kGuid = 0x06,
  kSmallString = 0x07,  // a length of 1 byte
  kString = 0x08,       // of 2 bytes
  kLongString = 0x09,   // of 4 bytes
  kSmallBytes = 0x0A,
  kBytes = 0x0B,
  kLongBytes = 0x0C,
  kFloat = 0x0D,
  kDouble = 0x0E,
};

struct Token {
  uint16_t id = 0;
  TokenType type = TokenType::kByte;
  std::string_view value;  // without the length

  // Of whole numbers, with their sign; nothing for other types.
  std::optional<int64_t> number() const;
  // Of texts and bytes, whatever the width of their length; nothing for other types.
  std::optional<std::string_view> text() const;
};

// TokenReader: the tokens of a head, one after the other. Views of its bytes.
class TokenReader {
 public:
  explicit TokenReader(std::string_view bytes) : rest_(bytes) {}

  // False at the end, and where the bytes are no tokens.
  bool next(Token& token);
  // Whether that was not the end.
  bool is_broken() const { return !rest_.empty(); }

 private:
  std::string_view rest_;
};

// Writers. Texts are cut, between characters, at what their length can say.
inline constexpr size_t kStringBytesMax = 0xFFFF;

inline void append_token_head(std::string& out, uint16_t id, TokenType type) {
  append_little_endian(out, id);
  out.push_back(static_cast<char>(type));
}
inline void append_token(std::string& out, uint16_t id, uint8_t value) {
  append_token_head(out, id, TokenType::kByte);
  out.push_back(static_cast<char>(value));
}
inline void append_token(std::string& out, uint16_t id, uint32_t value) {
  append_token_head(out, id, TokenType::kUnsigned32);
  append_little_endian(out, value);
}
inline void append_token(std::string& out, uint16_t id, int64_t value) {
  append_token_head(out, id, TokenType::kSigned64);
  append_little_endian(out, static_cast<uint64_t>(value));
}
inline void append_token(std::string& out, uint16_t id, double value) {
  append_token_head(out, id, TokenType::kDouble);
  append_little_endian(out, std::bit_cast<uint64_t>(value));
}
void append_small_string(std::string& out, uint16_t id, std::string_view text);
void append_string(std::string& out, uint16_t id, std::string_view text);

}  // namespace partita::cosmos::direct
