#pragma once

#include "base/fair_scheduler.h"
#include "base/result.h"
#include "net/http/http_message.h"

#include <functional>

namespace partita::server {

// Fills the response on a worker, in the account's own turn: for what takes longer the more partitions there are. At once, and
// without a turn, where there are no workers. `refuse` fills it when too much waits already.
void answer_by_worker(FairScheduler* workers, const net::HttpRequest& request, net::HttpDone done,
                      std::function<void(Turn*)> answer, std::function<void(const Error&)> refuse);

}  // namespace partita::server
