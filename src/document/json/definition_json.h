#pragma once

#include "base/result.h"
#include "document/value.h"

#include <string>
#include <string_view>

namespace partita {

// The stored bytes of a text that defines something (a container, a policy, a script, an order) instead of being somebody's data.
// kInvalidInput when an object in it repeats a member: readers that look a member up and readers that go over all of them would
// disagree about what was defined, and what one has checked would not be what the other one uses.
Result<std::string> definition_from_json(std::string_view text);

// kInvalidInput with the name of a member that an object, anywhere in the value, has twice.
Status check_members_differ(const Value& value);

}  // namespace partita
