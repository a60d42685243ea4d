#pragma once

#include "query/value/datum.h"

#include <cstdint>
#include <optional>
#include <string_view>

// Buckets: numbers from 1 to n that spread what would have one key value over n of them. docs/synthetic-keys.md has the hash and
// test vectors, because clients compute it, too.
namespace partita::query {

inline constexpr int64_t kBucketsMax = 10'000;

inline constexpr std::string_view kRandomBucket = "RANDOM_BUCKET";
inline constexpr std::string_view kHashBucket = "HASH_BUCKET";

// An integer from 1 to kBucketsMax; else nothing.
std::optional<uint32_t> bucket_count(const Datum& value);

// 1 + MurmurHash3 x86-32 (seed 0) of the value's text modulo the count. The text of a string is its UTF-8, that of another
// scalar what ToString() gives. Nothing for arrays, objects and undefined.
std::optional<uint32_t> hash_bucket(const Datum& value, uint32_t count);

}  // namespace partita::query
