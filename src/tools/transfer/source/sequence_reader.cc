#include "document/json/json.h"
#include "tools/transfer/source/document_reader.h"
#include "tools/transfer/source/source_window.h"

#include <fmt/format.h>

#include <optional>

namespace partita::tools::transfer {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_white_space(char character) { return character == ' ' || character == '\t' || character == '\n' || character == '\r'; }

// ValueExtent: finds where a JSON value ends, piece by piece. It knows brackets and strings; what is between them is read later.
class ValueExtent {
 public:
  // How many bytes of the text belong to the value, when its end is among them.
  std::optional<size_t> feed(std::string_view text, size_t from) {
    for (size_t at = from; at < text.size(); ++at) {
      const char character = text[at];
      if (is_in_string_) {
        take_in_string(character);
        if (!is_in_string_ && depth_ == 0) return at + 1;
      } else if (depth_ == 0 && is_scalar_ && is_end_of_scalar(character)) {
        return at;
      } else if (take_outside(character) && depth_ == 0) {
        return at + 1;
      }
    }
    return std::nullopt;
  }

 private:
  static bool is_end_of_scalar(char character) {
    return is_white_space(character) || character == ',' || character == ']' || character == '}' || character == '{' ||
           character == '[';
  }

  void take_in_string(char character) {
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (character == '\\') {
      is_escaped_ = true;
    } else if (character == '"') {
      is_in_string_ = false;
    }
  }

  // Whether a bracket was closed.
  bool take_outside(char character) {
    if (character == '"') {
      is_in_string_ = true;
    } else if (character == '{' || character == '[') {
      ++depth_;
    } else if (character == '}' || character == ']') {
      if (depth_ > 0) --depth_;
      return true;
    } else if (depth_ == 0) {
      is_scalar_ = true;
    }
    return false;
  }

  size_t depth_ = 0;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
  bool is_scalar_ = false;
};

// SequenceReader: objects in an array, or behind each other.
class SequenceReader : public DocumentReader {
 public:
  explicit SequenceReader(std::unique_ptr<ByteSource> source) : window_(std::move(source)) {}

  Result<bool> next(SourceRecord& record) override {
    TRY_ASSIGN(const bool has_value, find_value());
    if (!has_value) return false;
    record.line = window_.line();
    TRY_ASSIGN(const size_t bytes, measure_value());
    if (const Status status = read_json(window_.text().substr(0, bytes), record.document); !status) {
      record.fault = status.error().message;
    } else if (!record.document.view().is_object()) {
      record.fault = "a document must be a JSON object";
    }
    window_.consume(bytes);
    return true;
  }

 private:
  enum class Place : uint8_t { kBeginning, kFirstElement, kBetween, kEnd };

  // The next byte that is no white space, without taking it; nothing at the end.
  Result<std::optional<char>> peek() {
    while (true) {
      const std::string_view text = window_.text();
      size_t blanks = 0;
      while (blanks < text.size() && is_white_space(text[blanks])) ++blanks;
      const std::optional<char> found = blanks < text.size() ? std::optional(text[blanks]) : std::nullopt;
      window_.consume(blanks);
      if (found) return found;
      TRY_ASSIGN(const bool has_more, window_.grow());
      if (!has_more) return std::optional<char>();
    }
  }

  std::unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorCode::kInvalidInput, fmt::format("line {}: {}", window_.line(), what));
  }

  Status begin() {
    place_ = Place::kBetween;
    while (window_.text().size() < kByteOrderMark.size()) {
      TRY_ASSIGN(const bool has_more, window_.grow());
      if (!has_more) break;
    }
    if (window_.text().starts_with(kByteOrderMark)) window_.consume(kByteOrderMark.size());
    TRY_ASSIGN(const std::optional<char> first, peek());
    if (first != '[') return {};
    is_array_ = true;
    window_.consume(1);
    place_ = Place::kFirstElement;
    return {};
  }

  // Moves to where the next value begins; false at the end.
  Result<bool> find_value() {
    if (place_ == Place::kBeginning) TRY(begin());
    TRY_ASSIGN(std::optional<char> next, peek());
    if (!is_array_ || place_ == Place::kEnd) {
      if (next && is_array_) return wrong("there is something behind the end of the array");
      return next.has_value();
    }
    if (!next) return wrong("the array is not closed: the text ends too early");
    if (*next == ']') {
      window_.consume(1);
      place_ = Place::kEnd;
      return find_value();
    }
    if (place_ == Place::kBetween) {
      if (*next != ',') return wrong("expected a comma or the end of the array");
      window_.consume(1);
      TRY_ASSIGN(next, peek());
      if (!next || *next == ']' || *next == ',') return wrong("expected a document behind the comma");
    }
    if (*next == ',') return wrong("expected a document, found a comma");
    place_ = Place::kBetween;
    return true;
  }

  Result<size_t> measure_value() {
    ValueExtent extent;
    size_t fed = 0;
    while (true) {
      if (const std::optional<size_t> bytes = extent.feed(window_.text(), fed)) {
        return *bytes > 0 ? *bytes : 1;  // a bracket that closes nothing
      }
      fed = window_.text().size();
      if (fed > kRecordBytesMax) return wrong(fmt::format("the document has more than {} bytes", kRecordBytesMax));
      TRY_ASSIGN(const bool has_more, window_.grow());
      if (!has_more) return fed;
    }
  }

  SourceWindow window_;
  Place place_ = Place::kBeginning;
  bool is_array_ = false;
};

}  // namespace

std::unique_ptr<DocumentReader> read_sequence(std::unique_ptr<ByteSource> source) {
  return std::make_unique<SequenceReader>(std::move(source));
}

}  // namespace partita::tools::transfer
