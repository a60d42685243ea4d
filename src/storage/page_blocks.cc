#include "storage/page_blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace partita {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kHugePageBytes = 2 * 1024 * 1024;
constexpr size_t kDoublingsMax = 9;
static_assert(kPageBytes << kDoublingsMax == kHugePageBytes);
// What takes more of a block than this has one of its own.
constexpr size_t kShareMax = 4;

size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void* PageBlocks::allocate(size_t bytes, size_t alignment) {
  const size_t skipped = -reinterpret_cast<uintptr_t>(free_) & (alignment - 1);
  if (free_bytes_ < skipped + bytes) {
    const size_t block_bytes = kPageBytes << std::min(blocks_.size(), kDoublingsMax);
    if (bytes > block_bytes / kShareMax) return add_block(rounded_up(bytes, kPageBytes), kPageBytes);
    free_ = add_block(block_bytes, block_bytes);
    free_bytes_ = block_bytes;
    return allocate(bytes, alignment);
  }
  free_bytes_ -= skipped + bytes;
  return std::exchange(free_, free_ + skipped + bytes) + skipped;
}

char* PageBlocks::add_block(size_t bytes, size_t alignment) {
  auto* block = static_cast<char*>(std::aligned_alloc(alignment, bytes));
  if (block == nullptr) throw std::bad_alloc();
  blocks_.emplace_back(block);
  if (alignment == kHugePageBytes) madvise(block, bytes, MADV_HUGEPAGE);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return block;
}

}  // namespace partita
