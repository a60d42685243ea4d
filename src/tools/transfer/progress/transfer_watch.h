#pragma once

#include "tools/transfer/progress/ledger.h"

#include <cstdint>
#include <optional>

namespace partita::tools::transfer {

// How a transfer is doing.
struct Progress {
  Tally tally = {};  // of an export: stored is what was written to the file
  double request_units = 0;
  uint64_t throttles = 0;            // documents or pages that were told to come back later
  size_t in_flight = 0;              // documents
  std::optional<double> share = {};  // of the source, from 0 to 1
};

// TransferWatch: whoever looks at a transfer, and may end it. Called on the thread of the transfer.
class TransferWatch {
 public:
  virtual ~TransferWatch() = default;
  virtual void show(const Progress& progress) = 0;
  // Whether the transfer is to stop, so that another run can go on.
  virtual bool is_stopped() const = 0;
};

}  // namespace partita::tools::transfer
