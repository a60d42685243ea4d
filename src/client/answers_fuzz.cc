#include "client/failure.h"
#include "client/items/batch.h"
#include "client/query/query_plan.h"
#include "client/resources/container_definition.h"
#include "client/session_tokens.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

// What a server may answer, read by everything that reads answers.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::client;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)QueryPlan::parse(text);
  (void)ContainerDefinition::parse(text);
  Response response;
  response.set_status(400);
  response.append_body(text);
  (void)failure_of(response);
  (void)batch_results(response);
  SessionTokens tokens;
  tokens.note(text);
  (void)tokens.text();
  return 0;
}
