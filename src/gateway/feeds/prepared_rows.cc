#include "gateway/feeds/prepared_rows.h"

#include <algorithm>
#include <utility>

namespace partita {
namespace {

constexpr char kPasses = 1;
constexpr char kHasValues = 2;

constexpr unsigned kBitsPerByte = 7;
constexpr unsigned kMoreFollows = 1U << kBitsPerByte;

void append_number(std::string& out, uint64_t value) {
  for (; value >= kMoreFollows; value >>= kBitsPerByte) out += static_cast<char>(value | kMoreFollows);
  out += static_cast<char>(value);
}

void append_bytes(std::string& out, std::string_view bytes) {
  append_number(out, bytes.size());
  out += bytes;
}

// Null is as good as any document that nobody looks at, and is not the end of a source.
Value null_value() {
  static const std::string stored = [] {
    StoredWriter writer;
    writer.null();
    return std::string(writer.bytes());
  }();
  return Value::view(stored);
}

}  // namespace

bool PreparedRows::append(const PreparedDocument& document, const query::PreparedRow& row) {
  encoded_.clear();
  encoded_ += static_cast<char>((row.passes ? kPasses : 0) | (row.has_values ? kHasValues : 0));
  append_number(encoded_, document.number.value - last_number_);
  append_number(encoded_, document.stands_for);
  append_number(encoded_, document.record_bytes);
  append_number(encoded_, document.entries_read - last_entries_);
  append_number(encoded_, row.steps);
  if (row.has_values) {
    append_number(encoded_, row.values.size());
    for (const query::Datum& value : row.values) {
      writer_.clear();
      if (!value.is_undefined()) value.write_to(writer_);
      append_bytes(encoded_, value.is_undefined() ? std::string_view() : writer_.bytes());
    }
  } else if (row.passes) {
    append_bytes(encoded_, document.document.bytes());
  }
  if (!make_room(encoded_.size())) return false;
  chunks_.back() += encoded_;
  last_number_ = document.number.value;
  last_entries_ = document.entries_read;
  return true;
}

// In the last chunk, for a row that lies in one.
bool PreparedRows::make_room(size_t bytes) {
  if (!chunks_.empty() && chunks_.back().capacity() - chunks_.back().size() >= bytes) return true;
  const size_t wanted = std::max(bytes, kChunkBytes);
  if (!loan_.grow_to(loan_.bytes() + wanted)) return false;
  chunks_.emplace_back().reserve(wanted);
  return true;
}

const PreparedDocument* PreparedRows::take() {
  if (!chunks_.empty() && at_ == chunks_.front().size()) {
    loan_.shrink_to(loan_.bytes() - std::min(loan_.bytes(), chunks_.front().capacity()));
    chunks_.pop_front();
    at_ = 0;
  }
  if (chunks_.empty()) return nullptr;
  PreparedDocument& out = taken_;
  const char flags = chunks_.front()[at_++];
  out.row.passes = (flags & kPasses) != 0;
  out.row.has_values = (flags & kHasValues) != 0;
  out.number.value += read_number();
  out.stands_for = read_number();
  out.record_bytes = read_number();
  out.entries_read += read_number();
  out.row.steps = read_number();
  out.row.values.resize(out.row.has_values ? read_number() : 0);
  for (query::Datum& value : out.row.values) {
    const std::string_view stored = read_bytes();
    value = stored.empty() ? query::Datum() : query::Datum::of(Value::view(stored));
  }
  out.document = out.row.passes && !out.row.has_values ? Value::view(read_bytes()) : null_value();
  return &out;
}

uint64_t PreparedRows::read_number() {
  const std::string& chunk = chunks_.front();
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += kBitsPerByte) {
    const auto byte = static_cast<unsigned char>(chunk[at_++]);
    value |= static_cast<uint64_t>(byte & ~kMoreFollows) << shift;
    if (byte < kMoreFollows) return value;
  }
}

std::string_view PreparedRows::read_bytes() {
  const size_t size = read_number();
  const std::string_view bytes = std::string_view(chunks_.front()).substr(at_, size);
  at_ += size;
  return bytes;
}

}  // namespace partita
