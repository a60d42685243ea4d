#include "protocols/cosmos/codec/query_parameter.h"

#include "base/encodings.h"
#include "net/http/http_message.h"

#include <algorithm>

namespace partita::cosmos {

std::optional<std::string_view> find_query_parameter(std::string_view query, std::string_view lower_name) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const size_t equals = parameter.find('=');
    if (equals == std::string_view::npos) continue;
    const auto name = percent_decode(parameter.substr(0, equals));
    if (name && net::equal_without_case(*name, lower_name)) return parameter.substr(equals + 1);
  }
  return std::nullopt;
}

}  // namespace partita::cosmos
