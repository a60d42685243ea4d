#pragma once

#include "base/result.h"

namespace partita {

// Whether it is the error of item_not_found() (location.h), and not of something else that was not found.
bool is_item_not_found(const Error& error);

}  // namespace partita
