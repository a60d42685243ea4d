#include "protocols/cosmos/direct/token.h"

#include "document/json/utf8.h"

namespace partita::cosmos::direct {
namespace {

constexpr size_t kTokenHeadBytes = 3;

// Of the value, or of the length in front of it.
size_t fixed_bytes(TokenType type) {
  switch (type) {
    case TokenType::kByte:
    case TokenType::kSmallString:
    case TokenType::kSmallBytes: return 1;
    case TokenType::kUnsigned16:
    case TokenType::kString:
    case TokenType::kBytes: return 2;
    case TokenType::kUnsigned32:
    case TokenType::kSigned32:
    case TokenType::kFloat:
    case TokenType::kLongString:
    case TokenType::kLongBytes: return 4;
    case TokenType::kUnsigned64:
    case TokenType::kSigned64:
    case TokenType::kDouble: return 8;
    case TokenType::kGuid: return 16;
  }
  return 0;  // none of the wire
}

bool has_length(TokenType type) { return type >= TokenType::kSmallString && type <= TokenType::kLongBytes; }

size_t load_length(std::string_view bytes) {
  switch (bytes.size()) {
    case 1: return static_cast<uint8_t>(bytes[0]);
    case 2: return load_little_endian<uint16_t>(bytes.data());
    default: return load_little_endian<uint32_t>(bytes.data());
  }
}

}  // namespace

std::optional<int64_t> Token::number() const {
  switch (type) {
    case TokenType::kByte: return static_cast<uint8_t>(value[0]);
    case TokenType::kUnsigned16: return load_little_endian<uint16_t>(value.data());
    case TokenType::kUnsigned32: return load_little_endian<uint32_t>(value.data());
    case TokenType::kSigned32: return static_cast<int32_t>(load_little_endian<uint32_t>(value.data()));
    case TokenType::kUnsigned64:
    case TokenType::kSigned64: return static_cast<int64_t>(load_little_endian<uint64_t>(value.data()));
    default: return std::nullopt;
  }
}

std::optional<std::string_view> Token::text() const { return has_length(type) ? std::optional(value) : std::nullopt; }

bool TokenReader::next(Token& token) {
  if (rest_.size() < kTokenHeadBytes) return false;
  token.id = load_little_endian<uint16_t>(rest_.data());
  token.type = static_cast<TokenType>(rest_[2]);
  const size_t fixed = fixed_bytes(token.type);
  if (fixed == 0 || rest_.size() < kTokenHeadBytes + fixed) return false;
  size_t begin = kTokenHeadBytes;
  size_t bytes = fixed;
  if (has_length(token.type)) {
    bytes = load_length(rest_.substr(begin, fixed));
    begin += fixed;
    if (bytes > rest_.size() - begin) return false;
  }
  token.value = rest_.substr(begin, bytes);
  rest_.remove_prefix(begin + bytes);
  return true;
}

void append_small_string(std::string& out, uint16_t id, std::string_view text) {
  constexpr size_t kSmallStringBytesMax = 0xFF;
  text = utf8_prefix(text, kSmallStringBytesMax);
  append_token_head(out, id, TokenType::kSmallString);
  out.push_back(static_cast<char>(text.size()));
  out.append(text);
}

void append_string(std::string& out, uint16_t id, std::string_view text) {
  if (text.size() > kStringBytesMax) text = utf8_prefix(text, kStringBytesMax);
  append_token_head(out, id, TokenType::kString);
  append_little_endian(out, static_cast<uint16_t>(text.size()));
  out.append(text);
}

}  // namespace partita::cosmos::direct
