#pragma once

#include "base/result.h"
#include "document/path.h"
#include "document/value.h"
#include "tools/bench/load/placeholder.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::tools::bench {

// A template of so many bytes is refused, and so is a document that would be larger than a service takes.
inline constexpr size_t kTemplateBytesMax = size_t{2} << 20;
inline constexpr size_t kDocumentBytesMax = size_t{2} << 20;

// The shape of documents when nothing else is wanted.
extern const std::string_view kDefaultTemplate;

// A text, and behind it what a placeholder gives.
struct TemplatePiece {
  std::string text;
  std::optional<Placeholder> placeholder = {};
};

// DocumentTemplate: documents made from a JSON object whose strings contain placeholders (docs/bench.md). Immutable and
// thread-safe.
//
// A document is a function of its Subject alone, so that readers know ids and keys of documents that others wrote.
class DocumentTemplate {
 public:
  struct Terms {
    DocumentPath key_path;      // of the partition key; the template gets it as {{key}} when it lacks it
    size_t document_bytes = 0;  // what {{padding}} fills documents up to; 0: nothing
  };
  // kInvalidInput: no JSON object, a bad placeholder, an id that several documents would have, or a key that is no scalar.
  static Result<DocumentTemplate> parse(std::string_view json, const Terms& terms);

  void append_document(std::string& out, const Subject& subject) const;
  std::string id(const Subject& subject) const;
  // JSON text of the value.
  std::string key(const Subject& subject) const;

 private:
  // Pieces [first, last) are the value of one member.
  struct Part {
    size_t first = 0;
    size_t last = 0;

    bool is_empty() const { return first == last; }
    bool has(size_t index) const { return index >= first && index < last; }
  };
  class Builder;

  void append_piece(std::string& out, size_t index, const Subject& subject) const;
  std::string text_of(const Part& part, const Subject& subject) const;

  std::vector<TemplatePiece> pieces_;
  Part id_;
  Part key_;
  size_t document_bytes_ = 0;
};

// TextTemplate: a text whose placeholders become JSON literals, such as that of a query. Immutable and thread-safe.
class TextTemplate {
 public:
  static Result<TextTemplate> parse(std::string_view text);
  std::string text(const Subject& subject) const;

 private:
  std::vector<TemplatePiece> pieces_;
};

}  // namespace partita::tools::bench
