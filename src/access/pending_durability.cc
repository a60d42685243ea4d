#include "access/pending_durability.h"

namespace partita {

void when_all_durable(std::vector<PendingDurability> pending, std::move_only_function<void(Status)> callback) {
  // A loop where nothing is to be waited for, so that the stack does not grow with the number of partitions.
  while (!pending.empty() && pending.back().partition->is_durable(pending.back().seen)) pending.pop_back();
  if (pending.empty()) return callback({});
  const PendingDurability next = pending.back();
  pending.pop_back();
  next.partition->when_durable(next.seen, [pending = std::move(pending), callback = std::move(callback)](Status durable) mutable {
    if (!durable) return callback(std::move(durable));
    when_all_durable(std::move(pending), std::move(callback));
  });
}

}  // namespace partita
