#pragma once

#include "tools/transfer/import/destination.h"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace partita::tools::transfer {

// Recovery: which documents that were in doubt have been found in the destination. Not thread-safe.
//
// A document of the destination stands for one document of the source, however many of the source say the same.
class Recovery {
 public:
  // `computed` are properties that the destination makes: they say nothing about the content.
  Recovery(PartitionKeyDefinition key, std::vector<std::string> computed)
      : key_(std::move(key)), computed_(std::move(computed)) {}

  // How many of these documents, in JSON, say what this one says and have its key, as far as it has one itself.
  uint64_t count_equal(const PendingWrite& write, std::span<const std::string> documents) const;
  // Whether one of the `equal` documents that were found is left for this one; then it is taken.
  bool take(const PendingWrite& write, uint64_t equal);
  // Whether this is the first document of its key and id that replaced one; what either says does not matter.
  bool take_first(const PendingWrite& write);

 private:
  bool is_equal(const PendingWrite& write, std::string_view document) const;

  PartitionKeyDefinition key_;
  std::vector<std::string> computed_;
  std::unordered_map<std::string, uint64_t> taken_;  // by key, id and, but for take_first(), content
};

}  // namespace partita::tools::transfer
