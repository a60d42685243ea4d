#pragma once

#include "document/json/json.h"
#include "tools/transfer/source/document_reader.h"

#include <algorithm>
#include <string>
#include <utility>

// For tests: readers whose text comes in pieces, and what they find as text.
namespace partita::tools::transfer {

// SmallPieces: gives a text a few bytes at a time, so that everything is cut somewhere.
class SmallPieces : public ByteSource {
 public:
  SmallPieces(std::string text, size_t piece) : text_(std::move(text)), piece_(piece) {}

  Result<size_t> read(std::span<char> into) override {
    const size_t bytes = std::min({into.size(), piece_, text_.size() - at_});
    std::copy_n(text_.data() + at_, bytes, into.data());
    at_ += bytes;
    return bytes;
  }

 private:
  std::string text_;
  size_t piece_;
  size_t at_ = 0;
};

// A line for each record: its line number and its document or fault; at last what ended it, if that was an error.
inline std::string records_text(DocumentReader& reader) {
  std::string text;
  SourceRecord record;
  while (true) {
    record.clear();
    const Result<bool> has_record = reader.next(record);
    if (!has_record) return text + "error: " + has_record.error().message + "\n";
    if (!*has_record) return text;
    text += std::to_string(record.line) + ": ";
    text += record.fault.empty() ? to_json(record.document.view()) : "fault: " + record.fault;
    text += '\n';
  }
}

}  // namespace partita::tools::transfer
