#pragma once

#include "gateway/items/item_work.h"
#include "gateway/request_charge.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace partita {

// What the stored version must be like, or the request fails with kPreconditionFailed. Empty: no condition.
struct ItemConditions {
  std::string_view if_match;
  // If it has more, nothing is done, and the outcome says so: for threads that have no time for large documents.
  size_t bytes_max = SIZE_MAX;
};

struct ItemOutcome {
  std::shared_ptr<const Container> container;
  const PartitionPlace* place = nullptr;  // of `container`
  Item item;                              // as read or written; empty after a deletion
  Lsn lsn;                                // how far the partition was
  bool was_created = false;
  // Nothing was done and nothing of the above is there, because of ItemConditions::bytes_max or RequestTerms::may_wait. To be
  // begun anew where neither is so.
  bool is_left = false;
  double charge = 0;
};

// Items: point operations on documents: finds the partition by the partition key, runs the operation there, reports when the
// outcome is durable.
//
// Thread-safe. Callbacks run exactly once, on the calling thread or on the store's committer. Errors: kInvalidInput,
// kPartitionKeyMismatch, kNotFound, kAlreadyExists, kPreconditionFailed, kTooLarge, kSessionNotAvailable and
// those of storage.
class Items {
 public:
  using ContainerPtr = std::shared_ptr<const Container>;
  using Callback = std::move_only_function<void(Result<ItemOutcome>)>;
  // How far the chosen partition must have come before it may answer (a session); 0 when nothing is demanded.
  using LsnDemand = std::function<uint64_t(const PartitionPlace&)>;

  Items(const Clock& clock, const DocumentMaker& documents, Random& random)
      : clock_(clock), documents_(documents), random_(random) {}

  void read(const ContainerPtr& container, const ItemName& name, const LsnDemand& demand, Callback callback,
            RequestTerms terms = {}) const;
  // The partition key comes from the document; `key`, when given, must agree with it.
  void create(const ContainerPtr& container, std::string_view json, const std::optional<PartitionKey>& key, Callback callback,
              RequestTerms terms = {}) const;
  void upsert(const ContainerPtr& container, std::string_view json, const std::optional<PartitionKey>& key,
              const ItemConditions& conditions, Callback callback, RequestTerms terms = {}) const;
  // The document may change its id, if the new one is free; its number and with it its place in the order stay.
  void replace(const ContainerPtr& container, const ItemName& name, std::string_view json, const ItemConditions& conditions,
               Callback callback, RequestTerms terms = {}) const;
  // A few changes of one document, made where it is (document/patch.h).
  void patch(const ContainerPtr& container, const ItemName& name, std::string_view json, const ItemConditions& conditions,
             Callback callback, RequestTerms terms = {}) const;
  void erase(const ContainerPtr& container, const ItemName& name, const ItemConditions& conditions, Callback callback,
             RequestTerms terms = {}) const;

  // For operations that are run together with others.
  ItemWorkshop workshop(const ContainerPtr& container) const { return {container, clock_, documents_, random_}; }

 private:
  // Runs one operation that changes a document.
  void write(const ContainerPtr& container, const ItemOperation& operation, Callback callback) const;
  Partition::Body body_to_repeat(const ContainerPtr& container, const ItemOperation& operation,
                                 const std::shared_ptr<std::optional<ItemWork>>& work) const;
  void write_named(const ContainerPtr& container, ItemVerb verb, const ItemName& name, std::string_view json,
                   const ItemConditions& conditions, Callback callback, RequestTerms terms) const;

  const Clock& clock_;
  const DocumentMaker& documents_;
  Random& random_;
};

}  // namespace partita
