#pragma once

#include "cluster/catalog.h"
#include "protocols/cosmos/exchange.h"

namespace partita::cosmos {

// What a permission is about, as its definition says.
struct PermissionTerms {
  bool may_write = false;           // permissionMode: All
  std::string resource;             // the link of a container or of something in it, by names or resource ids
  std::optional<PartitionKey> key;  // only this logical partition
};

// kInvalidInput when a definition's members are missing or make no sense. Whether the resource exists is not asked.
Result<PermissionTerms> permission_terms(const Value& definition);

// kForbidden unless the terms cover the request. Within a container that is permitted, everything is; of one where only a
// resource or a logical partition is, also what clients read to find their way: the container and its ranges.
Status check_permission(const Exchange& exchange, const Catalog& catalog, const PermissionTerms& terms);

}  // namespace partita::cosmos
