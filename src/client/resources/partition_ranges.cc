#include "base/encodings.h"
#include "client/resources/containers.h"
#include "client/resources/resource_feeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace partita::client {
namespace {

// Some servers number their partitions.
std::string id_of(const Value& json) {
  const Value id = json.find("id");
  if (id.is_string()) return std::string(id.string());
  const std::optional<int64_t> number = id.is_number() ? id.integer() : std::nullopt;
  return number ? std::to_string(*number) : "";
}

Result<PartitionRange> read_range(const Value& json) {
  const std::string id = id_of(json);
  const Value min = json.find("minInclusive");
  const Value max = json.find("maxExclusive");
  if (id.empty() || !min.is_string() || !max.is_string()) {
    return fail(ErrorCode::kInternal, "the server tells of a partition without id or bounds");
  }
  std::optional<std::string> from = from_hex(min.string());
  std::optional<std::string> to = from_hex(max.string());
  if (!from || !to) return fail(ErrorCode::kInternal, fmt::format("the bounds of the partition '{}' cannot be read", id));
  PartitionRange range{.id = id, .hashes = {*std::move(from), *std::move(to)}};
  if (const Value parents = json.find("parents"); parents.is_array()) {
    for (size_t index = 0; index < parents.size(); ++index) {
      if (const Value parent = parents.element(index); parent.is_string()) range.parents.emplace_back(parent.string());
    }
  }
  return range;
}

// A server may still tell of those that were split.
void remove_parents(std::vector<PartitionRange>& ranges) {
  std::set<std::string, std::less<>> gone;
  for (const PartitionRange& range : ranges) gone.insert(range.parents.begin(), range.parents.end());
  std::erase_if(ranges, [&](const PartitionRange& range) { return gone.contains(range.id); });
}

bool is_tiling(const std::vector<PartitionRange>& ranges) {
  std::string_view end = kEffectiveKeyMin;
  for (const PartitionRange& range : ranges) {
    if (range.hashes.min != end || range.hashes.max <= range.hashes.min) return false;
    end = range.hashes.max;
  }
  return end == kEffectiveKeyMax;
}

}  // namespace

Answer<std::vector<PartitionRange>> read_partition_ranges(const Client& client, const ContainerName& name) {
  std::vector<PartitionRange> ranges;
  const Request request{.path = name.path() + "/pkranges", .resource_type = "pkranges", .resource_link = name.link()};
  TRY(read_feed(client, request, "PartitionKeyRanges", [&](const Value& json) -> Status {
    TRY_ASSIGN(PartitionRange range, read_range(json));
    ranges.push_back(std::move(range));
    return {};
  }));
  remove_parents(ranges);
  std::ranges::sort(ranges, {}, [](const PartitionRange& range) -> const std::string& { return range.hashes.min; });
  if (!is_tiling(ranges)) {
    return std::unexpected(Failure(Error{
        ErrorCode::kUnavailable, fmt::format("the partitions of '{}' do not cover all documents; try again", name.container)}));
  }
  return ranges;
}

}  // namespace partita::client
