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

void append_diagnostic(std::string& out, const Diagnostic& diagnostic, std::string_view text) {
  out += R"({"severity":"Error",)";
  if (diagnostic.range) {
    fmt::format_to(std::back_inserter(out), R"("location":{{"start":{},"end":{}}},)",
                   utf16_length(text.substr(0, diagnostic.range->start)), utf16_length(text.substr(0, diagnostic.range->end)));
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
  for (size_t i = 0; i < diagnostics.size(); ++i) {
    if (i > 0) message += ',';
    append_diagnostic(message, diagnostics[i], text);
  }
  message += "]}";
  return Error{ErrorCode::kInvalidQuery, std::move(message)};
}

Error to_error(const Diagnostic& diagnostic, std::string_view text) { return to_error(std::span(&diagnostic, 1), text); }

}  // namespace partita::query
