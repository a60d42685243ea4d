#pragma once

#include "cluster/catalog/catalog.h"
#include "protocols/cosmos/exchange.h"

namespace partita::cosmos {

// What a permission is about, as its definition says.
struct PermissionTerms {
  bool may_write = false;           // permissionMode: All
  std::string resource;             // the link of a container or of something in it, by names or resource ids
  std::optional<PartitionKey> key;  // only this logical partition; not empty
};

// kInvalidInput when a definition's members are missing or make no sense. Whether the resource exists is not asked.
Result<PermissionTerms> permission_terms(const Value& definition);

// kInvalidInput when the terms have a key that no document of the container can have. One that does not exist yet has no say.
Status check_key_fits(const PermissionTerms& terms, const Catalog& catalog);

// kForbidden unless the terms cover the exchange's operation; else what remains to be checked by its handler. Within a container
// that is permitted, everything is; of one where only a resource or a logical partition is, also what clients read to find their
// way: the container and its ranges.
//
// A document that is permitted by its id alone is the one without a partition key value (SDKs' PartitionKey.None): an id names
// one document in each logical partition. By its resource id it is that document, whatever its key.
Result<TokenLimits> check_permission(const Exchange& exchange, const Catalog& catalog, const PermissionTerms& terms);

}  // namespace partita::cosmos
