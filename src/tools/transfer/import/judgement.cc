#include "tools/transfer/import/judgement.h"

namespace partita::tools::transfer {
namespace {

constexpr int kOwnerMissing = 1003;
constexpr int kPartitionKeyFull = 1014;

Judgement judge_conflict(const PendingWrite& write, WriteMode mode) {
  if (write.is_in_doubt && (mode == WriteMode::kInsert || mode == WriteMode::kSkip)) return Judgement::kCompare;
  return mode == WriteMode::kSkip ? Judgement::kSkipped : Judgement::kRefused;
}

}  // namespace

Judgement judge(const WriteAnswer& answer, const PendingWrite& write, WriteMode mode) {
  switch (answer.status) {
    case 201: return Judgement::kStored;
    case 200: return Judgement::kReplaced;
    case 409: return judge_conflict(write, mode);
    case 429:
    case 449: return Judgement::kLater;
    case 410: return Judgement::kElsewhere;
    case 413: return write.is_alone ? Judgement::kRefused : Judgement::kAlone;
    // An operation that was not carried out because another one failed.
    case 424: return Judgement::kLater;
    case 401: return Judgement::kHopeless;
    case 403: return answer.sub_status == kPartitionKeyFull ? Judgement::kRefused : Judgement::kHopeless;
    case 404:
      return mode == WriteMode::kReplace && answer.sub_status != kOwnerMissing ? Judgement::kRefused : Judgement::kHopeless;
    case 0:
    case 408: return Judgement::kAgain;
    default: return answer.status >= 500 ? Judgement::kAgain : Judgement::kRefused;
  }
}

Finding judge(const ReadAnswer& answer) {
  switch (answer.status) {
    case 200: return Finding::kPage;
    case 404: return answer.sub_status == kOwnerMissing ? Finding::kHopeless : Finding::kPage;
    case 429:
    case 449: return Finding::kLater;
    case 410: return Finding::kElsewhere;
    case 0:
    case 408: return Finding::kAgain;
    default: return answer.status >= 500 ? Finding::kAgain : Finding::kHopeless;
  }
}

}  // namespace partita::tools::transfer
