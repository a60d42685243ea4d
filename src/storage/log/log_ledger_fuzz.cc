#include "base/check.h"
#include "storage/log/log_ledger.h"

#include <algorithm>
#include <cstdint>

// Whatever the bytes are, what is read of them can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string slot(partita::kLedgerSlotBytes, '\0');
  std::copy_n(reinterpret_cast<const char*>(data), std::min(size, slot.size()), slot.begin());
  const std::optional<partita::LedgerSlot> decoded = partita::decode_ledger_slot(slot);
  if (!decoded) return 0;
  const auto again = partita::decode_ledger_slot(partita::encode_ledger_slot(decoded->generation, decoded->demands));
  CHECK(again && again->demands == decoded->demands && again->generation == decoded->generation);
  return 0;
}
