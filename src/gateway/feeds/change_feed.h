#pragma once

#include "base/result.h"
#include "base/turn.h"
#include "cluster/resources.h"
#include "engine/versions.h"
#include "gateway/request_charge.h"
#include "partition/changes/change_subscriptions.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita {

inline constexpr size_t kChangePageItemsDefault = 100;
inline constexpr size_t kChangePageBytesMax = 4 * 1024 * 1024;
// Changes looked at for one page, also when most of them do not belong to it.
inline constexpr size_t kChangePageScanMax = 50'000;
inline constexpr size_t kChangePageScanBytesMax = 64 << 20;

// ChangePosition: how far a reader of changes has come: for each physical partition the LSN up to which it has seen everything.
// A partition that was split leaves its LSNs to its children, so they go on from what is noted for their parents.
struct ChangePosition {
  Lsn everywhere;                                     // where nothing more precise is noted
  std::vector<std::pair<std::string, Lsn>> by_range;  // range ids of physical partitions

  Lsn of(const PartitionPlace& place) const;
  void note(const PartitionPlace& place, Lsn lsn);
};

// What a reader of changes wants: the newest version of each document, or everything that was written and deleted.
enum class ChangeFeedMode { kLatestVersions, kAllVersions };

struct ChangeFeedRequest {
  ChangeFeedMode mode = ChangeFeedMode::kLatestVersions;
  EffectiveKeyRange range;          // only documents whose hash lies in it
  std::optional<PartitionKey> key;  // only one logical partition, or those with this prefix
  std::optional<ChangePosition> from;
  bool starts_now = false;               // nothing that has happened already
  std::optional<int64_t> since_seconds;  // only documents last written at this time or later
  size_t items_max = kChangePageItemsDefault;
  RequestTerms terms;
  Turn* turn = nullptr;  // of the job that reads it, if it is one
};

// One version, and what the document was before where the container gives that; else empty.
struct ChangeVersion {
  ItemVersion version;
  std::optional<ItemVersion> previous;
};

// Items and versions are, in each partition, in the order of their LSNs.
struct ChangePage {
  std::vector<Item> items;                // the newest version of each changed document
  std::vector<ChangeVersion> versions;    // or all
  ChangePosition next;                    // also when there were no changes
  bool has_more = false;                  // the page ended before the changes did
  bool is_of_one_place = false;           // the request concerned one physical partition only
  const PartitionPlace* place = nullptr;  // the last one touched
  Lsn lsn;                                // how far it was read
  size_t bytes = 0;                       // of items and versions
  double charge = 0;

  size_t size() const { return items.size() + versions.size(); }
};

// One page of what has changed: documents that were created or replaced, each once and as it is now. Documents that one
// transaction wrote come on one page. All versions are only read from now on or from a position that is not older than what the
// container keeps, else kInvalidInput. The callback runs once everything on the page is durable.
void read_changes(const std::shared_ptr<const Container>& container, const ChangeFeedRequest& request,
                  std::move_only_function<void(Result<ChangePage>)> callback);

// What to wait for before there can be more than up to `position`: every partition that has hashes of the range.
std::vector<ChangeSubscriptions::Awaited> changes_behind(const Container& container, const EffectiveKeyRange& range,
                                                         const ChangePosition& position);

}  // namespace partita
