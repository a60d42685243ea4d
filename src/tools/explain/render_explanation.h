#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace partita::tools {

// An explanation of a query, as the server gives it in JSON, as text for people.
Result<std::string> render_explanation(std::string_view explanation_json);

}  // namespace partita::tools
