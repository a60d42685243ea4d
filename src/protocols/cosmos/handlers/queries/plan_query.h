#pragma once

#include "base/result.h"
#include "document/stored/stored_writer.h"
#include "protocols/cosmos/service.h"

namespace partita::cosmos {

// The plan of the query in the request's body, for clients that merge partitions themselves.
Status write_plan(const Service& service, const Exchange& exchange, StoredWriter& out);

}  // namespace partita::cosmos
