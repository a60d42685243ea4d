#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace partita::query {

// Bytes [start, end) of a query text.
struct SourceRange {
  uint32_t start = 0;
  uint32_t end = 0;

  bool operator==(const SourceRange&) const = default;
};

// One mistake in a query text, as SDKs show it. `code` is SC1001 and the like, or digits alone for the older numeric codes.
struct Diagnostic {
  std::string code;
  std::string message;
  std::optional<SourceRange> range;
};

// kInvalidQuery whose message is the JSON text of the wire: {"errors":[{"severity":"Error","location":{...},...}]}.
// Locations count UTF-16 units of the text, as the service's do.
// No more than kDiagnosticsMax are told.
inline constexpr size_t kDiagnosticsMax = 50;
Error to_error(std::span<const Diagnostic> diagnostics, std::string_view text);
Error to_error(const Diagnostic& diagnostic, std::string_view text);

}  // namespace partita::query
