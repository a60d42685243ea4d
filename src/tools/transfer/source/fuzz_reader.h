#pragma once

#include "base/check.h"
#include "document/json/json.h"
#include "tools/transfer/source/document_reader.h"
#include "tools/transfer/source/test_records.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace partita::tools::transfer {

// For fuzzers: what a reader finds must not depend on how the text is cut into pieces, and must be objects.
inline void fuzz_reader(const uint8_t* data, size_t size,
                        const std::function<std::unique_ptr<DocumentReader>(std::unique_ptr<ByteSource>)>& read) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string whole = records_text(*read(source_of(text)));
  const std::string pieces = records_text(*read(std::make_unique<SmallPieces>(text, 1 + size % 7)));
  CHECK(whole == pieces);
}

}  // namespace partita::tools::transfer
