#include "query/sql/lexer.h"

#include "query/value/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace partita::query::sql {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// Letters outside ASCII are letters too.
constexpr bool is_identifier_start(char c) { return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
constexpr bool is_identifier_part(char c) { return is_identifier_start(c) || is_digit(c); }
constexpr bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
constexpr char to_upper_ascii(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

// Between the words of queries that were copied from web pages.
constexpr std::string_view kNoBreakSpace = "\u00A0";

constexpr auto kKeywords = std::to_array<std::pair<std::string_view, Keyword>>({
    {"ALL", Keyword::kAll},           {"AND", Keyword::kAnd},         {"ARRAY", Keyword::kArray},   {"AS", Keyword::kAs},
    {"ASC", Keyword::kAsc},           {"BETWEEN", Keyword::kBetween}, {"BY", Keyword::kBy},         {"DESC", Keyword::kDesc},
    {"DISTINCT", Keyword::kDistinct}, {"ESCAPE", Keyword::kEscape},   {"EXISTS", Keyword::kExists}, {"FIRST", Keyword::kFirst},
    {"FROM", Keyword::kFrom},         {"GROUP", Keyword::kGroup},     {"IN", Keyword::kIn},         {"JOIN", Keyword::kJoin},
    {"LAST", Keyword::kLast},         {"LEFT", Keyword::kLeft},       {"LIKE", Keyword::kLike},     {"LIMIT", Keyword::kLimit},
    {"NOT", Keyword::kNot},           {"OFFSET", Keyword::kOffset},   {"OR", Keyword::kOr},         {"ORDER", Keyword::kOrder},
    {"RANK", Keyword::kRank},         {"RIGHT", Keyword::kRight},     {"SELECT", Keyword::kSelect}, {"TOP", Keyword::kTop},
    {"VALUE", Keyword::kValue},       {"WHERE", Keyword::kWhere},
});
// These are words only in exactly this spelling.
constexpr auto kExactKeywords = std::to_array<std::pair<std::string_view, Keyword>>({
    {"false", Keyword::kFalse},
    {"null", Keyword::kNull},
    {"true", Keyword::kTrue},
    {"udf", Keyword::kUdf},
    {"undefined", Keyword::kUndefined},
});

// Longer ones first: the first that matches wins.
constexpr auto kPunctuation = std::to_array<std::pair<std::string_view, Punctuation>>({
    {">>>", Punctuation::kShiftRightUnsigned},
    {"<<", Punctuation::kShiftLeft},
    {">>", Punctuation::kShiftRight},
    {"<=", Punctuation::kLessEqual},
    {">=", Punctuation::kGreaterEqual},
    {"<>", Punctuation::kNotEqual},
    {"!=", Punctuation::kNotEqual},
    {"??", Punctuation::kCoalesce},
    {"||", Punctuation::kConcatenate},
    {"(", Punctuation::kLeftParenthesis},
    {")", Punctuation::kRightParenthesis},
    {"[", Punctuation::kLeftBracket},
    {"]", Punctuation::kRightBracket},
    {"{", Punctuation::kLeftBrace},
    {"}", Punctuation::kRightBrace},
    {",", Punctuation::kComma},
    {".", Punctuation::kDot},
    {":", Punctuation::kColon},
    {"?", Punctuation::kQuestion},
    {"*", Punctuation::kStar},
    {"/", Punctuation::kSlash},
    {"%", Punctuation::kPercent},
    {"+", Punctuation::kPlus},
    {"-", Punctuation::kMinus},
    {"~", Punctuation::kTilde},
    {"&", Punctuation::kAmpersand},
    {"|", Punctuation::kBar},
    {"^", Punctuation::kCaret},
    {"=", Punctuation::kEqual},
    {"<", Punctuation::kLess},
    {">", Punctuation::kGreater},
});

Keyword keyword_of(std::string_view word) {
  for (const auto& [text, keyword] : kExactKeywords) {
    if (word == text) return keyword;
  }
  for (const auto& [text, keyword] : kKeywords) {
    if (std::ranges::equal(word, text, {}, to_upper_ascii)) return keyword;
  }
  return Keyword::kNone;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::expected<std::vector<Token>, Diagnostic> run() {
    if (!is_generalised_utf8(text_))
      return std::unexpected(Diagnostic{"SC1001", "The query text is not valid UTF-8.", std::nullopt});
    while (!failure_) {
      skip_blanks();
      if (at_ >= text_.size()) break;
      scan_token();
    }
    if (failure_) return std::unexpected(std::move(*failure_));
    auto end = static_cast<uint32_t>(text_.size());
    tokens_.push_back(Token{.range = {end, end}});
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  bool at_no_break_space(size_t ahead = 0) const { return text_.substr(at_ + ahead).starts_with(kNoBreakSpace); }
  bool at_identifier_start(size_t ahead) const { return is_identifier_start(peek(ahead)) && !at_no_break_space(ahead); }
  bool at_identifier_part() const { return is_identifier_part(peek()) && !at_no_break_space(); }

  void skip_blanks() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++at_;
      } else if (at_no_break_space()) {
        at_ += kNoBreakSpace.size();
      } else if (c == '-' && peek(1) == '-') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  void scan_token() {
    char c = peek();
    if (at_identifier_start(0)) return scan_word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return scan_number();
    if (c == '"' || c == '\'') return scan_string();
    if (c == '@' && at_identifier_start(1)) return scan_parameter();
    for (const auto& [text, punctuation] : kPunctuation) {
      if (text_.substr(at_).starts_with(text)) {
        at_ += text.size();
        return push({.kind = TokenKind::kPunctuation, .punctuation = punctuation}, at_ - text.size());
      }
    }
    fail("SC1001", "Syntax error, incorrect syntax near '{}'.", at_, at_ + 1);
  }

  void scan_word() {
    size_t start = at_;
    while (at_identifier_part()) ++at_;
    Keyword keyword = keyword_of(text_.substr(start, at_ - start));
    push({.kind = keyword == Keyword::kNone ? TokenKind::kIdentifier : TokenKind::kKeyword, .keyword = keyword}, start);
  }

  void scan_parameter() {
    size_t start = at_++;
    while (at_identifier_part()) ++at_;
    push({.kind = TokenKind::kParameter}, start);
  }

  void scan_number() {
    size_t start = at_;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && is_hex_digit(peek(2))) {
      at_ += 2;
      while (is_hex_digit(peek())) ++at_;
    } else {
      skip_digits();
      if (peek() == '.') {
        ++at_;
        skip_digits();
      }
      skip_exponent();
    }
    if (at_identifier_part()) {
      while (at_identifier_part()) ++at_;
      return fail("SC1012", "Syntax error, invalid numeric value token '{}'.", start, at_);
    }
    push({.kind = TokenKind::kNumber}, start);
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  void skip_exponent() {
    if (peek() != 'e' && peek() != 'E') return;
    size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (!is_digit(peek(1 + sign))) return;
    at_ += 1 + sign;
    skip_digits();
  }

  void scan_string() {
    size_t start = at_;
    char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote) {
      size_t length = text_[at_] == '\\' ? escape_length() : 1;
      if (length == 0)
        return fail("SC1010", "Syntax error, invalid string literal token '{}'.", start, std::min(at_ + 2, text_.size()));
      at_ += length;
    }
    if (at_ >= text_.size()) return fail("SC1010", "Syntax error, invalid string literal token '{}'.", start, text_.size());
    ++at_;
    push({.kind = TokenKind::kString}, start);
  }

  // Length of the escape sequence at the current backslash; 0 when it is none.
  size_t escape_length() const {
    if (peek(1) != 'u') return std::string_view("'\"\\/bfnrt").contains(peek(1)) && at_ + 1 < text_.size() ? 2 : 0;
    for (size_t i = 2; i < 6; ++i) {
      if (!is_hex_digit(peek(i))) return 0;
    }
    return 6;
  }

  void push(Token token, size_t start) {
    token.range = {static_cast<uint32_t>(start), static_cast<uint32_t>(at_)};
    tokens_.push_back(token);
  }

  void fail(const char* code, fmt::format_string<std::string_view> message, size_t start, size_t end) {
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;  // whole characters
    SourceRange range{static_cast<uint32_t>(start), static_cast<uint32_t>(end)};
    failure_ = Diagnostic{code, fmt::format(message, text_.substr(start, end - start)), range};
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
  std::optional<Diagnostic> failure_;
};

uint32_t hex_value(std::string_view digits) {
  uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

char simple_escape(char c) {
  switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;
  }
}

// The code point of the \u escape at `at`, two of them when they are a pair of surrogates; moves `at` behind.
uint32_t unicode_escape(std::string_view body, size_t& at) {
  uint32_t unit = hex_value(body.substr(at + 2, 4));
  at += 6;
  bool is_pair = unit >= 0xD800 && unit < 0xDC00 && body.substr(at).starts_with("\\u") && body.size() >= at + 6;
  if (!is_pair) return unit;
  uint32_t low = hex_value(body.substr(at + 2, 4));
  if (low < 0xDC00 || low >= 0xE000) return unit;
  at += 6;
  return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

}  // namespace

std::expected<std::vector<Token>, Diagnostic> tokenize(std::string_view text) { return Lexer(text).run(); }

std::string string_token_value(std::string_view token) {
  std::string_view body = token.substr(1, token.size() - 2);
  std::string value;
  value.reserve(body.size());
  for (size_t at = 0; at < body.size();) {
    if (body[at] != '\\') {
      value += body[at++];
    } else if (body[at + 1] == 'u') {
      append_code_point(value, unicode_escape(body, at));
    } else {
      value += simple_escape(body[at + 1]);
      at += 2;
    }
  }
  return value;
}

}  // namespace partita::query::sql
