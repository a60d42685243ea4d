#pragma once

#include "auth/master_key.h"
#include "base/fair_scheduler.h"
#include "cluster/catalog.h"
#include "cluster/reshaper.h"
#include "document/stored_writer.h"
#include "net/http_message.h"

#include <string_view>

namespace partita::server {

inline constexpr std::string_view kAdminPrefix = "/_partita/";
// What an account key signs for the admin door: this resource type, and as link the path behind kAdminPrefix.
inline constexpr std::string_view kAdminResourceType = "partita";

// ReshapeDoor: how an operator changes and watches partitions, under /_partita/, signed with an account key. Thread-safe.
//
//   POST split     {"database","container","range"}, "at" (a hash) if the cut shall not be found; answers when it is done
//   POST merge     {"database","container","range"}: the range and its right neighbour
//   POST rekey     {"database","container","partitionKey"}
//                  each with a "mode" (online, readOnly, offline) of the container meanwhile; other than online, it is verified
//   POST plan      {"database","container"} and what shall be otherwise: "throughput", "partitionKeyPaths", "partitionBytes",
//                  "merge" (true); answers with a text, changes nothing
//   GET  reshapes  those under way, with their states
//   GET  statistics     what partitions hold and are asked for; ?history=true: also over the last seconds, minutes and
//                       hours; ?sizes=true: also what the hottest key values hold
//   POST reset-budgets  every partition's budget of request units begins anew
//
// A read-only key may only GET.
class ReshapeDoor {
 public:
  // `workers` count what the hottest key values hold; without them it is done at once.
  ReshapeDoor(Catalog& catalog, Reshaper& reshaper, const auth::MasterKeyVerifier& keys, FairScheduler* workers = nullptr)
      : catalog_(catalog), reshaper_(reshaper), keys_(keys), workers_(workers) {}

  // REQUIRES: the path begins with kAdminPrefix.
  void handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) const;

 private:
  Status authorize(const net::HttpRequest& request) const;
  void answer_reshapes(net::HttpResponse& response) const;
  void answer_statistics(const net::HttpRequest& request, net::HttpResponse& response) const;

  Catalog& catalog_;
  Reshaper& reshaper_;
  const auth::MasterKeyVerifier& keys_;
  FairScheduler* workers_;
};

void write_report(StoredWriter& out, const ReshapeReport& report);

}  // namespace partita::server
