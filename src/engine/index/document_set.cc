#include "engine/index/document_set.h"

#include <algorithm>
#include <bit>

namespace partita {
namespace {

// More than so many take less memory as bits.
constexpr size_t kListedMax = 4096;
constexpr size_t kChunkNumbers = 1 << 16;

}  // namespace

void DocumentSet::add(DocumentNumber number) {
  const uint64_t upper = upper_of(number);
  if (last_ >= chunks_.size() || chunks_[last_].upper != upper) {
    auto chunk = std::ranges::lower_bound(chunks_, upper, {}, &Chunk::upper);
    if (chunk == chunks_.end() || chunk->upper != upper) chunk = chunks_.insert(chunk, {upper, {}, {}});
    last_ = static_cast<size_t>(chunk - chunks_.begin());
  }
  if (chunks_[last_].add(lower_of(number))) ++size_;
}

bool DocumentSet::contains(DocumentNumber number) const {
  const auto chunk = std::ranges::lower_bound(chunks_, upper_of(number), {}, &Chunk::upper);
  return chunk != chunks_.end() && chunk->upper == upper_of(number) && chunk->contains(lower_of(number));
}

std::vector<DocumentNumber> DocumentSet::numbers() const {
  std::vector<DocumentNumber> numbers;
  numbers.reserve(size_);
  for (const Chunk& chunk : chunks_) chunk.append_to(numbers);
  return numbers;
}

size_t DocumentSet::bytes() const {
  size_t bytes = sizeof(DocumentSet) + chunks_.capacity() * sizeof(Chunk);
  for (const Chunk& chunk : chunks_) {
    bytes += chunk.listed.capacity() * sizeof(uint16_t) + chunk.bits.capacity() * sizeof(uint64_t);
  }
  return bytes;
}

// False when it was there already.
bool DocumentSet::Chunk::add(uint16_t lower) {
  if (bits.empty() && listed.size() == kListedMax) list_to_bits();
  if (bits.empty()) {
    const bool is_last = listed.empty() || listed.back() < lower;
    const auto place = is_last ? listed.end() : std::ranges::lower_bound(listed, lower);
    if (!is_last && *place == lower) return false;
    listed.insert(place, lower);
    return true;
  }
  uint64_t& word = bits[lower / kWordBits];
  const uint64_t before = word;
  word |= uint64_t{1} << (lower % kWordBits);
  return word != before;
}

bool DocumentSet::Chunk::contains(uint16_t lower) const {
  if (bits.empty()) return std::ranges::binary_search(listed, lower);
  return (bits[lower / kWordBits] >> (lower % kWordBits) & 1) != 0;
}

void DocumentSet::Chunk::append_to(std::vector<DocumentNumber>& numbers) const {
  const uint64_t first = upper << kLowBits;
  for (const uint16_t lower : listed) numbers.push_back({first + lower});
  for (size_t i = 0; i < bits.size(); ++i) {
    for (uint64_t word = bits[i]; word != 0; word &= word - 1) {
      numbers.push_back({first + i * kWordBits + static_cast<uint64_t>(std::countr_zero(word))});
    }
  }
}

void DocumentSet::Chunk::list_to_bits() {
  bits.resize(kChunkNumbers / kWordBits);
  for (const uint16_t lower : listed) bits[lower / kWordBits] |= uint64_t{1} << (lower % kWordBits);
  listed = std::vector<uint16_t>();
}

}  // namespace partita
