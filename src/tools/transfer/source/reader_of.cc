#include "tools/transfer/source/document_reader.h"

#include <algorithm>
#include <array>
#include <optional>

namespace partita::tools::transfer {
namespace {

// PeekedSource: a source whose first bytes were looked at.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // The first byte that is neither white space nor a byte order mark.
  Result<std::optional<char>> first_byte() {
    constexpr std::string_view kSkipped = " \t\r\n\xEF\xBB\xBF";
    while (true) {
      std::array<char, 512> piece{};
      TRY_ASSIGN(const size_t bytes, source_->read(piece));
      head_.append(piece.data(), bytes);
      const std::string_view read(piece.data(), bytes);
      const size_t found = read.find_first_not_of(kSkipped);
      if (found != std::string_view::npos) return read[found];
      if (bytes == 0 || head_.size() > kBlanksMax) return std::optional<char>();
    }
  }

  Result<size_t> read(std::span<char> into) override {
    if (at_ == head_.size()) return source_->read(into);
    const size_t bytes = std::min(into.size(), head_.size() - at_);
    std::copy_n(head_.data() + at_, bytes, into.data());
    at_ += bytes;
    return bytes;
  }

 private:
  static constexpr size_t kBlanksMax = 1 << 20;

  std::unique_ptr<ByteSource> source_;
  std::string head_;
  size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<DocumentReader>> reader_of(std::unique_ptr<ByteSource> source, SourceFormat format, TableOptions options) {
  switch (format) {
    case SourceFormat::kLines: return read_lines(std::move(source));
    case SourceFormat::kJson: return read_sequence(std::move(source));
    case SourceFormat::kTable: return read_table(std::move(source), std::move(options));
    case SourceFormat::kBson: return read_bson(std::move(source));
    case SourceFormat::kAutomatic: break;
  }
  auto peeked = std::make_unique<PeekedSource>(std::move(source));
  TRY_ASSIGN(const std::optional<char> first, peeked->first_byte());
  if (first == '[') return read_sequence(std::move(peeked));
  return read_lines(std::move(peeked));
}

}  // namespace partita::tools::transfer
