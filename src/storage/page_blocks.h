#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace partita {

// PageBlocks: memory for many small things that are all freed together, at the end.
//
// Blocks are small at first, because an idle server has several empty memtables. Large ones are huge pages where the system has
// them: what is in a memtable is met all over it, and each small page would need an entry of its own in the processor's table of
// pages, and a fault when it is first touched.
//
// One thread allocates; any may ask for bytes().
class PageBlocks {
 public:
  // REQUIRES: the alignment is a power of two, a page at most.
  void* allocate(size_t bytes, size_t alignment);
  // Of all blocks.
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Free {
    void operator()(char* block) const { std::free(block); }
  };
  char* add_block(size_t bytes, size_t alignment);

  std::atomic<size_t> bytes_{0};
  std::vector<std::unique_ptr<char[], Free>> blocks_;
  char* free_ = nullptr;
  size_t free_bytes_ = 0;
};

}  // namespace partita
