#include "base/check.h"
#include "protocols/cosmos/codec/batch/batch_body.h"

// Whatever is accepted is a list of operations that can be carried out one by one.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  cosmos::BatchBody body;
  if (!cosmos::parse_batch_json({reinterpret_cast<const char*>(data), size}, body)) return 0;
  CHECK(body.steps.size() >= 1 && body.steps.size() <= kBatchOperationsMax);
  for (const BatchStep& step : body.steps) {
    const bool needs_body = step.operation.verb != ItemVerb::kRead && step.operation.verb != ItemVerb::kErase;
    if (needs_body) CHECK(!std::get<Value>(step.operation.body).is_undefined());
  }
  return 0;
}
