#pragma once

#include "base/result.h"
#include "script/message.h"

namespace partita::script {

// Why a script failed, from what its host said (kFailed): kTimeout, else kInvalidInput, with ErrorDetail::kNoFunction or
// kThrown.
Error script_failure(const Message& failed);

}  // namespace partita::script
