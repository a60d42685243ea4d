#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "protocols/cosmos/codec/session_token.h"

using partita::cosmos::SessionTokens;

// A list that parses can be asked about any range, and adding a token for a range never lowers what is demanded of it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tokens = SessionTokens::parse(text);
  if (!tokens) return 0;
  const uint64_t before = tokens->lsn_demanded("0");
  std::string more(text);
  more += ',';
  append_session_token(more, "0", 77, partita::cosmos::SessionTokenShape::kVector);
  const auto both = SessionTokens::parse(more);
  CHECK(both && both->lsn_demanded("0") == std::max<uint64_t>(before, 77));
  return 0;
}
