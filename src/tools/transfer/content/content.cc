#include "tools/transfer/content/content.h"

#include "base/bytes.h"
#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::tools::transfer {
namespace {

constexpr std::array<std::string_view, 6> kSystemProperties = {"_rid", "_self", "_etag", "_ts", "_attachments", "_lsn"};

}  // namespace

bool is_system_property(std::string_view name) {
  return name.starts_with('_') && std::ranges::find(kSystemProperties, name) != kSystemProperties.end();
}

Hash128 content_hash(const Value& document, std::span<const std::string> ignored) {
  ContentSum sum;
  std::string text;
  for (size_t index = 0; index < document.size(); ++index) {
    const Value::Member member = document.member(index);
    if (is_system_property(member.key) || std::ranges::find(ignored, member.key) != ignored.end()) continue;
    text.clear();
    append_json_string(text, member.key);
    text += ':';
    append_json(text, member.value);
    sum.add(murmur3_x64_128(text));
  }
  text.clear();
  append_little_endian(text, sum.documents);
  append_little_endian(text, sum.low);
  append_little_endian(text, sum.high);
  return murmur3_x64_128(text);
}

void ContentSum::add(const Hash128& hash) { add(ContentSum{.documents = 1, .low = hash.low, .high = hash.high}); }

void ContentSum::add(const ContentSum& other) {
  documents += other.documents;
  low += other.low;
  const uint64_t carry = low < other.low ? 1 : 0;
  high += other.high + carry;
}

std::string ContentSum::text() const { return fmt::format("{:016x}{:016x}", high, low); }

std::string generated_id(std::string_view file_name, uint64_t position, const Hash128& content) {
  std::string text(file_name);
  append_little_endian(text, position);
  append_little_endian(text, content.low);
  append_little_endian(text, content.high);
  const Hash128 hash = murmur3_x64_128(text);
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

}  // namespace partita::tools::transfer
