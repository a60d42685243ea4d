#pragma once

#include "engine/item/identity.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace partita {

// DocumentSet: numbers of documents in little memory: two bytes each where they are rare, one bit for each possible number where
// they are not.
//
// Not thread-safe while it grows. Adding numbers in their order is the quickest.
class DocumentSet {
 public:
  void add(DocumentNumber number);
  bool contains(DocumentNumber number) const;
  uint64_t size() const { return size_; }
  // All of them, sorted.
  std::vector<DocumentNumber> numbers() const;
  size_t bytes() const;

 private:
  static constexpr unsigned kLowBits = 16;
  static constexpr size_t kWordBits = 64;

  // The numbers that have the same upper bits, by their lower ones: either listed, sorted, or as bits.
  struct Chunk {
    uint64_t upper = 0;
    std::vector<uint16_t> listed;
    std::vector<uint64_t> bits;

    bool add(uint16_t lower);
    bool contains(uint16_t lower) const;
    void append_to(std::vector<DocumentNumber>& numbers) const;
    void list_to_bits();
  };

  static uint64_t upper_of(DocumentNumber number) { return number.value >> kLowBits; }
  static uint16_t lower_of(DocumentNumber number) { return static_cast<uint16_t>(number.value); }

  std::vector<Chunk> chunks_;  // sorted
  size_t last_ = 0;            // the chunk that was added to last
  uint64_t size_ = 0;
};

}  // namespace partita
