#include "document/key/murmur3.h"
#include "query/function/buckets.h"
#include "query/function/groups.h"

#include <string>

namespace partita::query {
namespace {

Datum hash_bucket_of(Arguments arguments, FunctionContext&) {
  const auto count = bucket_count(arguments[1]);
  const auto bucket = count ? hash_bucket(arguments[0], *count) : std::nullopt;
  return bucket ? Datum::number(*bucket) : Datum();
}

Datum random_bucket(Arguments arguments, FunctionContext& context) {
  const auto count = bucket_count(arguments[0]);
  return count ? Datum::number(static_cast<double>(1 + context.random().below(*count))) : Datum();
}

constexpr Function kFunctions[] = {
    {kHashBucket, 2, 2, hash_bucket_of},
    {.name = kRandomBucket, .arguments_min = 1, .arguments_max = 1, .body = random_bucket, .is_constant_foldable = false},
};

}  // namespace

std::optional<uint32_t> bucket_count(const Datum& value) {
  const std::optional<int64_t> count = value.is_number() ? value.integer() : std::nullopt;
  if (!count || *count < 1 || *count > kBucketsMax) return std::nullopt;
  return static_cast<uint32_t>(*count);
}

std::optional<uint32_t> hash_bucket(const Datum& value, uint32_t count) {
  if (!value.is_primitive()) return std::nullopt;
  if (value.is_string()) return 1 + murmur3_x86_32(value.string()) % count;
  std::string text;
  append_json_of(text, value.is_number() ? Datum::number(value.number() + 0.0) : value);
  return 1 + murmur3_x86_32(text) % count;
}

std::span<const Function> bucket_functions() { return kFunctions; }

}  // namespace partita::query
