#include "query/value/arena.h"

#include <algorithm>
#include <cstring>

namespace partita::query {
namespace {

constexpr size_t kBlockBytes = 16 * 1024;

}  // namespace

char* Arena::allocate(size_t bytes) {
  if (!has_room_for(bytes)) return nullptr;
  while (block_ < blocks_.size() && blocks_[block_].size - used_ < bytes) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    size_t size = std::max(bytes, kBlockBytes);
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    block_bytes_ += size;
  }
  char* at = blocks_[block_].bytes.get() + used_;
  used_ += bytes;
  total_ += bytes;
  return at;
}

std::string_view Arena::copy(std::string_view bytes) {
  char* at = allocate(bytes.size());
  if (at == nullptr) return {};
  std::memcpy(at, bytes.data(), bytes.size());
  return {at, bytes.size()};
}

void Arena::rewind(const Mark& mark) {
  block_ = mark.block;
  used_ = mark.used;
  total_ = mark.total;
  // Blocks of unusual size would only be found again by chance.
  while (blocks_.size() > block_ + 1 && blocks_.back().size > kBlockBytes) {
    block_bytes_ -= blocks_.back().size;
    blocks_.pop_back();
  }
}

bool Arena::has_room_for(size_t bytes) {
  if (bytes > bytes_max_ - std::min(total_, bytes_max_)) is_exhausted_ = true;
  return !is_exhausted_;
}

}  // namespace partita::query
