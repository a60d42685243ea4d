#pragma once

#include "auth/master_key.h"
#include "base/clock.h"
#include "base/result.h"
#include "cluster/catalog/catalog.h"
#include "protocols/cosmos/exchange.h"

namespace partita::cosmos {

// Whether the exchange's operation may go on: signed with one of the account's keys, or carrying it in a directory token, and
// with one that can write if it writes; or with the token of a permission that covers it, and then within which limits.
//
// kUnauthorized or kAuthorizationExpired when it is not known who asks, kForbidden when it is. The body is not looked at. A key
// that is to be computed (computed_key.h) is in the exchange afterwards, if it is known who asks: nobody else has work done.
Result<TokenLimits> authorize(Exchange& exchange, const auth::MasterKeyVerifier& keys, const Catalog& catalog,
                              const Clock& clock);

}  // namespace partita::cosmos
