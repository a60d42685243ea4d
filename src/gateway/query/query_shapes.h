#pragma once

#include "cluster/resources.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// QueryShapes: which queries containers are asked, by their texts without literals and without the values of parameters, for
// whoever asks what another partition key would make of them.
//
// Thread-safe. Of every kSampling pages one is noted; bounded by kContainersMax, kShapesMax and kTextBytesMax: rare shapes give
// way to new ones, and so does the container that was not asked for longest.
class QueryShapes {
 public:
  static constexpr uint64_t kSampling = 32;
  static constexpr size_t kContainersMax = 200;
  static constexpr size_t kShapesMax = 32;  // of a container
  static constexpr size_t kTextBytesMax = 2048;

  struct Shape {
    std::string text;
    uint64_t pages = 0;  // noted
    double units = 0;    // that these cost
  };

  explicit QueryShapes(bool is_enabled) : is_enabled_(is_enabled) {}

  bool is_enabled() const { return is_enabled_; }
  // Whether the page that comes next is one to note. Cheap.
  bool wants_next() { return is_enabled_ && ordinal_.fetch_add(1, std::memory_order_relaxed) % kSampling == 0; }
  void note(const Container& container, std::string_view shape, double units);
  // The most frequent first.
  std::vector<Shape> of(const Container& container) const;

 private:
  struct Record {
    uint64_t last_used = 0;
    std::vector<Shape> shapes;
  };

  const bool is_enabled_;
  std::atomic<uint64_t> ordinal_ = 0;
  mutable std::mutex mutex_;
  uint64_t uses_ = 0;                   // guarded by mutex_
  std::map<uint32_t, Record> records_;  // by the container's number, which is never given twice; guarded by mutex_
};

}  // namespace partita
