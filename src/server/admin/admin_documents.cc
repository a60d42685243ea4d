#include "base/encodings.h"
#include "server/admin/admin_api.h"
#include "server/admin/document_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace partita::server {
namespace {

// The value of a parameter behind the question mark.
Result<std::string> parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.size() <= name.size() || !pair.starts_with(name) || pair[name.size()] != '=') continue;
    std::optional<std::string> value = percent_decode(pair.substr(name.size() + 1));
    if (value) return *std::move(value);
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("Say which container: ?database=ID&container=ID; '{}' is missing.", name));
}

// The container that the request names, for a stream of its documents.
Result<std::shared_ptr<const Container>> begin_stream(const AdminApi& api, const net::HttpRequest& request, StreamWork& work) {
  TRY_ASSIGN(std::shared_ptr<const Container> container, container_in(api, request));
  if (!container->definition.form.has_system_properties) {
    return fail(ErrorCode::kInvalidInput, "The container's documents are no JSON objects with ids.");
  }
  work = {.workers = api.parts().workers, .is_abandoned = request.is_abandoned, .slot = api.stream_slots().take()};
  if (work.slot == nullptr) {
    return fail(ErrorCode::kThrottled, fmt::format("{} exports and imports are under way already.", StreamSlots::kSlots));
  }
  return container;
}

}  // namespace

Result<std::shared_ptr<const Container>> container_in(const AdminApi& api, const net::HttpRequest& request) {
  TRY_ASSIGN(const std::string database, parameter(request.query, "database"));
  TRY_ASSIGN(const std::string container, parameter(request.query, "container"));
  return api.parts().catalog.container(database, container);
}

void answer_export(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* /*turn*/) {
  StreamWork work;
  const Result<std::shared_ptr<const Container>> container = begin_stream(api, request, work);
  if (!container) return answer_error(response, container.error());
  answer_text(response, 200, "application/x-ndjson", {});
  response.source = std::make_shared<ExportedDocuments>(StreamedContainer(api.parts().catalog, **container), std::move(work));
}

void take_import(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) {
  StreamWork work;
  const Result<std::shared_ptr<const Container>> container = begin_stream(api, request, work);
  if (!container) {
    answer_error(response, container.error());
    return done();
  }
  if (api.parts().items == nullptr) {
    answer_refusal(response, 503, "Nothing can be imported here.");
    return done();
  }
  std::make_shared<ImportedDocuments>(StreamedContainer(api.parts().catalog, **container), *api.parts().items, std::move(work),
                                      request, response, std::move(done))
      ->begin();
}

}  // namespace partita::server
