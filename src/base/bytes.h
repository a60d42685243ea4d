#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <string>
#include <string_view>

// Fixed-width integers in byte strings. Big-endian keeps unsigned order under memcmp; little-endian is for payloads.
namespace partita {

template <std::unsigned_integral T>
constexpr T to_big_endian(T value) {
  return std::endian::native == std::endian::little ? std::byteswap(value) : value;
}

template <std::unsigned_integral T>
constexpr T to_little_endian(T value) {
  return std::endian::native == std::endian::big ? std::byteswap(value) : value;
}

template <std::unsigned_integral T>
void append_big_endian(std::string& out, T value) {
  value = to_big_endian(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <std::unsigned_integral T>
void append_little_endian(std::string& out, T value) {
  value = to_little_endian(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <std::unsigned_integral T>
void store_little_endian(char* at, T value) {
  value = to_little_endian(value);
  std::memcpy(at, &value, sizeof value);
}

// REQUIRES: at least sizeof(T) readable bytes.
template <std::unsigned_integral T>
T load_big_endian(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return to_big_endian(value);
}

template <std::unsigned_integral T>
T load_little_endian(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return to_little_endian(value);
}

}  // namespace partita
