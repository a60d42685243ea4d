#include "protocols/cosmos/fidelity.h"

#include "net/http/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::cosmos {
namespace {

constexpr std::array<std::string_view, 2> kNames = {"service", "extended"};

bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// An id that is escaped once more than it needs to be: "%20" in the id itself.
bool has_escape(std::string_view id) {
  for (size_t at = id.find('%'); at != std::string_view::npos; at = id.find('%', at + 1)) {
    if (at + 2 < id.size() && is_hex_digit(id[at + 1]) && is_hex_digit(id[at + 2])) return true;
  }
  return false;
}

}  // namespace

std::string_view name_of(Fidelity fidelity) { return kNames[static_cast<size_t>(fidelity)]; }

Result<Fidelity> fidelity(std::string_view asked, Fidelity of_account) {
  if (asked.empty()) return of_account;
  const auto name = std::ranges::find_if(kNames, [&](std::string_view known) { return net::equal_without_case(known, asked); });
  if (name != kNames.end()) return static_cast<Fidelity>(name - kNames.begin());
  return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not a fidelity: it is 'service' or 'extended'.", asked));
}

bool is_url_of_gateway(std::string_view item_id) {
  return std::ranges::none_of(item_id, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; });
}

Status check_gateway_reaches(std::string_view item_id) {
  const bool is_spelled_anew =
      item_id.ends_with(' ') || item_id.find_first_of("/\\#") != std::string_view::npos || has_escape(item_id);
  if (!is_spelled_anew) return {};
  return fail(ErrorCode::kUnauthorized,
              "The input authorization token can't serve the request: the service's gateway spells the path anew when the item's "
              "id ends with a space, has a percent escape in it, or one of / \\ #.");
}

}  // namespace partita::cosmos
