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

// What an answer to looking for a document means.
enum class Finding {
  kPage,       // of documents, maybe none
  kLater,      // throttled
  kElsewhere,  // partitions are other ones by now
  kAgain,      // nobody knows
  kHopeless,   // it will not be answered
};

Finding judge(const ReadAnswer& answer);

}  // namespace partita::tools::transfer
