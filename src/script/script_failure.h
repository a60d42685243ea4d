#pragma once

#include "base/result.h"
#include "script/message.h"

#include <optional>

// Why a script failed, beyond the error's code. That is in the message, for people to read and for these functions to find again.
namespace partita::script {

// From what a host said (kFailed): kTimeout, else kInvalidInput.
Error script_failure(const Message& failed);

// The number of the error that a script threw and nobody caught: new Error(409, "taken").
std::optional<int> thrown_number(const Error& error);

// Whether its text is no function.
bool is_compile_failure(const Error& error);

}  // namespace partita::script
