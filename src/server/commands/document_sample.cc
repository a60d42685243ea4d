#include "server/commands/document_sample.h"

#include <algorithm>

namespace partita::server {
namespace {

uint64_t scrambled(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace

void DocumentSample::add(const Value& document) {
  const uint64_t number = seen_++;
  if (size_ == 0) return visit_(document);
  if (kept_.size() < size_) {
    kept_.emplace_back(number, document.bytes());
    return;
  }
  // The same documents give the same sample.
  const uint64_t place = scrambled(number) % seen_;
  if (place < size_) kept_[place] = {number, std::string(document.bytes())};
}

void DocumentSample::finish() {
  std::ranges::sort(kept_, std::less(), [](const auto& entry) { return entry.first; });
  for (const auto& [number, stored] : kept_) visit_(Value::view(stored));
  kept_ = {};
}

}  // namespace partita::server
