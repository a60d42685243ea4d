#include "cluster/catalog/resource_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

Status check_resource_id(std::string_view id) {
  const auto chars = static_cast<size_t>(std::ranges::count_if(id, [](char c) { return (c & 0xC0) != 0x80; }));  // UTF-8
  if (id.empty() || chars > kResourceIdCharsMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("An id must have 1 to {} characters; this one has {}.", kResourceIdCharsMax, chars));
  }
  if (id.find_first_of("/\\?#") != std::string_view::npos || id.back() == ' ') {
    return fail(ErrorCode::kInvalidInput, fmt::format("The id '{}' must not contain / \\ ? # nor end in a space.", id));
  }
  return {};
}

Status check_etag(std::string_view if_match, const Revision& revision) {
  if (if_match.empty() || if_match == "*" || if_match == revision.etag) return {};
  return fail(ErrorCode::kPreconditionFailed,
              "The resource has changed since it was read: its etag differs from the one in If-Match.");
}

}  // namespace partita
