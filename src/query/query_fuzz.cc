#include "document/json/json.h"
#include "query/distribute/distributed_query.h"
#include "query/optimise/predicates/plan_predicates.h"
#include "query/query.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Any text that compiles can be run over documents of all shapes, in pages, planned and distributed: never a crash, always an
// end.
namespace partita::query {
namespace {

// Passes with every look at it, so that a query runs out of time after a fixed number of steps.
class TickingClock final : public Clock {
 public:
  int64_t unix_ms() const override { return 1728915630666; }
  int64_t steady_us() const override { return now_++; }

 private:
  mutable int64_t now_ = 0;
};

const std::vector<std::string>& documents() {
  static const std::vector<std::string> stored = [] {
    std::vector<std::string> out;
    for (const char* text :
         {R"({"id":"1","a":1,"b":[1,"x",null,{"c":true}],"s":"Grüße 😀","n":9007199254740993,"o":{"p":{"q":[]}}})",
          R"({"id":"2","a":"1","b":[],"s":"\ud800","d":"2024-02-29T12:00:00Z","t":[[1,2],[3]]})", R"([1,2])", "null", "5"}) {
      out.push_back(stored_from_json(text).value());
    }
    return out;
  }();
  return stored;
}

void run(const Plan& plan) {
  TickingClock clock;
  Random random(1);
  Environment environment{
      .clock = clock, .random = random, .deadline_steady_us = 40, .row_bytes_max = 1 << 20, .buffered_bytes_max = 1 << 20};
  std::vector<Value> rows;
  for (const std::string& document : documents()) rows.push_back(Value::view(document));
  ListedRows source(rows);
  QueryExecution execution(plan, source, environment);
  for (int results = 0; results < 1000; ++results) {
    Value row;
    auto step = execution.next(row);
    if (!step || *step == QueryExecution::Step::kEnd) return;
    to_json(row);
  }
}

}  // namespace
}  // namespace partita::query

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  query::QuerySpecification specification{std::string(reinterpret_cast<const char*>(data), size), {}};
  specification.parameters.push_back({"@p", stored_from_json("[1,\"x\",null]").value()});
  auto plan = query::compile(specification);
  if (!plan) return 0;
  to_text(*plan);
  to_text(query::access_of(*plan, query::AllPaths()));
  query::order_predicates(*plan);
  query::run(*plan);
  PartitionKeyDefinition definition{.paths = {DocumentPath::parse("/a").value()}, .version = 2};
  (void)query::distribute(specification, definition);
  return 0;
}
