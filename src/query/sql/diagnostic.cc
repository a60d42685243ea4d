#include "query/sql/diagnostic.h"

#include "query/value/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace partita::query {
namespace {

void append_code(std::string& out, std::string_view code) {
  bool is_numeric = !code.empty() && std::ranges::all_of(code, [](char c) { return c >= '0' && c <= '9'; });
  out += is_numeric ? std::string(code) : fmt::format("\"{}\"", code);
}

// Utf16Positions: positions in a text, counted in UTF-16 units. Asked for in ascending order they cost one pass together.
class Utf16Positions {
 public:
  explicit Utf16Positions(std::string_view text) : text_(text) {}

  size_t of(size_t byte) {
    if (byte < byte_) byte_ = units_ = 0;
    units_ += utf16_length(text_.substr(byte_, byte - byte_));
    byte_ = byte;
    return units_;
  }

 private:
  std::string_view text_;
  size_t byte_ = 0;
  size_t units_ = 0;
};

void append_diagnostic(std::string& out, const Diagnostic& diagnostic, Utf16Positions& positions) {
  out += R"({"severity":"Error",)";
  if (diagnostic.range) {
    const size_t start = positions.of(diagnostic.range->start);
    const size_t end = positions.of(diagnostic.range->end);
    fmt::format_to(std::back_inserter(out), R"("location":{{"start":{},"end":{}}},)", start, end);
  }
  out += R"("code":)";
  append_code(out, diagnostic.code);
  out += R"(,"message":)";
  append_quoted(out, diagnostic.message);
  out += '}';
}

}  // namespace

Error to_error(std::span<const Diagnostic> diagnostics, std::string_view text) {
  std::string message = R"({"errors":[)";
  Utf16Positions positions(text);
  for (size_t i = 0; i < std::min(diagnostics.size(), kDiagnosticsMax); ++i) {
    if (i > 0) message += ',';
    append_diagnostic(message, diagnostics[i], positions);
  }
  message += "]}";
  return Error{ErrorCode::kInvalidQuery, std::move(message)};
}

Error to_error(const Diagnostic& diagnostic, std::string_view text) { return to_error(std::span(&diagnostic, 1), text); }

}  // namespace partita::query
