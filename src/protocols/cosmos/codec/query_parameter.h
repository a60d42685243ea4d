#pragma once

#include <optional>
#include <string_view>

namespace partita::cosmos {

// The raw value of a parameter in the query of a URL, names compared without case; nothing when it has none of that name.
std::optional<std::string_view> find_query_parameter(std::string_view query, std::string_view lower_name);

}  // namespace partita::cosmos
