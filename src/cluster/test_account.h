#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "cluster/catalog/catalog.h"
#include "engine/check/consistency.h"
#include "engine/test_documents.h"
#include "engine/test_items.h"
#include "storage/test_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

// For tests of this room and of those above it.
namespace partita {

inline ContainerDefinition container_definition(std::string_view id, std::initializer_list<std::string_view> key_paths,
                                                std::string_view policy = "{}", std::string_view properties = "{}",
                                                const DocumentForm& form = {}) {
  ContainerDefinition definition;
  definition.form = form;
  definition.id = id;
  definition.partition_key = key_definition(key_paths);
  definition.properties = *stored_from_json(properties);
  definition.indexing = std::make_shared<const IndexingPolicy>(
      policy_from_json(policy, definition.partition_key, Value::view(definition.properties).find("fullTextPolicy"), form));
  definition.synthetic_key = *query::SyntheticKey::of(Value::view(definition.properties), definition.partition_key);
  definition.rules = std::make_shared<const DocumentRules>(*DocumentRules::parse(Value::view(definition.properties)));
  return definition;
}

// TestAccount: an empty catalog on a store of its own, at a time that stands still, with the same etags in every run.
struct TestAccount {
  explicit TestAccount(Durability durability = Durability::kRelaxed, RateLimits rate_limits = {},
                       std::shared_ptr<Disk> disk = nullptr)
      : limits(rate_limits), store(durability, std::move(disk)) {
    open();
  }

  void open() {
    Result<std::unique_ptr<Catalog>> opened = Catalog::open(*store, clock, etags, limits);
    if (!opened) ADD_FAILURE() << opened.error().message;
    catalog = *std::move(opened);
  }
  void reopen() {
    catalog.reset();
    store.reopen();
    open();
  }

  std::shared_ptr<const Container> make_container(std::string_view id, std::initializer_list<std::string_view> key_paths,
                                                  std::optional<int64_t> throughput = std::nullopt,
                                                  std::string_view policy = "{}", std::string_view properties = "{}") {
    if (!catalog->database("db")) EXPECT_TRUE(catalog->create_database("db", std::nullopt));
    std::optional<Throughput> asked;
    if (throughput) asked = Throughput{.provisioned = *throughput, .autoscale_max = std::nullopt};
    Result<std::shared_ptr<const Container>> made =
        catalog->create_container("db", container_definition(id, key_paths, policy, properties), asked);
    EXPECT_TRUE(made) << made.error().message;
    return *made;
  }

  static void expect_consistent(const Container& container) {
    for (const PartitionPlace& place : container.places) {
      const Result<ConsistencyReport> report =
          check_consistency(place.partition->local().slice(), container.definition.partition_key, place.range(),
                            *place.partition->local().index().policy, container.definition.rules->unique_keys);
      ASSERT_TRUE(report);
      EXPECT_EQ(report->messages, std::vector<std::string>());
      const std::optional<Partition::Growth> growth = place.partition->local().growth();
      if (!growth) continue;
      const Result<ConsistencyReport> growing =
          check_growing_index(place.partition->local().slice(), growth->index.id, *growth->index.policy, growth->filled_to);
      ASSERT_TRUE(growing);
      EXPECT_EQ(growing->messages, std::vector<std::string>());
    }
  }

  RateLimits limits;
  TestStore store;
  ManualClock clock{1'700'000'000'000};
  Random random{1};
  EtagSource etags{random};
  TestDocuments documents{etags};
  std::unique_ptr<Catalog> catalog;
};

}  // namespace partita
