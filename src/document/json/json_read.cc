#include "document/json/byte_scan.h"
#include "document/json/json.h"
#include "document/json/json_members.h"
#include "document/json/json_string.h"
#include "document/json/json_tokens.h"
#include "document/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// JSON text to stored form: one walk over the tokens, without a tree between.
namespace partita {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_white_space(char character) { return character == ' ' || character == '\t' || character == '\n' || character == '\r'; }

// JsonReader: checks the grammar of one tokenized text and writes what it reads.
//
// Functions return false after they noted the fault; nothing is read behind it.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::span<const uint32_t> starts, StoredWriter& out, StoredWriter& ignored,
             std::string& scratch)
      : text_(text), starts_(starts), out_(&out), ignored_(ignored), scratch_(scratch) {}

  bool read_root() { return read_value(0) && expect_end(); }

  bool read_root_members(std::span<const std::string_view> skipped, const PutInstead& put_instead) {
    if (here() != '{') return fault("expected an object");
    ++next_;
    put_instead_ = &put_instead;
    return read_members(1, skipped) && expect_end();
  }

  const JsonFault& fault() const { return fault_; }

 private:
  // The first byte of the next token; 0 at the end.
  char here() const { return next_ < starts_.size() ? text_[starts_[next_]] : '\0'; }
  size_t offset() const { return next_ < starts_.size() ? starts_[next_] : text_.size(); }

  bool take(char expected) {
    if (here() != expected) return false;
    ++next_;
    return true;
  }

  std::string_view take_token() {
    const size_t begin = starts_[next_++];
    size_t end = next_ < starts_.size() ? starts_[next_] : text_.size();
    while (is_white_space(text_[end - 1])) --end;
    return text_.substr(begin, end - begin);
  }

  bool fault(std::string_view what) {
    if (next_ >= starts_.size()) return fault_at(text_.size(), fmt::format("{}, found the end of the text", what));
    return fault_at(offset(), what);
  }
  bool fault_at(size_t offset, std::string_view what) {
    fault_ = {offset, std::string(what)};
    return false;
  }

  bool expect_end() { return next_ == starts_.size() || fault("expected the end of the text after its value"); }

  // `depth`: how many arrays and objects are open around the value.
  bool read_value(size_t depth) {
    switch (here()) {
      case '{':
        if (!check_depth(depth)) return false;
        ++next_;
        out_->begin_object();
        if (!read_members(depth + 1, {})) return false;
        out_->end_object();
        return true;
      case '[':
        if (!check_depth(depth)) return false;
        ++next_;
        return read_elements(depth + 1);
      case '"': {
        std::string_view string;
        if (!read_string(string)) return false;
        out_->string(string);
        return true;
      }
      case 't': return read_literal("true") && (out_->boolean(true), true);
      case 'f': return read_literal("false") && (out_->boolean(false), true);
      case 'n': return read_literal("null") && (out_->null(), true);
      default: return read_number();
    }
  }

  bool check_depth(size_t depth) {
    return depth < kNestingMax || fault(fmt::format("more than {} arrays and objects inside each other", kNestingMax));
  }

  // Behind the opening bracket.
  bool read_elements(size_t depth) {
    out_->begin_array();
    if (!take(']')) {
      do {
        if (!read_value(depth)) return false;
      } while (take(','));
      if (!take(']')) return fault("expected ',' or ']' after an array element");
    }
    out_->end_array();
    return true;
  }

  // Behind the opening brace, up to behind the closing one; the object is open in the writer.
  bool read_members(size_t depth, std::span<const std::string_view> skipped) {
    if (take('}')) return true;
    do {
      if (!read_member(depth, skipped)) return false;
    } while (take(','));
    return take('}') || fault("expected ',' or '}' after an object member");
  }

  bool read_member(size_t depth, std::span<const std::string_view> skipped) {
    if (here() != '"') return fault("expected a property name in double quotes");
    std::string_view key;
    if (!read_string(key)) return false;
    const bool is_skipped = !skipped.empty() && std::ranges::find(skipped, key) != skipped.end();
    if (!is_skipped) {
      out_->key(key);
    } else if (*put_instead_) {
      (*put_instead_)(key);
    }
    if (!take(':')) return fault("expected ':' after a property name");
    return is_skipped ? read_ignored(depth) : read_value(depth);
  }

  // What is skipped must be as well-formed as what is kept.
  bool read_ignored(size_t depth) {
    StoredWriter* kept = std::exchange(out_, &ignored_);
    ignored_.clear();
    const bool is_read = read_value(depth);
    out_ = kept;
    return is_read;
  }

  // The string lives until the next one is read.
  bool read_string(std::string_view& string) {
    const size_t begin = offset();
    const std::string_view token = take_token();
    // Never so after the first stage, but this is what the length below relies on.
    if (token.size() < 2 || token.back() != '"') return fault_at(begin, "a string that is not closed");
    string = token.substr(1, token.size() - 2);
    if (!any_word(string, [](uint64_t word) { return any_equal(word, '\\') != 0; })) return true;
    scratch_.clear();
    const size_t bad_escape = append_unescaped(scratch_, string);
    if (bad_escape != std::string_view::npos) return fault_at(begin + 1 + bad_escape, "an escape that JSON does not have");
    string = scratch_;
    return true;
  }

  bool read_literal(std::string_view literal) {
    const size_t begin = offset();
    return take_token() == literal || fault_at(begin, "expected a value");
  }

  bool read_number() {
    if (next_ == starts_.size()) return fault("expected a value");
    const size_t begin = offset();
    const std::string_view token = take_token();
    const ParsedNumber parsed = parse_number(token);
    switch (parsed.kind) {
      case NumberKind::kInteger: out_->integer(parsed.integer); return true;
      case NumberKind::kDouble: out_->number(parsed.real); return true;
      case NumberKind::kText: out_->number_token(token); return true;
      case NumberKind::kTooLarge: return fault_at(begin, "a number beyond the range of a double");
      case NumberKind::kInvalid: break;
    }
    return fault_at(begin, "expected a value");
  }

  std::string_view text_;
  std::span<const uint32_t> starts_;
  size_t next_ = 0;
  StoredWriter* out_;
  StoredWriter& ignored_;
  std::string& scratch_;
  const PutInstead* put_instead_ = nullptr;  // set where members of the root are skipped
  JsonFault fault_{};
};

