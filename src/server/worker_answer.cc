#include "server/worker_answer.h"

#include "cluster/tenants.h"

#include <memory>
#include <utility>

namespace partita::server {

void answer_by_worker(FairScheduler* workers, const net::HttpRequest& request, net::HttpDone done,
                      std::function<void(Turn*)> answer, std::function<void(const Error&)> refuse) {
  if (workers == nullptr) {
    answer(nullptr);
    return done();
  }
  const auto waiting = std::make_shared<net::HttpDone>(std::move(done));  // for whichever function is called
  workers->submit({.tenant = kAccountTenant,
                   .run =
                       [waiting, answer = std::move(answer)](Turn& turn) {
                         answer(&turn);
                         (*waiting)();
                       },
                   .refuse =
                       [waiting, refuse = std::move(refuse)](const Error& error) {
                         refuse(error);
                         (*waiting)();
                       },
                   .is_abandoned = request.is_abandoned});
}

}  // namespace partita::server
