#pragma once

#include "client/client.h"

#include <string>

namespace partita::client {

// What an endpoint says of its account.
struct Account {
  std::string id = {};
  std::string consistency = {};  // such as Session
  bool is_partita = false;       // the server has what only Partita has, beside the service's API
};

// Whether anybody answers at the endpoint, and who.
Answer<Account> read_account(const Client& client);

}  // namespace partita::client
