#include "base/encodings.h"
#include "document/json/json.h"
#include "document/json/utf8.h"
#include "protocols/cosmos/codec/query_parameter.h"
#include "protocols/cosmos/direct/replica_path.h"
#include "protocols/cosmos/handlers/handlers.h"

#include <fmt/format.h>

#include <vector>

namespace partita::cosmos {
namespace {

// Clients ask for one, or for fifty when they warm up.
constexpr size_t kRangesMax = 100;

// A partition, or the metadata.
struct Addressed {
  std::string_view container_rid;
  std::string_view range_id;
  uint64_t number = 0;
};

// The address that the client used to get here, so that it gets there whatever ports or names lie in between, or the public one.
std::string authority_for(const Service& service, const Exchange& exchange) {
  const std::string& endpoint = service.public_endpoint();
  const bool is_tls = endpoint.empty() ? exchange.request().is_tls : endpoint.starts_with("https:");
  std::string host = repaired_utf8(exchange.header(header::kHost));
  if (!endpoint.empty()) {
    const size_t begin = endpoint.find("//") + 2;
    host = endpoint.substr(begin, endpoint.size() - begin - 1);
  }
  const size_t colon = host.rfind(':');
  const bool has_port = colon != std::string::npos && host.find(']', colon) == std::string::npos;
  const uint16_t port = service.direct().port;
  if (port == 0 && has_port) return host;
  if (has_port) host.resize(colon);
  return fmt::format("{}:{}", host, port != 0 ? port : is_tls ? 443 : 80);
}

void write_address(StoredWriter& out, const std::string& authority, const Addressed& addressed, size_t replica) {
  const auto text = [&](std::string_view key, std::string_view value) {
    out.key(key);
    out.string(value);
  };
  out.begin_object();
  out.key("isPrimary");
  out.boolean(replica == 0);
  text("protocol", "rntbd");
  text("logicalUri",
       fmt::format("urn:uuid:{:08x}-{:04x}-4000-8000-{:012x}", addressed.number >> 32, replica, addressed.number & 0xFFFF'FFFF));
  // Clients spell it so.
  text("physcialUri",
       fmt::format("rntbd://{}{}", authority, direct::replica_path(addressed.container_rid, addressed.range_id, replica)));
  text("partitionIndex", addressed.range_id);
  text("partitionKeyRangeId", addressed.range_id);
  out.end_object();
}

void answer(Exchange& exchange, const std::string& authority, const std::vector<Addressed>& found) {
  StoredWriter out;
  out.begin_object();
  out.key("_rid");
  out.string("");
  out.key("Addresss");  // clients spell it so
  out.begin_array();
  for (const Addressed& each : found) {
    for (size_t replica = 0; replica < direct::kReplicas; ++replica) write_address(out, authority, each, replica);
  }
  out.end_array();
  out.key("_count");
  out.integer(static_cast<int64_t>(found.size() * direct::kReplicas));
  out.end_object();
  exchange.answer_json(200, out.view());
}

Result<std::vector<std::string>> range_ids(std::string_view query) {
  const std::optional<std::string> text = percent_decode(find_query_parameter(query, "$partitionkeyrangeids").value_or(""));
  if (!text || text->empty()) return fail(ErrorCode::kInvalidInput, "The parameter $partitionKeyRangeIds names no range.");
  std::vector<std::string> ids;
  for (std::string_view rest = *text; !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    ids.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (ids.size() > kRangesMax)
      return fail(ErrorCode::kInvalidInput, fmt::format("Addresses of at most {} ranges are told at once.", kRangesMax));
  }
  return ids;
}

// A range that nobody knows is left out: clients look at the map of ranges again then. One that was split or merged still has
// addresses, because clients look again only once: where the next map is old, too, when they ask for its addresses, their program
// is told 404. What they send there is routed by its key, or answered with 410 where it is about the range.
Result<std::vector<Addressed>> find_ranges(const Container& container, std::string_view query) {
  TRY_ASSIGN(const std::vector<std::string> ids, range_ids(query));
  std::vector<Addressed> found;
  for (const std::string& id : ids) {
    if (const PartitionPlace* place = container.find_place(id)) {
      found.push_back({container.rid(), place->range_id, place->address().id.value});
    } else if (const FormerRange* former = container.find_former(id)) {
      found.push_back({container.rid(), former->range_id, container.place_of(former->range.min).address().id.value});
    }
  }
  return found;
}

}  // namespace

// Where replicas listen that clients in direct mode talk to. There is one server, so all of them are here.
void list_addresses(const Service& service, ExchangePtr exchange) {
  if (!service.direct().is_served) {
    return exchange->answer_error(
        {ErrorCode::kNotFound, "Direct mode is switched off on this server (--direct off): clients have to use gateway mode."});
  }
  const ResourcePath* wanted = exchange->path().resolve_for();
  if (wanted == nullptr) {
    return exchange->answer_error(
        {ErrorCode::kInvalidInput, "The parameter $resolveFor does not say whose addresses are meant."});
  }
  const std::string authority = authority_for(service, *exchange);
  if (wanted->container().empty()) return answer(*exchange, authority, {{.container_rid = {}, .range_id = direct::kMasterRange}});
  const auto container = service.container(*exchange, wanted->database(), wanted->container());
  if (!container) return exchange->answer_error(container.error());
  const Result<std::vector<Addressed>> found = find_ranges(**container, exchange->request().query);
  if (!found) return exchange->answer_error(found.error());
  answer(*exchange, authority, *found);
}

}  // namespace partita::cosmos
