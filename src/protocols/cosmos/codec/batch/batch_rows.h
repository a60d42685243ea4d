#pragma once

#include "base/result.h"
#include "gateway/items/batches.h"
#include "protocols/cosmos/codec/batch/batch_body.h"

#include <string>
#include <string_view>

// The bodies of batch and bulk requests and of their answers as .NET clients write and read them: a record stream with one
// HybridRow per operation. A row is a byte of presence bits (lowest first: fixed fields, then variable ones), the fixed fields
// whether present or not, the variable ones that are present (length as varint, bytes), and then sparse fields (type, field
// number as varint, value).
//
//   BatchOperation 7FE15470: 0 operationType, 1 resourceType (int32, fixed); 2 partitionKey, 3 effectivePartitionKey, 4 id,
//     5 binaryId, 6 resourceBody (variable); sparse, by field number: 8 indexingDirective, 9 ifMatch, 10 ifNoneMatch (text),
//     11 timeToLiveInSeconds (int32), 12 minimalReturnPreference (boolean)
//   BatchResult 7FE15471: 0 statusCode, 1 subStatusCode (int32, fixed); 2 eTag, 3 resourceBody (variable); sparse:
//     5 retryAfterMilliseconds (uint32), 6 requestCharge (float64)
namespace partita::cosmos {

// The operations look into `bytes`. kInvalidInput when it is not a stream of 1 to 100 operations.
Status parse_batch_rows(std::string_view bytes, BatchBody& body);

void append_batch_rows(std::string& out, const BatchOutcome& outcome);

}  // namespace partita::cosmos
