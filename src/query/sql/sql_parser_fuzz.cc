#include "base/check.h"
#include "query/sql/parser.h"
#include "query/sql/printer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Any text either fails with an error or has a canonical text, which is its own canonical text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::query;
  auto query = sql::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!query) return 0;
  std::string canonical = sql::print(*query);
  auto again = sql::parse(canonical);
  // Parentheses that the printer adds may reach the nesting limit; nothing else may go wrong.
  if (!again) {
    CHECK_MESSAGE(again.error().message.contains("SC3002") || again.error().message.contains("SC3001"), canonical);
    return 0;
  }
  CHECK_MESSAGE(sql::print(*again) == canonical, canonical);
  return 0;
}
