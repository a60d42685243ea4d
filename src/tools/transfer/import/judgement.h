#pragma once

#include "tools/transfer/import/destination.h"

namespace partita::tools::transfer {

// What an answer to a write means.
enum class Judgement {
  kStored,  // a new document
  kReplaced,
  kSkipped,    // there was one, and that is well
  kRefused,    // this document cannot be written
  kCompare,    // there is one: maybe the one that was sent before
  kLater,      // throttled: nothing happened
  kAgain,      // nobody knows what happened
  kElsewhere,  // its partition is another one by now
  kAlone,      // too large together with others
  kHopeless,   // no document can be written
};

Judgement judge(const WriteAnswer& answer, const PendingWrite& write, WriteMode mode);

}  // namespace partita::tools::transfer
