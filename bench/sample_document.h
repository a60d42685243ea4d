// The documents that every server is measured with: about 1 KB, eighteen properties, one nested object, one small array,
// twenty-one values to index. A document is a function of its number, so that any answer can be checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace partita::bench {

// A thousand partition key values, so that a key has several documents and no key is hot.
std::string document_id(std::uint64_t number);
std::string document_partition_key(std::uint64_t number);

// JSON text without white space; strings without escapes, numbers in their shortest form.
std::string sample_document(std::uint64_t number);

// Whether `answer` holds every value of document `number`. Servers may add properties, reorder them and add white space.
bool holds_document(std::string_view answer, std::uint64_t number);

}  // namespace partita::bench
