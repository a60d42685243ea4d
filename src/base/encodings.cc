#include "base/encodings.h"

#include <algorithm>
#include <array>

namespace partita {
namespace {

constexpr char kHexUpper[] = "0123456789ABCDEF";
constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<int8_t, 256> make_base64_values() {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 64; ++i) values[static_cast<uint8_t>(kBase64[i])] = static_cast<int8_t>(i);
  return values;
}
constexpr std::array<int8_t, 256> kBase64Values = make_base64_values();

uint8_t octet(char c) { return static_cast<uint8_t>(c); }

}  // namespace

std::string hex_upper(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (char c : bytes) {
    text += kHexUpper[octet(c) >> 4];
    text += kHexUpper[octet(c) & 15];
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = bytes.size() - i;
    const uint32_t group = static_cast<uint32_t>(octet(bytes[i]) << 16) |
                           (left > 1 ? static_cast<uint32_t>(octet(bytes[i + 1]) << 8) : 0U) |
                           (left > 2 ? static_cast<uint32_t>(octet(bytes[i + 2])) : 0U);
    text += kBase64[group >> 18];
    text += kBase64[(group >> 12) & 63];
    text += left > 1 ? kBase64[(group >> 6) & 63] : '=';
    text += left > 2 ? kBase64[group & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.empty()) return std::string();
  size_t padding = 0;
  if (text.back() == '=') padding = text[text.size() - 2] == '=' ? 2 : 1;
  int refused = 0;  // below 0 once a character was
  const auto group_at = [&](size_t at, size_t count) {
    int group = 0;
    for (size_t i = 0; i < 4; ++i) {
      const int value = i < count ? kBase64Values[octet(text[at + i])] : 0;
      refused |= value;
      group = (group << 6) | (value & 63);
    }
    return group;
  };
  std::string bytes;
  const size_t size = text.size() / 4 * 3;
  bytes.resize_and_overwrite(size, [&](char* out, size_t) {
    for (size_t at = 0; at < text.size(); at += 4) {
      const int group = group_at(at, std::min<size_t>(4, text.size() - padding - at));
      *out++ = static_cast<char>(group >> 16);
      *out++ = static_cast<char>(group >> 8);
      *out++ = static_cast<char>(group);
    }
    return size - padding;
  });
  if (refused < 0) return std::nullopt;
  return bytes;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const size_t plain = std::min(text.find('%'), text.size());
    out.append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return out;
    if (text.size() < 3) return std::nullopt;
    const int high = hex_value(text[1]);
    const int low = hex_value(text[2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    text.remove_prefix(3);
  }
}

std::string percent_encode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    const bool is_unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                               c == '_' || c == '.' || c == '~';
    if (is_unreserved) {
      out += c;
    } else {
      out += '%';
      out += kHexUpper[octet(c) >> 4];
      out += kHexUpper[octet(c) & 15];
    }
  }
  return out;
}

}  // namespace partita
