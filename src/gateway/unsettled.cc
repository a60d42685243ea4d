#include "gateway/unsettled.h"

namespace partita {

void when_all_durable(std::vector<Unsettled> unsettled, std::move_only_function<void(Status)> callback) {
  // A loop where nothing is to be waited for, so that the stack does not grow with the number of partitions.
  while (!unsettled.empty() && unsettled.back().partition->is_durable(unsettled.back().seen)) unsettled.pop_back();
  if (unsettled.empty()) return callback({});
  const Unsettled next = unsettled.back();
  unsettled.pop_back();
  next.partition->when_durable(next.seen,
                               [unsettled = std::move(unsettled), callback = std::move(callback)](Status durable) mutable {
                                 if (!durable) return callback(std::move(durable));
                                 when_all_durable(std::move(unsettled), std::move(callback));
                               });
}

}  // namespace partita
