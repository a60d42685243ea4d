#include "base/bytes.h"
#include "tools/transfer/source/bson_value.h"
#include "tools/transfer/source/document_reader.h"
#include "tools/transfer/source/source_window.h"

#include <fmt/format.h>

namespace partita::tools::transfer {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr size_t kDocumentBytesMin = 5;
// What the other database stores at most is 16 MB, and a little more in its own collections.
constexpr size_t kDocumentBytesMax = size_t{17} << 20;
constexpr std::string_view kArchiveMagic = "\x6D\xE2\x99\x81";

// BsonReader: documents that begin with their length, so that what is wrong in one does not touch the next.
class BsonReader : public DocumentReader {
 public:
  explicit BsonReader(std::unique_ptr<ByteSource> source) : window_(std::move(source)) {}

  Result<bool> next(SourceRecord& record) override {
    record.line = ++number_;
    TRY_ASSIGN(const bool has_length, have(kLengthBytes));
    if (!has_length && window_.text().empty()) return false;
    if (!has_length) return cut_off();
    if (window_.text().starts_with(kArchiveMagic))
      return fail(ErrorCode::kInvalidInput, "this is an archive; dump to a directory, without --archive");
    const size_t bytes = load_little_endian<uint32_t>(window_.text().data());
    if (bytes < kDocumentBytesMin || bytes > kDocumentBytesMax) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("document {}: it says that it has {} bytes; this is no BSON, or damaged", number_, bytes));
    }
    TRY_ASSIGN(const bool has_document, have(bytes));
    if (!has_document) return cut_off();
    if (const Status status = write_bson_document(window_.text().substr(0, bytes), record.document); !status)
      record.fault = status.error().message;
    window_.consume(bytes);
    return true;
  }

 private:
  std::unexpected<Error> cut_off() const {
    return fail(ErrorCode::kInvalidInput, fmt::format("document {}: the file ends inside of it", number_));
  }

  Result<bool> have(size_t bytes) {
    while (window_.text().size() < bytes) {
      TRY_ASSIGN(const bool has_more, window_.grow());
      if (!has_more) return false;
    }
    return true;
  }

  SourceWindow window_;
  uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<DocumentReader> read_bson(std::unique_ptr<ByteSource> source) {
  return std::make_unique<BsonReader>(std::move(source));
}

}  // namespace partita::tools::transfer
