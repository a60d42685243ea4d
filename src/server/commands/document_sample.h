#pragma once

#include "base/result.h"
#include "document/value.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace partita::server {

// DocumentSample: passes documents on, all of them or, when a size is given, so many that were chosen at random; each has the
// same chance. Not thread-safe.
class DocumentSample {
 public:
  using Visit = std::function<void(const Value&)>;

  // A size of 0: all of them, as they come.
  DocumentSample(size_t size, Visit visit) : size_(size), visit_(std::move(visit)) {}

  void add(const Value& document);
  // Passes on those that were kept. Once.
  void finish();
  uint64_t seen() const { return seen_; }

 private:
  size_t size_;
  Visit visit_;
  uint64_t seen_ = 0;
  std::vector<std::pair<uint64_t, std::string>> kept_;  // which it was, and its stored form
};

}  // namespace partita::server
