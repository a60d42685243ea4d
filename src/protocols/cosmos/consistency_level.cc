#include "protocols/cosmos/consistency_level.h"

#include "net/http/http_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::cosmos {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"};

}  // namespace

std::string_view name_of(ConsistencyLevel level) { return kNames[static_cast<size_t>(level)]; }

Result<ConsistencyLevel> consistency_level(std::string_view asked, ConsistencyLevel of_account) {
  if (asked.empty()) return of_account;
  const auto name = std::ranges::find_if(kNames, [&](std::string_view known) { return net::equal_without_case(known, asked); });
  if (name == kNames.end()) return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not a consistency level.", asked));
  const auto level = static_cast<ConsistencyLevel>(name - kNames.begin());
  if (level >= of_account) return level;
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("ConsistencyLevel {} specified in the request is invalid when service is configured with consistency level {}. "
                  "Ensure the request consistency level is not stronger than the service consistency level.",
                  *name, name_of(of_account)));
}

ReadPrice read_price(ConsistencyLevel level) {
  return level <= ConsistencyLevel::kBoundedStaleness ? ReadPrice::kDouble : ReadPrice::kSingle;
}

}  // namespace partita::cosmos
