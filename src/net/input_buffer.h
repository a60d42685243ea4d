#pragma once

#include "base/check.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace partita::net {

// InputBuffer: bytes received and not yet consumed, in one piece. Not thread-safe.
//
// Grows with what arrives, never with what a client announces. Views into it die with prepare(), erase() and consume().
class InputBuffer {
 public:
  std::string_view view() const { return {bytes_.get() + begin_, end_ - begin_}; }
  char* begin() { return bytes_.get() + begin_; }
  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  size_t capacity() const { return capacity_; }
  // Bytes that can come without the buffer growing.
  size_t room() const { return capacity_ - end_; }

  // Room for at least `bytes_min` more bytes, behind those that are there.
  std::span<char> prepare(size_t bytes_min) {
    if (capacity_ - end_ < bytes_min) make_room(bytes_min);
    return {bytes_.get() + end_, capacity_ - end_};
  }
  // Grows to so many bytes in all, and not to more, unless it is as large already.
  void reserve(size_t bytes_in_all) {
    if (bytes_in_all > capacity_ - begin_) move_to(bytes_in_all);
  }
  // Gives back what a large request has left behind.
  void shrink() {
    if (capacity_ <= kKeptBytesMax) return;
    if (empty()) return release();
    if (size() <= kKeptBytesMax / 2) move_to(kKeptBytesMax);
  }
  void release() {
    CHECK(empty());
    bytes_.reset();
    capacity_ = begin_ = end_ = 0;
  }
  // REQUIRES: bytes <= what prepare() returned.
  void commit(size_t bytes) {
    CHECK(bytes <= capacity_ - end_);
    end_ += bytes;
  }
  void append(std::string_view bytes) {
    std::copy(bytes.begin(), bytes.end(), prepare(bytes.size()).begin());
    commit(bytes.size());
  }
  void consume(size_t bytes) {
    CHECK(bytes <= size());
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
    if (empty() && capacity_ > kKeptBytesMax) release();
  }
  // Takes a range out of the middle.
  void erase(size_t offset, size_t bytes) {
    CHECK(offset <= size() && bytes <= size() - offset);
    if (bytes == 0) return;
    char* gap = begin() + offset;
    std::memmove(gap, gap + bytes, size() - offset - bytes);
    end_ -= bytes;
  }

 private:
  static constexpr size_t kFirstBytes = 8 * 1024;
  static constexpr size_t kKeptBytesMax = 64 * 1024;  // between requests

  void make_room(size_t bytes_min) {
    if (begin_ > 0 && capacity_ - size() >= bytes_min && begin_ >= size()) {
      std::memmove(bytes_.get(), begin(), size());
      end_ -= begin_;
      begin_ = 0;
    } else {
      move_to(std::max({kFirstBytes, capacity_ * 2, size() + bytes_min}));
    }
  }
  void move_to(size_t capacity) {
    auto other = std::make_unique_for_overwrite<char[]>(capacity);
    if (!empty()) std::memcpy(other.get(), begin(), size());
    bytes_ = std::move(other);
    capacity_ = capacity;
    end_ -= begin_;
    begin_ = 0;
  }

  std::unique_ptr<char[]> bytes_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace partita::net
