#include "client/resources/account.h"

#include "document/json/json.h"

namespace partita::client {
namespace {

std::string text_of(const Value& value) { return value.is_string() ? std::string(value.string()) : std::string(); }

// Nobody else has this path.
bool answers_as_partita(const Client& client) {
  const Answer<Response> health = client.send({.path = "/_health/ready"});
  if (!health) return false;
  const Result<std::string> stored = stored_from_json(health->body());
  return stored && Value::view(*stored).find("status").is_string();
}

}  // namespace

Answer<Account> read_account(const Client& client) {
  TRY_ASSIGN(const Response response, client.send_expecting_success({}));
  TRY_ASSIGN(const std::string stored, stored_from_json(response.body()));
  const Value account = Value::view(stored);
  return Account{.id = text_of(account.find("id")),
                 .consistency = text_of(account.find("userConsistencyPolicy").find("defaultConsistencyLevel")),
                 .is_partita = answers_as_partita(client)};
}

}  // namespace partita::client
