#pragma once

#include "base/result.h"
#include "engine/time_to_live.h"
#include "engine/unique_keys.h"
#include "engine/versions.h"

namespace partita {

// DocumentRules: what a container demands of its documents, besides the partition key and the index. A plain value.
struct DocumentRules {
  UniqueKeys unique_keys;
  TimeToLive time_to_live;
  VersionRetention versions;

  // From a container's definition as clients write it: the members uniqueKeyPolicy, defaultTtl and changeFeedPolicy.
  static Result<DocumentRules> parse(const Value& definition);
};

inline Result<DocumentRules> DocumentRules::parse(const Value& definition) {
  DocumentRules rules;
  TRY_ASSIGN(rules.unique_keys, UniqueKeys::parse(definition.find("uniqueKeyPolicy")));
  TRY_ASSIGN(rules.time_to_live, TimeToLive::parse(definition.find("defaultTtl")));
  TRY_ASSIGN(rules.versions, VersionRetention::parse(definition.find("changeFeedPolicy")));
  return rules;
}

}  // namespace partita
