#pragma once

#include "cluster/resources.h"
#include "engine/test_items.h"

#include <fmt/format.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>

// For tests of this room.
namespace partita {

// Puts or deletes one document as the gateway does: where the newest map places it, again when that has changed meanwhile.
class TestWriter {
 public:
  explicit TestWriter(std::shared_ptr<const Container> container) : container_(std::move(container)) {}

  Status put(std::string_view pk, std::string_view id, int n) {
    return write(pk, id, fmt::format(R"({{"id":"{}","pk":"{}","n":{}}})", id, pk, n));
  }
  Status erase(std::string_view pk, std::string_view id) { return write(pk, id, ""); }

  Status write(std::string_view pk, std::string_view id, const std::string& json) {
    return change(pk, id, [&](Transaction& transaction, const std::string& at, const Item* stored) -> Status {
      if (json.empty()) {
        if (stored != nullptr) transaction.erase(at);
        return {};
      }
      const uint64_t number = stored == nullptr ? container_->numbers->next()->value : stored->number.value;
      return transaction.put(at, item_from_json(number, json));
    });
  }

  // What is done with a document, or with none (null), in a transaction; its primary key comes with it.
  using Change = std::function<Status(Transaction&, const std::string&, const Item*)>;
  Status change(std::string_view pk, std::string_view id, const Change& body) {
    while (true) {
      Result<Partition::Commit> commit = attempt(pk, id, body);
      if (commit) return {};
      if (commit.error().code != ErrorCode::kPartitionGone) return std::unexpected(commit.error());
      container_ = container_->lineage->newest();
    }
  }

 private:
  Result<Partition::Commit> attempt(std::string_view pk, std::string_view id, const Change& body) {
    const PartitionKey key{{std::string(pk)}};
    const EffectivePartitionKey hash = effective_partition_key(key, container_->definition.partition_key);
    const PartitionPlace& place = container_->place_of(hash);
    const std::string at = item_key(place.partition->id(), hash, key, id);
    std::promise<Result<Partition::Commit>> outcome;
    place.partition->transact(
        hash,
        [&](Transaction& transaction) -> Status {
          TRY_ASSIGN(const Item* stored, transaction.find(at));
          return body(transaction, at, stored);
        },
        [&](Result<Partition::Commit> commit) { outcome.set_value(std::move(commit)); });
    return outcome.get_future().get();
  }

  std::shared_ptr<const Container> container_;
};

}  // namespace partita