// What a thread keeps from text to text.
struct Workspace {
  JsonTokenizer tokenizer;
  StoredWriter ignored;
  StoredWriter whole;
  std::string scratch;
};

Workspace& workspace() {
  thread_local Workspace kept;
  return kept;
}

Status to_status(const JsonFault& fault, size_t skipped_bytes) {
  return fail(ErrorCode::kInvalidInput, fmt::format("Invalid JSON at byte {}: {}.", fault.offset + skipped_bytes, fault.what));
}

// `read` drives the reader and says whether it succeeded.
template <typename Read>
Status read_text(std::string_view text, StoredWriter& out, Read read) {
  const size_t mark_bytes = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  text.remove_prefix(mark_bytes);
  Workspace& kept = workspace();
  if (const auto fault = kept.tokenizer.tokenize(text)) return to_status(*fault, mark_bytes);
  JsonReader reader(text, kept.tokenizer.starts(), out, kept.ignored, kept.scratch);
  const bool is_read = read(reader);
  kept.tokenizer.shrink();
  if (!is_read) return to_status(reader.fault(), mark_bytes);
  return {};
}

}  // namespace

Status read_json(std::string_view text, StoredWriter& out) {
  return read_text(text, out, [](JsonReader& reader) { return reader.read_root(); });
}

Status read_json_members(std::string_view text, std::span<const std::string_view> skipped, StoredWriter& out) {
  return read_json_members(text, skipped, out, {});
}

Status read_json_members(std::string_view text, std::span<const std::string_view> skipped, StoredWriter& out,
                         const PutInstead& put_instead) {
  return read_text(text, out, [&](JsonReader& reader) { return reader.read_root_members(skipped, put_instead); });
}

Result<std::string> stored_from_json(std::string_view text) {
  StoredWriter& writer = workspace().whole;
  writer.clear();
  TRY(read_json(text, writer));
  return writer.take();
}

}  // namespace partita
