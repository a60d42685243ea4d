#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace partita::query {

// Arena: memory for the values that a query computes while it works on one row.
//
// Not thread-safe. Memory is given back in the reverse order of its allocation, by rewinding to a mark; blocks are kept for the
// next row. Over the limit, allocate() fails and is_exhausted() stays true.
class Arena {
 public:
  struct Mark {
    size_t block = 0;
    size_t used = 0;
    size_t total = 0;
  };

  explicit Arena(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Not aligned: for bytes. Null when over the limit.
  char* allocate(size_t bytes);
  // Empty when over the limit.
  std::string_view copy(std::string_view bytes);

  Mark mark() const { return {block_, used_, total_}; }
  void rewind(const Mark& mark);
  bool is_exhausted() const { return is_exhausted_; }
  // What it holds, used or kept for the next row.
  size_t block_bytes() const { return block_bytes_; }
  // Whether so many more bytes are allowed; if not, the arena counts as exhausted.
  bool has_room_for(size_t bytes);

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    size_t size = 0;
  };

  std::vector<Block> blocks_;
  size_t block_ = 0;  // the one that is being filled
  size_t used_ = 0;   // of it
  size_t total_ = 0;  // of all
  size_t block_bytes_ = 0;
  size_t bytes_max_;
  bool is_exhausted_ = false;
};

// Gives back at its end what was allocated during its life.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.rewind(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

}  // namespace partita::query
