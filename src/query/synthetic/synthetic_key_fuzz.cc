#include "base/check.h"
#include "document/json/json.h"
#include "document/json/utf8.h"
#include "query/computed_properties.h"
#include "query/function/buckets.h"
#include "query/synthetic/synthetic_key.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// "expression\ndocument": any expression is refused or is a key. Then a document either is refused or gets a value with which it
// is complete, and a filter on what it has leads to it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  using namespace partita::query;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  // Definitions come as JSON.
  if (well_formed_utf8_bytes(input, Surrogates::kAccepted) != size) return 0;
  const size_t end = std::min(input.find('\n'), input.size());
  const std::string_view json = input.substr(std::min(end + 1, input.size()));
  StoredWriter container;
  container.begin_object();
  container.key("computedProperties");
  container.begin_array();
  container.begin_object();
  container.key("name");
  container.string("pk");
  container.key("query");
  container.string("SELECT VALUE " + std::string(input.substr(0, end)) + " FROM c");
  container.end_object();
  container.end_array();
  container.end_object();
  PartitionKeyDefinition key;
  key.paths.push_back(DocumentPath{{"pk"}});
  if (!check_computed_properties(container.view().find("computedProperties"), key)) return 0;
  const auto synthetic = SyntheticKey::of(container.view(), key);
  const auto stored = stored_from_json(json);
  if (!synthetic || !stored || !Value::view(*stored).is_object()) return 0;
  const Value document = Value::view(*stored);
  if (PartitionKey::repeated_in(document, key) != nullptr) return 0;
  const auto draw = [](uint32_t buckets) { return buckets; };
  (void)(*synthetic)->key_of(document, key);
  const auto additions = (*synthetic)->additions_to(document, key, nullptr, draw);
  if (!additions || additions->empty()) return 0;
  StoredWriter complete;
  complete.begin_object();
  for (size_t i = 0; i < document.size(); ++i) {
    complete.key(document.member(i).key);
    complete.value(document.member(i).value);
  }
  SyntheticKey::write(complete, *additions);
  complete.end_object();
  const auto again = (*synthetic)->additions_to(complete.view(), key, nullptr, draw);
  CHECK(again && again->empty());

  const SyntheticLevel& level = (*synthetic)->levels().front();
  std::vector<SyntheticLevel::Known> known;
  for (auto& source : level.sources_in(document)) known.emplace_back(std::move(source));
  const auto candidates = level.candidates(known, kBucketsMax + 1);
  CHECK(!candidates || std::ranges::find(*candidates, additions->front().value) != candidates->end());
  return 0;
}
