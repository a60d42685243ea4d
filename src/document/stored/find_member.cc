#include "document/stored/stored_form.h"
#include "document/value.h"

#include <bit>

#ifdef __AVX2__
#include <immintrin.h>
#endif

// Value::find(): from a key to the last member that has it.
namespace partita {

using stored::Container;
using stored::Entry;

namespace {

constexpr size_t kLanes = 16;

// kLaneBits bits, the lowest of them set, for each of the first `lanes` hashes that equals the wanted one.
#ifdef __AVX2__
constexpr size_t kLaneBits = 2;

uint32_t matching_lanes(const char* hashes, size_t lanes, uint16_t wanted) {
  // Loads whole pairs of lanes and nothing behind them: an odd last lane takes two bytes of the offset table along.
  const __m256i pair_numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i pairs = _mm256_set1_epi32(static_cast<int>((lanes + 1) / 2));
  const __m256i loaded = _mm256_maskload_epi32(reinterpret_cast<const int*>(hashes), _mm256_cmpgt_epi32(pairs, pair_numbers));
  const __m256i equal = _mm256_cmpeq_epi16(loaded, _mm256_set1_epi16(static_cast<short>(wanted)));
  const auto mask = static_cast<uint32_t>(_mm256_movemask_epi8(equal)) & 0x55555555u;
  return mask & static_cast<uint32_t>((uint64_t{1} << (lanes * kLaneBits)) - 1);
}
#else
constexpr size_t kLaneBits = 1;

uint32_t matching_lanes(const char* hashes, size_t lanes, uint16_t wanted) {
  uint32_t mask = 0;
  for (size_t lane = 0; lane < lanes; ++lane) {
    const bool is_equal = load_little_endian<uint16_t>(hashes + lane * stored::kHashBytes) == wanted;
    mask |= static_cast<uint32_t>(is_equal) << lane;
  }
  return mask;
}
#endif

// Calls with the value of every member that has the key, the last one first, until a call returns true.
template <typename Found>
void for_each_by_hash(const Container& object, std::string_view key, Found found) {
  const uint16_t wanted = stored::hash_of_key(key);
  for (size_t end = object.count(); end > 0;) {
    const size_t begin = (end - 1) / kLanes * kLanes;
    uint32_t mask = matching_lanes(object.hashes() + begin * stored::kHashBytes, end - begin, wanted);
    while (mask != 0) {
      const auto highest = static_cast<uint32_t>(std::bit_width(mask) - 1);
      const Entry member = stored::split_member(object.entry(begin + highest / kLaneBits));
      if (member.key == key && found(member.value)) return;
      mask &= ~(1u << highest);
    }
    end = begin;
  }
}

std::string_view find_by_hash(const Container& object, std::string_view key) {
  std::string_view value;
  for_each_by_hash(object, key, [&](std::string_view last) {
    value = last;
    return true;
  });
  return value;
}

Entry member_in_order(const Container& object, size_t position) {
  return stored::split_member(object.entry(object.sorted_member(position)));
}

// The position in the key order of the first greater key. Equal keys stand in source order, so the last one is directly before
// it.
size_t position_behind(const Container& object, std::string_view key) {
  size_t low = 0;
  size_t high = object.count();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (member_in_order(object, middle).key <= key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::string_view find_by_order(const Container& object, std::string_view key) {
  const size_t behind = position_behind(object, key);
  if (behind == 0) return {};
  const Entry member = member_in_order(object, behind - 1);
  return member.key == key ? member.value : std::string_view{};
}

}  // namespace

Value Value::find(std::string_view key) const {
  if (bytes_.empty() || !form_of(static_cast<stored::Tag>(bytes_.front())).is_object) return {};
  const Container object(bytes_);
  return Value(object.form().is_sorted ? find_by_order(object, key) : find_by_hash(object, key));
}

bool Value::is_repeated(std::string_view key) const {
  if (bytes_.empty() || !form_of(static_cast<stored::Tag>(bytes_.front())).is_object) return false;
  const Container object(bytes_);
  if (object.form().is_sorted) {
    const size_t behind = position_behind(object, key);
    return behind >= 2 && member_in_order(object, behind - 2).key == key;
  }
  size_t members = 0;
  for_each_by_hash(object, key, [&](std::string_view) { return ++members == 2; });
  return members == 2;
}

}  // namespace partita
