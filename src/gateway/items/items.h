#pragma once

#include "base/fair_memory.h"
#include "gateway/items/item_work.h"
#include "gateway/request_charge.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace partita {

// A document that is read, as it is and as an answer, is not counted up to so many bytes.
inline constexpr size_t kUncountedReadBytesMax = 64 << 10;

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
  // Nothing was done and nothing of the above is there, because of a bound on the document's bytes, or because
  // of RequestTerms::may_wait. To be begun anew where neither is so.
  bool is_left = false;
  double charge = 0;
  MemoryLoan memory = {};  // for a large document that was read, and for one copy of it
};

// Items: point operations on documents: finds the partition by the partition key, runs the operation there, reports when the
// outcome is durable.
//
// Thread-safe. Callbacks run exactly once, on the calling thread or on the store's committer. Errors: kInvalidInput,
// kPartitionKeyMismatch, kNotFound, kAlreadyExists, kPreconditionFailed, kTooLarge, kSessionNotAvailable, kThrottled and
// those of storage.
class Items {
 public:
  using ContainerPtr = std::shared_ptr<const Container>;
  using Callback = std::move_only_function<void(Result<ItemOutcome>)>;
  // How far the chosen partition must have come before it may answer (a session); 0 when nothing is demanded.
  using LsnDemand = std::function<uint64_t(const PartitionPlace&)>;

  // `answers`: what large documents that are read are counted against, until they are answered; null: without a limit.
  Items(const Clock& clock, const DocumentMaker& documents, Random& random, FairMemory* answers = nullptr)
      : clock_(clock), documents_(documents), random_(random), answers_(answers) {}

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
  FairMemory* const answers_;
};

}  // namespace partita
