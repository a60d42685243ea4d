#pragma once

#include "document/key/murmur3.h"
#include "document/value.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// What a document says, without what a server adds to it.
namespace partita::tools::transfer {

bool is_system_property(std::string_view name);

// The same for documents with the same properties, whatever their order in the document; system properties and those in `ignored`
// do not count.
Hash128 content_hash(const Value& document, std::span<const std::string> ignored);

// ContentSum: how many documents there are, and a sum of their hashes that does not depend on their order.
struct ContentSum {
  uint64_t documents = 0;
  uint64_t low = 0;
  uint64_t high = 0;

  void add(const Hash128& hash);
  void add(const ContentSum& other);
  // 32 hexadecimal digits; those of no document are zeros.
  std::string text() const;

  bool operator==(const ContentSum&) const = default;
};

// An id for a document that has none: always the same for this document at this position of a file with this name, so that a
// second try cannot make a second document.
std::string generated_id(std::string_view file_name, uint64_t position, const Hash128& content);

}  // namespace partita::tools::transfer
