#include "gateway/refusals.h"

#include <string_view>

namespace partita {
namespace {

constexpr std::string_view kPatchCondition =
    "One of the specified pre-condition is not met: the document does not fulfil the condition of the patch.";
constexpr std::string_view kBatchAnswer = "The documents of the answer have more bytes together than an answer may have.";

}  // namespace

std::unexpected<Error> patch_condition_failed() { return fail(ErrorCode::kPreconditionFailed, std::string(kPatchCondition)); }

bool is_patch_condition_failed(const Error& error) {
  return error.code == ErrorCode::kPreconditionFailed && error.message == kPatchCondition;
}

std::unexpected<Error> batch_answer_too_large() { return fail(ErrorCode::kTooLarge, std::string(kBatchAnswer)); }

bool is_batch_answer_too_large(const Error& error) { return error.code == ErrorCode::kTooLarge && error.message == kBatchAnswer; }

}  // namespace partita
