#include "tools/bench/load/choices.h"

#include <algorithm>

namespace partita::tools::bench {

KeyChooser::KeyChooser(KeyOrder order, uint64_t documents, double exponent) : order_(order) {
  const uint64_t items = std::max<uint64_t>(documents, 1);
  if (order == KeyOrder::kZipfian) scrambled_.emplace(items, exponent);
  if (order == KeyOrder::kLatest) latest_.emplace(items, exponent);
}

uint64_t KeyChooser::choose(RandomSource& random, uint64_t readable) {
  switch (order_) {
    case KeyOrder::kUniform: return random.below(readable);
    case KeyOrder::kZipfian: return std::min(scrambled_->draw(random), readable - 1);
    case KeyOrder::kLatest:
      if (readable > latest_->items()) latest_->grow(readable);
      return readable - 1 - std::min(latest_->draw(random), readable - 1);
    case KeyOrder::kSequential: return next_++ % readable;
  }
  return 0;
}

OperationKind choose_kind(const Workload& workload, RandomSource& random) {
  double place = random.unit();
  size_t last = 0;
  for (size_t kind = 0; kind < kOperationKinds; ++kind) {
    if (workload.shares[kind] == 0) continue;
    if (place < workload.shares[kind]) return static_cast<OperationKind>(kind);
    place -= workload.shares[kind];
    last = kind;
  }
  return static_cast<OperationKind>(last);  // what rounding left over
}

}  // namespace partita::tools::bench
