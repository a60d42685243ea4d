#include "client/header_names.h"
#include "client/resources/containers.h"
#include "client/resources/resource_feeds.h"
#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::client {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

Offer read(const Value& json) {
  Offer offer{.json = to_json(json)};
  if (const Value id = json.find("id"); id.is_string()) offer.id = id.string();
  const Value content = json.find("content");
  const Value maximum = content.find("offerAutopilotSettings").find("maxThroughput");
  const Value manual = content.find("offerThroughput");
  if (maximum.is_number()) {
    offer.throughput.autoscale_max = maximum.integer();
  } else if (manual.is_number()) {
    offer.throughput.manual = manual.integer();
  }
  return offer;
}

// The offer with another content, its other members as they were.
Result<std::string> with_content(const Offer& offer, const Throughput& throughput) {
  StoredWriter out;
  out.begin_object();
  constexpr std::string_view kSkipped[] = {"content"};
  TRY(read_json_members(offer.json, kSkipped, out));
  out.key("content");
  const std::string content =
      throughput.autoscale_max ? fmt::format(R"({{"offerAutopilotSettings":{{"maxThroughput":{}}}}})", *throughput.autoscale_max)
                               : fmt::format(R"({{"offerThroughput":{}}})", throughput.manual.value_or(0));
  TRY(read_json(content, out));
  out.end_object();
  return to_json(out.view());
}

}  // namespace

Answer<Offer> read_offer(const Client& client, const ContainerDefinition& container) {
  std::optional<Offer> found;
  TRY(read_feed(client, {.path = "/offers", .resource_type = "offers"}, "Offers", [&](const Value& json) -> Status {
    const Value owner = json.find("offerResourceId");
    if (owner.is_string() && owner.string() == container.rid) found = read(json);
    return {};
  }));
  if (found) return *std::move(found);
  return std::unexpected(
      Failure(Error{ErrorCode::kNotFound, fmt::format("the container '{}' has no throughput of its own", container.id)}));
}

Answer<Offer> replace_offer(const Client& client, const Offer& offer, const Throughput& throughput) {
  TRY_ASSIGN(std::string body, with_content(offer, throughput));
  Request request{.method = "PUT",
                  .path = fmt::format("/offers/{}", offer.id),
                  .resource_type = "offers",
                  .resource_link = lower(offer.id),
                  .body = std::move(body)};
  // From one kind of throughput to the other the service goes only when told so.
  if (throughput.autoscale_max && offer.throughput.manual) request.with(header::kMigrateToAutopilot, "true");
  if (throughput.manual && offer.throughput.autoscale_max) request.with(header::kMigrateToManual, "true");
  TRY_ASSIGN(const Response response, client.send_expecting_success(std::move(request)));
  TRY_ASSIGN(const std::string stored, stored_from_json(response.body()));
  return read(Value::view(stored));
}

}  // namespace partita::client
