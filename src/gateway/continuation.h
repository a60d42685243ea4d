#pragma once

#include "document/key/partition_key.h"
#include "gateway/feeds/feed.h"
#include "gateway/query/queries.h"

// Where a feed or a query goes on. How that is spelled for a client is its protocol's.
namespace partita {

template <typename Position>
struct Continuation {
  Position position;
  EffectiveKeyRange scope;  // the hashes of the documents that the request was about
};
using FeedContinuation = Continuation<FeedPosition>;
using QueryContinuation = Continuation<QueryPosition>;

}  // namespace partita
