// Orders of a shop: makes a container, writes and reads documents, and queries all partitions in parallel.
//
//   orders [ENDPOINT]        default: http://localhost:8081/; the account key is in PARTITA_KEY

#include "client/container.h"
#include "client/expression/expression.h"
#include "client/query/query.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace partita::client;

namespace {

Answer<void> make_container(const Client& client, const ContainerName& name) {
  if (const auto made = create_database(client, name.database); !made && made.error().status != 409)
    return std::unexpected(made.error());
  ContainerDefinition definition{.id = name.container};
  definition.partition_key = partition_key_definition(std::vector<std::string>{"/customer"}).value();
  const auto made = create_container(client, name.database, definition, {.manual = 20'000});
  if (!made && made.error().status != 409) return std::unexpected(made.error());
  return {};
}

Answer<void> run(const std::string& endpoint) {
  const char* key_text = std::getenv("PARTITA_KEY");
  TRY_ASSIGN(const Client client, Client::create({.endpoint = endpoint, .key = key_text != nullptr ? key_text : ""}));
  const Container orders(client, {"shop", "orders"});
  TRY(make_container(client, orders.name()));

  for (int n = 1; n <= 100; ++n) {
    const std::string id = std::to_string(n);
    TRY(orders.upsert(R"({"id":")" + id + R"(","customer":"c)" + std::to_string(n % 10) + R"(","total":)" + id + "}"));
  }
  TRY_ASSIGN(const Response order, orders.read(key("c7"), "97"));  // sees what was written
  std::printf("order 97, %.2f RU\n", order.charge());

  const Query large = select(path("id"), path("total")).where(path("total") > 96).order_by(path("total").descending()).query();
  TRY_ASSIGN(QueryCursor cursor, QueryCursor::open(orders, large));
  while (true) {
    TRY_ASSIGN(const std::optional<Row> row, cursor.next());
    if (!row) break;
    std::printf("%s\n", row->json().c_str());
  }
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const Answer<void> done = run(count > 1 ? arguments[1] : "http://localhost:8081/");
  if (!done) std::fprintf(stderr, "orders: %s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
