#pragma once

#include "document/json/json.h"
#include "engine/index/indexing_policy.h"
#include "engine/rows.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

// For tests: documents, keys and policies from their texts.
namespace partita {

inline Item item_from_json(uint64_t number, std::string_view json) {
  Result<std::string> stored = stored_from_json(json);
  EXPECT_TRUE(stored) << json;
  return {DocumentNumber{number}, item_record(*stored)};
}

inline PartitionKeyDefinition key_definition(std::initializer_list<std::string_view> paths) {
  PartitionKeyDefinition definition;
  for (std::string_view path : paths) definition.paths.push_back(*DocumentPath::parse(path));
  definition.version = 2;
  if (paths.size() > 1) definition.kind = PartitionKeyDefinition::Kind::kMultiHash;
  return definition;
}

inline IndexingPolicy policy_from_json(std::string_view json, const PartitionKeyDefinition& key,
                                       const Value& full_text_policy = {}, const DocumentForm& form = {}) {
  const Result<std::string> stored = stored_from_json(json);
  EXPECT_TRUE(stored) << json;
  Result<IndexingPolicy> policy = IndexingPolicy::parse(Value::view(*stored), key, full_text_policy, form);
  EXPECT_TRUE(policy) << json << (policy ? "" : policy.error().message);
  return *std::move(policy);
}

}  // namespace partita
