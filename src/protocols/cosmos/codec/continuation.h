#pragma once

#include "base/result.h"
#include "gateway/continuation.h"
#include "query/plan/plan.h"

#include <string>
#include <string_view>

// Continuation tokens of document feeds, also those that scripts read: opaque to clients, printable ASCII, valid inside a JSON
// string of a client's own token.
//
//   {"token":"+RID:<rid of the last document>","key":"<hash>","range":{"min":"<hex>","max":"<hex>"},
//    "scope":{"min":"<hex>","max":"<hex>"}}
//
// The document's number is 0 where nothing in the range has been read yet: a page ended with its partition, in front of it.
// "key" is a hash of the container's partition key: under another one documents have other hashes, so that a token would lose
// some and repeat others.
// "scope" is left out when it is everything. With it a token goes on with what it began, also when the client sends it with
// another physical partition: clients replace a partition that is gone by all that overlap it, which after a merge may have more.
//
// Those of queries say behind which row the query goes on (query::Position; members that are zero, empty or false are left out),
// and have a version and a hash of the query's text, so that a token is not used with another query.
//
//   {"v":1,"query":"<hash>","skipped":n,"taken":n,"order":"<base64>","group":"<base64>","token":"+RID:...","row":n,"open":true,
//    "again":true,"inner":{...},"key":"<hash>","range":{"min":"<hex>","max":"<hex>"},"scope":{"min":"<hex>","max":"<hex>"}}
//
// Tokens are not signed, because nothing is believed of them that a client could not have said otherwise. A token chooses a place
// among what the request may read anyway: permissions are checked on the request alone, before a token is looked at; the hashes
// that are read are those of the request's own key and headers, intersected with the token's; the filter and the partition key
// are applied to every document, whatever the token says. So the worst that a forged token does is a wrong page for who forged
// it: rows of its own query left out or given twice. It costs no more than a request without one, as a page is bounded by rows
// read, by bytes and by time. What is needed instead is that every token which is accepted is one that could have been written:
// its ranges are ordered and within the space of hashes, its numbers are those of documents, its sort keys are of the query's
// shape. That is checked here, where it is parsed, and nothing behind it needs to ask again.
namespace partita::cosmos {

std::string encode_continuation(const FeedContinuation& continuation, const Container& container);
// kInvalidInput when it is no such token, one of another container, or from before its partition key was changed.
Result<FeedContinuation> decode_continuation(std::string_view text, const Container& container);

// Whether it is a token of the service's own, of another container: there it says nothing about this one, and is not looked at.
//
//   +RID:~<base64 of a document's resource id>#RT:<n>#TRC:<n>...
bool is_foreign_continuation(std::string_view text, const Container& container);

std::string encode_query_continuation(const QueryContinuation& continuation, std::string_view query_text,
                                      const Container& container);
// The plan is that of the query. kInvalidInput also when it could not have come to this position.
Result<QueryContinuation> decode_query_continuation(std::string_view text, std::string_view query_text, const query::Plan& plan,
                                                    const Container& container);

}  // namespace partita::cosmos
