#include "base/check.h"
#include "engine/item/resource_rid.h"
#include "protocols/cosmos/codec/continuation.h"
#include "query/query.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace partita;
using namespace partita::cosmos;

namespace {

// With every part that a position can have.
constexpr std::string_view kQuery =
    "SELECT DISTINCT VALUE x.a FROM (SELECT c.a, COUNT(1) AS n FROM c GROUP BY c.a) AS x ORDER BY x.n DESC, x.a OFFSET 5 LIMIT "
    "10";

Container make_container() {
  Container container;
  container.number = 1;
  container.database = std::make_shared<const Database>(Database{.number = 1, .id = "db", .revision = {}});
  container.identity.rid_bytes = container_rid_bytes(1, 1);
  return container;
}

}  // namespace

// A token that is accepted means a position, and that position's own token means the same one.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Container container = make_container();
  static const query::Plan plan = query::compile({.text = std::string(kQuery), .parameters = {}}).value();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const Result<FeedContinuation> given = decode_continuation(text, container)) {
    const std::string token = encode_continuation(*given, container);
    const Result<FeedContinuation> again = decode_continuation(token, container);
    CHECK(again && again->position.after == given->position.after && again->position.range == given->position.range);
    CHECK(again->scope == given->scope);
    CHECK(given->position.range.min <= given->position.range.max && given->position.range.max <= kEffectiveKeyMax);
  }
  if (const Result<QueryContinuation> given = decode_query_continuation(text, kQuery, plan, container)) {
    const std::string token = encode_query_continuation(*given, kQuery, container);
    const Result<QueryContinuation> again = decode_query_continuation(token, kQuery, plan, container);
    CHECK(again && encode_query_continuation(*again, kQuery, container) == token);
  }
  return 0;
}
