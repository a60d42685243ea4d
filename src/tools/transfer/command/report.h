#pragma once

#include "tools/transfer/container/prepare.h"
#include "tools/transfer/progress/ledger.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace partita::tools::transfer {

// What was found when everything was transferred.
struct Verification {
  Verify kind = Verify::kNone;
  ContentSum expected = {};
  ContentSum found = {};
  std::string not_possible = {};  // why, where nothing can be compared
  uint64_t replaced = 0;          // documents that replaced others, so that only their number can be foretold
  uint64_t tolerance = 0;         // of the number: of so many replaced documents nobody knows whether they are new ones

  bool is_equal() const;
};

// How a transfer ended.
struct Report {
  std::string_view what = {};  // such as "imported"
  Tally tally = {};
  double seconds = 0;          // of this run, without the verification
  uint64_t documents_now = 0;  // of this run
  double request_units = 0;
  uint64_t throttles = 0;
  bool is_resumed = false;
  Verification verification = {};
  uint64_t peak_bytes = 0;  // of memory

  bool is_success() const { return tally.refused == 0 && (verification.kind == Verify::kNone || verification.is_equal()); }
  std::string text() const;
  std::string json() const;
};

// Of this process until now.
uint64_t peak_memory_bytes();

}  // namespace partita::tools::transfer
