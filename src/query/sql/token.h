#pragma once

#include "query/sql/diagnostic.h"

#include <cstdint>
#include <string_view>

namespace partita::query::sql {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kKeyword,
  kString,  // with its quotes
  kNumber,
  kParameter,  // with its @
  kPunctuation,
};

// Words of the language. Those that only mean something in one place (RANK, LEFT, ...) may also name things.
enum class Keyword : uint8_t {
  kNone,
  kAll,
  kAnd,
  kArray,
  kAs,
  kAsc,
  kBetween,
  kBy,
  kDesc,
  kDistinct,
  kEscape,
  kExists,
  kFalse,
  kFirst,
  kFrom,
  kGroup,
  kIn,
  kJoin,
  kLast,
  kLeft,
  kLike,
  kLimit,
  kNot,
  kNull,
  kOffset,
  kOr,
  kOrder,
  kRank,
  kRight,
  kSelect,
  kTop,
  kTrue,
  kUdf,
  kUndefined,
  kValue,
  kWhere,
};

enum class Punctuation : uint8_t {
  kNone,
  kLeftParenthesis,
  kRightParenthesis,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kComma,
  kDot,
  kColon,
  kQuestion,
  kCoalesce,
  kStar,
  kSlash,
  kPercent,
  kPlus,
  kMinus,
  kTilde,
  kAmpersand,
  kBar,
  kConcatenate,
  kCaret,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Keyword keyword = Keyword::kNone;
  Punctuation punctuation = Punctuation::kNone;
  SourceRange range = {};

  bool is(Keyword wanted) const { return keyword == wanted; }
  bool is(Punctuation wanted) const { return punctuation == wanted; }
  std::string_view text(std::string_view source) const { return source.substr(range.start, range.end - range.start); }
};

}  // namespace partita::query::sql
