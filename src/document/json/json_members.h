#pragma once

#include "base/result.h"
#include "document/stored/stored_writer.h"

#include <functional>
#include <span>
#include <string_view>

namespace partita {

// As read_json_members() of json.h; where the text has a member whose key is in `skipped`, `put_instead` may write another one.
using PutInstead = std::function<void(std::string_view key)>;
Status read_json_members(std::string_view text, std::span<const std::string_view> skipped, StoredWriter& out,
                         const PutInstead& put_instead);

}  // namespace partita
