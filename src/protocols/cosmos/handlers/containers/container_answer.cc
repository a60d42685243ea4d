#include "protocols/cosmos/handlers/containers/container_answer.h"

#include "protocols/cosmos/codec/resource_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::cosmos {
namespace {

constexpr uint64_t kContainerQuotaKilobytes = 10 * 1024 * 1024;

void set_usage(Exchange& exchange, const Container& container) {
  uint64_t documents = 0;
  uint64_t bytes = 0;
  for (const PartitionPlace& place : container.places) {
    const PartitionCounters counters = place.partition->counters();
    documents += counters.documents;
    bytes += counters.record_bytes;
  }
  exchange.response().header(
      header::kResourceQuota,
      fmt::format("documentSize=10240;documentsSize={0};documentsCount=-1;collectionSize={0};", kContainerQuotaKilobytes));
  exchange.response().header(
      header::kResourceUsage,
      fmt::format("documentSize=0;documentsSize={0};documentsCount={1};collectionSize={0};", bytes / 1024, documents));
}

// Of a new policy's indexes; 100 when they are the ones that queries read.
int index_progress_percent(const Container& container) {
  double least = 1;
  for (const PartitionPlace& place : container.places) least = std::min(least, place.partition->index_progress());
  return static_cast<int>(least * 100);
}

}  // namespace

void answer_container(Exchange& exchange, const Result<std::shared_ptr<const Container>>& found, int status) {
  if (!found) return exchange.answer_error(found.error());
  const Container& container = **found;
  StoredWriter out;
  const bool is_modern = exchange.speaks_version(kModernVersion);
  write_container(out, container, is_modern);
  exchange.set_etag(container.revision.etag);
  exchange.set_owner(*container.database);
  if (!exchange.operation().is_write())
    exchange.set_session(container.places.front(), container.places.front().partition->durable_lsn());
  if (exchange.is_header_true(header::kPopulateQuota)) set_usage(exchange, container);
  exchange.response().header(header::kIndexProgress, std::to_string(index_progress_percent(container)));
  if (container.definition.indexing->mode() == IndexingPolicy::Mode::kLazy && !is_modern)
    exchange.response().header(header::kLazyIndexProgress, "100");
  exchange.answer_json(status, out.view());
}

}  // namespace partita::cosmos
