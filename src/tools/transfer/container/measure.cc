#include "client/items/item_requests.h"
#include "tools/transfer/container/prepare.h"
#include "tools/transfer/source/container_feed.h"

#include <fmt/format.h>

#include <optional>

namespace partita::tools::transfer {
namespace {

constexpr std::chrono::milliseconds kWait{100};

// Each partition counts its own, which every server can do without a plan for several.
Result<uint64_t> count_partition(const client::Client& client, const client::ContainerName& name, const std::string& range_id) {
  uint64_t count = 0;
  std::string continuation;
  do {
    const client::Answer<client::Response> answer = client.send_expecting_success(client::query_page(
        name, {.range_id = range_id}, client::query_body("SELECT VALUE COUNT(1) FROM c"), {.continuation = continuation}));
    if (!answer) return std::unexpected<Error>(answer.error());
    TRY_ASSIGN(const client::FeedPage page, client::FeedPage::parse(*answer, "Documents"));
    for (size_t index = 0; index < page.size(); ++index) {
      const Value counted = page.at(index);
      const std::optional<int64_t> number = counted.is_number() ? counted.integer() : std::nullopt;
      if (!number || *number < 0) return fail(ErrorCode::kInternal, "the server's count is no number");
      count += static_cast<uint64_t>(*number);
    }
    continuation = answer->continuation();
  } while (!continuation.empty());
  return count;
}

Result<ContentSum> count_documents(const client::Client& client, const client::ContainerName& name) {
  const client::Answer<std::vector<client::PartitionRange>> ranges = client::read_partition_ranges(client, name);
  if (!ranges) return std::unexpected<Error>(ranges.error());
  ContentSum sum;
  for (const client::PartitionRange& range : *ranges) {
    TRY_ASSIGN(const uint64_t count, count_partition(client, name, range.id));
    sum.documents += count;
  }
  return sum;
}

}  // namespace

Result<ContentSum> measure_container(const client::Client& client, const client::ContainerName& name, Verify verify,
                                     const std::vector<std::string>& ignored, std::chrono::seconds patience) {
  if (verify != Verify::kFull) return count_documents(client, name);
  TRY_ASSIGN(const std::unique_ptr<ContainerFeed> feed, ContainerFeed::open(client, name, {.patience = patience}, {}));
  ContentSum sum;
  while (true) {
    TRY_ASSIGN(const std::optional<client::FeedPage> page, feed->next(kWait));
    if (!page) return sum;
    for (size_t index = 0; index < page->size(); ++index) sum.add(content_hash(page->at(index), ignored));
  }
}

}  // namespace partita::tools::transfer
