#include "server/admin/admin_api.h"

namespace partita::server {
namespace {

constexpr int64_t kSecondsPerMinute = 60;

std::string_view name_of(DocumentSamples::Kind kind) { return kind == DocumentSamples::Kind::kRead ? "read" : "write"; }

void write_documents(StoredWriter& out, const Container& container) {
  out.begin_array();
  for (const PartitionPlace& place : container.places) {
    for (const DocumentSamples::Request& request : place.partition->document_samples()) {
      out.begin_object();
      out.key("kind");
      out.string(name_of(request.kind));
      out.key("unixSeconds");
      out.integer(request.minute * kSecondsPerMinute);
      out.key("requestUnits");
      out.number(request.units);
      out.key("rids");
      out.begin_array();
      for (const DocumentNumber number : request.touched()) out.string(container.identity.document_rid(number));
      out.end_array();
      out.end_object();
    }
  }
  out.end_array();
}

void write_queries(StoredWriter& out, const Container& container, const QueryShapes* shapes) {
  out.begin_array();
  if (shapes != nullptr) {
    for (const QueryShapes::Shape& shape : shapes->of(container)) {
      out.begin_object();
      out.key("query");
      out.string(shape.text);
      out.key("pages");
      out.integer(static_cast<int64_t>(shape.pages * QueryShapes::kSampling));
      out.key("requestUnits");
      out.number(shape.units * static_cast<double>(QueryShapes::kSampling));
      out.end_object();
    }
  }
  out.end_array();
}

}  // namespace

void answer_workload(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* /*turn*/) {
  const Result<std::shared_ptr<const Container>> container = container_in(api, request);
  if (!container) return answer_error(response, container.error());
  StoredWriter out;
  out.begin_object();
  out.key("isRecorded");
  out.boolean((*container)->places.front().partition->samples_documents());
  out.key("requests");
  write_documents(out, **container);
  out.key("queries");
  write_queries(out, **container, api.parts().shapes);
  out.end_object();
  answer_json(response, out.view());
}

}  // namespace partita::server
