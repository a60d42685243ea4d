#pragma once

#include "base/result.h"
#include "cluster/resources.h"

#include <cstddef>
#include <string_view>

namespace partita {

inline constexpr size_t kResourceIdCharsMax = 255;

// Database, container and script ids: 1 to 255 characters, none of / \ ? #, no space at the end.
Status check_resource_id(std::string_view id);

// Whether a condition on a resource's version holds; kPreconditionFailed if not.
Status check_etag(std::string_view if_match, const Revision& revision);

}  // namespace partita
