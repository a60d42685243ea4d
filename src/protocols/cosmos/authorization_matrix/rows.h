#pragma once

#include "protocols/cosmos/operation.h"

#include <algorithm>
#include <iterator>

// Who may do what, written down by itself, as simply as it can be said.
namespace partita::cosmos::matrix {

// Who may do it, besides holders of keys.
enum class Reach {
  kAnyToken,    // whoever has a token at all
  kNobody,      // no token
  kMap,         // every token in the container: clients find their way by it
  kContainer,   // tokens for the whole container
  kItem,        // and those for the item, or for its key
  kKey,         // and those for the key of the request
  kPlan,        // and those for any key
  kAttachment,  // and those for the item, its key, or the attachment
  kAttachments,
  kScript,     // and those for the script
  kProcedure,  // and those for the script, or for the key
};

struct Row {
  ResourceKind kind;
  bool is_feed;
  Action action;
  bool writes;
  Reach reach;
};

// One for every operation of the router.
inline constexpr Row kRows[] = {
    {ResourceKind::kAccount, false, Action::kRead, false, Reach::kAnyToken},
    {ResourceKind::kAddresses, true, Action::kList, false, Reach::kMap},
    {ResourceKind::kDatabase, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kDatabase, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kDatabase, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kDatabase, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kDatabase, false, Action::kDelete, true, Reach::kNobody},
    {ResourceKind::kContainer, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kContainer, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kContainer, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kContainer, false, Action::kRead, false, Reach::kMap},
    {ResourceKind::kContainer, false, Action::kReplace, true, Reach::kContainer},
    {ResourceKind::kContainer, false, Action::kDelete, true, Reach::kContainer},
    {ResourceKind::kPartitionKeyRange, true, Action::kList, false, Reach::kMap},
    {ResourceKind::kPartitionKeyRange, false, Action::kRead, false, Reach::kMap},
    {ResourceKind::kConflict, true, Action::kList, false, Reach::kContainer},
    {ResourceKind::kConflict, true, Action::kQuery, false, Reach::kContainer},
    {ResourceKind::kConflict, false, Action::kRead, false, Reach::kContainer},
    {ResourceKind::kConflict, false, Action::kDelete, true, Reach::kContainer},
    {ResourceKind::kOffer, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kOffer, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kOffer, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kOffer, false, Action::kReplace, true, Reach::kNobody},
    {ResourceKind::kUser, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kUser, true, Action::kUpsert, true, Reach::kNobody},
    {ResourceKind::kUser, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kUser, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kUser, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kUser, false, Action::kReplace, true, Reach::kNobody},
    {ResourceKind::kUser, false, Action::kDelete, true, Reach::kNobody},
    {ResourceKind::kPermission, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kPermission, true, Action::kUpsert, true, Reach::kNobody},
    {ResourceKind::kPermission, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kPermission, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kPermission, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kPermission, false, Action::kReplace, true, Reach::kNobody},
    {ResourceKind::kPermission, false, Action::kDelete, true, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, true, Action::kCreate, true, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, true, Action::kUpsert, true, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, true, Action::kList, false, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, true, Action::kQuery, false, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kClientEncryptionKey, false, Action::kReplace, true, Reach::kNobody},
    {ResourceKind::kStoredProcedure, true, Action::kCreate, true, Reach::kContainer},
    {ResourceKind::kStoredProcedure, true, Action::kUpsert, true, Reach::kContainer},
    {ResourceKind::kStoredProcedure, true, Action::kList, false, Reach::kContainer},
    {ResourceKind::kStoredProcedure, true, Action::kQuery, false, Reach::kContainer},
    {ResourceKind::kStoredProcedure, false, Action::kRead, false, Reach::kScript},
    {ResourceKind::kStoredProcedure, false, Action::kReplace, true, Reach::kScript},
    {ResourceKind::kStoredProcedure, false, Action::kDelete, true, Reach::kScript},
    {ResourceKind::kStoredProcedure, false, Action::kExecute, true, Reach::kProcedure},
    {ResourceKind::kTrigger, true, Action::kCreate, true, Reach::kContainer},
    {ResourceKind::kTrigger, true, Action::kUpsert, true, Reach::kContainer},
    {ResourceKind::kTrigger, true, Action::kList, false, Reach::kContainer},
    {ResourceKind::kTrigger, true, Action::kQuery, false, Reach::kContainer},
    {ResourceKind::kTrigger, false, Action::kRead, false, Reach::kScript},
    {ResourceKind::kTrigger, false, Action::kReplace, true, Reach::kScript},
    {ResourceKind::kTrigger, false, Action::kDelete, true, Reach::kScript},
    {ResourceKind::kUserDefinedFunction, true, Action::kCreate, true, Reach::kContainer},
    {ResourceKind::kUserDefinedFunction, true, Action::kUpsert, true, Reach::kContainer},
    {ResourceKind::kUserDefinedFunction, true, Action::kList, false, Reach::kContainer},
    {ResourceKind::kUserDefinedFunction, true, Action::kQuery, false, Reach::kContainer},
    {ResourceKind::kUserDefinedFunction, false, Action::kRead, false, Reach::kScript},
    {ResourceKind::kUserDefinedFunction, false, Action::kReplace, true, Reach::kScript},
    {ResourceKind::kUserDefinedFunction, false, Action::kDelete, true, Reach::kScript},
    {ResourceKind::kPartitionKeyDelete, false, Action::kErasePartitionKey, true, Reach::kKey},
    {ResourceKind::kItem, true, Action::kCreate, true, Reach::kKey},
    {ResourceKind::kItem, true, Action::kUpsert, true, Reach::kKey},
    {ResourceKind::kItem, true, Action::kList, false, Reach::kKey},
    {ResourceKind::kItem, true, Action::kListChanges, false, Reach::kKey},
    {ResourceKind::kItem, true, Action::kQuery, false, Reach::kKey},
    {ResourceKind::kItem, true, Action::kPlanQuery, false, Reach::kPlan},
    {ResourceKind::kItem, true, Action::kBatch, true, Reach::kKey},
    {ResourceKind::kItem, true, Action::kBulk, true, Reach::kContainer},
    {ResourceKind::kItem, false, Action::kRead, false, Reach::kItem},
    {ResourceKind::kItem, false, Action::kReplace, true, Reach::kItem},
    {ResourceKind::kItem, false, Action::kPatch, true, Reach::kItem},
    {ResourceKind::kItem, false, Action::kDelete, true, Reach::kItem},
    {ResourceKind::kAttachment, true, Action::kCreate, true, Reach::kAttachments},
    {ResourceKind::kAttachment, true, Action::kUpsert, true, Reach::kAttachments},
    {ResourceKind::kAttachment, true, Action::kList, false, Reach::kAttachments},
    {ResourceKind::kAttachment, true, Action::kQuery, false, Reach::kAttachments},
    {ResourceKind::kAttachment, false, Action::kRead, false, Reach::kAttachment},
    {ResourceKind::kAttachment, false, Action::kReplace, true, Reach::kAttachment},
    {ResourceKind::kAttachment, false, Action::kDelete, true, Reach::kAttachment},
    {ResourceKind::kMedia, false, Action::kRead, false, Reach::kNobody},
    {ResourceKind::kMedia, false, Action::kReplace, true, Reach::kNobody},
};

inline const Row* find_row(ResourceKind kind, bool is_feed, Action action) {
  const auto* row = std::ranges::find_if(
      kRows, [&](const Row& each) { return each.kind == kind && each.is_feed == is_feed && each.action == action; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace partita::cosmos::matrix
