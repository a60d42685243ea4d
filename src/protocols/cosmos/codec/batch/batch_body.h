#pragma once

#include "base/result.h"
#include "gateway/items/batches.h"

#include <string>
#include <string_view>
#include <vector>

// The bodies of batch and bulk requests and of their answers, as JSON.
//
//   [{"operationType":"Create","resourceBody":{...}},
//    {"operationType":"Patch","id":"a","ifMatch":"\"...\"","partitionKey":"[\"p\"]","resourceBody":{"operations":[...]}}]
//
//   [{"statusCode":201,"requestCharge":5.7,"eTag":"\"...\"","resourceBody":{...}},{"statusCode":424,"requestCharge":0}]
namespace partita::cosmos {

// A request's operations. They look into `stored`, so it must stay where it is.
struct BatchBody {
  std::string stored;
  std::vector<BatchStep> steps;
};

// kInvalidInput when the body is not a list of 1 to 100 operations.
Status parse_batch_json(std::string_view json, BatchBody& body);
Status check_batch_size(size_t operations);

void append_batch_json(std::string& out, const BatchOutcome& outcome);

// How one operation of a batch went.
struct StepStatus {
  int status;
  int sub_status;  // 0: none
};
StepStatus step_status(const BatchStepOutcome& step);

}  // namespace partita::cosmos
