#include "document/path.h"

#include "document/json/json.h"
#include "document/json/json_string.h"

#include <fmt/format.h>

namespace partita {

namespace {

constexpr std::string_view kWhiteSpace = " \t\n\r\f\v";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

// Characters that mean something in a path, or that nobody would see.
bool needs_quotes(std::string_view segment) {
  if (segment.empty() || trimmed(segment).size() != segment.size()) return true;
  for (const char character : segment) {
    if (static_cast<uint8_t>(character) <= ' ' || std::string_view("/\"'\\*?[](){}").find(character) != std::string_view::npos)
      return true;
  }
  return false;
}

// PathParser: one walk over a path's text.
class PathParser {
 public:
  explicit PathParser(std::string_view text) : text_(text) {}

  Result<DocumentPath> parse() {
    if (text_.empty() || text_.front() != '/') return error("it must begin with '/'");
    DocumentPath path;
    while (at_ < text_.size()) {
      if (text_[at_] != '/') return error("expected '/' after the closing quote");
      ++at_;
      const bool is_quoted = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
      TRY_ASSIGN(std::string segment, is_quoted ? parse_quoted() : parse_plain());
      if (path.segments.size() == kNestingMax) return error("no document is nested so deep");
      path.segments.push_back(std::move(segment));
    }
    return path;
  }

 private:
  std::unexpected<Error> error(std::string_view why) const {
    return fail(ErrorCode::kInvalidInput, fmt::format("The path '{}' is invalid at position {}: {}.", text_, at_, why));
  }

  Result<std::string> parse_plain() {
    const size_t end = std::min(text_.find('/', at_), text_.size());
    const std::string_view segment = trimmed(text_.substr(at_, end - at_));
    if (segment.empty()) return error("a segment is empty");
    if (segment == "*" || segment == "?") return error("wildcards are not allowed");
    if (segment == "[]") return error("array positions are not allowed");
    at_ = end;
    return std::string(segment);
  }

  Result<std::string> parse_quoted() {
    const char quote = text_[at_];
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return error("a quoted segment is not closed");
    TRY_ASSIGN(std::string segment, unescape(text_.substr(at_ + 1, end - at_ - 1)));
    if (segment.empty()) return error("a segment is empty");
    at_ = end + 1;
    return segment;
  }

  // The escapes of JSON strings, and \' which they do not have.
  Result<std::string> unescape(std::string_view escaped) {
    std::string segment;
    for (;;) {
      const size_t stop = append_unescaped(segment, escaped);
      if (stop == std::string_view::npos) return segment;
      if (!escaped.substr(stop).starts_with("\\'")) return error("a quoted segment contains an unknown escape");
      segment += '\'';
      escaped.remove_prefix(stop + 2);
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<DocumentPath> DocumentPath::parse(std::string_view text) { return PathParser(text).parse(); }

std::string DocumentPath::text() const {
  std::string out;
  for (const std::string& segment : segments) {
    out += '/';
    if (needs_quotes(segment)) {
      append_json_string(out, segment);
    } else {
      out += segment;
    }
  }
  return out;
}

Value DocumentPath::resolve(const Value& root) const {
  Value value = root;
  for (const std::string& segment : segments) {
    value = value.find(segment);
    if (value.is_undefined()) break;
  }
  return value;
}

}  // namespace partita
