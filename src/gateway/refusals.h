#pragma once

#include "base/result.h"

// Errors that some protocols tell apart from others of the same code. They are known by their messages.
namespace partita {

// kPreconditionFailed: a document does not fulfil the condition of a patch.
std::unexpected<Error> patch_condition_failed();
bool is_patch_condition_failed(const Error& error);

// kTooLarge: what a batch or bulk request would have to be answered. In smaller parts it can be.
std::unexpected<Error> batch_answer_too_large();
bool is_batch_answer_too_large(const Error& error);

}  // namespace partita
