#pragma once

#include "base/clock.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita {

// Between tries: doubled with every failure, from the first of these to the last.
inline constexpr int64_t kFirstRetryMs = 1'000;
inline constexpr int64_t kLastRetryMs = 300'000;
// How much of it is remembered, and told in a minute.
inline constexpr size_t kBackgroundFailuresMax = 1'000;
inline constexpr size_t kFailuresToldPerMinute = 20;
// What was not tried again for so long is nobody's concern any more, for example because its container was deleted.
inline constexpr int64_t kFailureForgottenMs = 3'600'000;

// Kinds of work that nobody waits for.
namespace background {
inline constexpr std::string_view kReshape = "splitting or merging partitions";
inline constexpr std::string_view kDropRows = "dropping the rows of former partitions";
inline constexpr std::string_view kBuildIndex = "building an index";
inline constexpr std::string_view kReclaim = "looking for expired documents and old versions";
inline constexpr std::string_view kRemoveExpired = "removing an expired document";
inline constexpr std::string_view kEraseKey = "finishing the deletion of a partition key's documents";
inline constexpr std::string_view kMergeTables = "merging tables while nobody writes";
inline constexpr std::string_view kWeigh = "weighing logical partitions";
inline constexpr std::string_view kKeepHeat = "writing down how much partitions are used";
inline constexpr std::string_view kLeaseNumbers = "leasing document numbers";
inline constexpr std::string_view kRaiseThroughput = "raising the throughput of what has grown";
}  // namespace background

// BackgroundFailure: work that did not succeed when it was last tried.
struct BackgroundFailure {
  std::string kind;     // one of the above
  std::string subject;  // which container, partition, offer; printable
  std::string message;  // of the last try
  uint64_t tries = 0;
  int64_t since_ms = 0;  // Unix time, as below
  int64_t last_ms = 0;
  int64_t next_ms = 0;   // before that it is not tried again
  bool is_over = false;  // told once, when it has succeeded after all
};

// BackgroundFailures: what fails while nobody waits for it, so that it is tried again ever more seldom, told in a few lines, and
// can be asked for. Thread-safe.
class BackgroundFailures {
 public:
  using Listener = std::function<void(const BackgroundFailure&)>;
  explicit BackgroundFailures(const Clock& clock) : clock_(clock) {}

  // Hears of the first, second, fourth, eighth... failure of the same work, and of its end; nobody with an empty function.
  void set_listener(Listener listener);

  // Runs `work`, unless it has failed too short a time ago, and notes what came of it. Then, and if it fails again, its error.
  Status attempt(std::string_view kind, std::string_view subject, const std::function<Status()>& work);

  bool is_due(std::string_view kind, std::string_view subject) const;
  void note(std::string_view kind, std::string_view subject, const Status& outcome);

  // Those that are not over, by kind and subject.
  std::vector<BackgroundFailure> all() const;
  size_t size() const;

 private:
  using Key = std::pair<std::string, std::string>;

  // REQUIRES, here and below: mutex_ is held. What the listener shall hear, if anything.
  std::optional<BackgroundFailure> note_failure(std::string_view kind, std::string_view subject, const Error& error);
  std::optional<BackgroundFailure> note_success(std::string_view kind, std::string_view subject);
  void make_room(int64_t now_ms);
  bool may_tell(int64_t now_ms);

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<Key, BackgroundFailure> failures_;
  int64_t minute_ = 0;  // of the Unix epoch, the one that is counted
  size_t told_ = 0;     // in that minute
  std::mutex telling_;  // keeps the listener until it has heard
  Listener listener_;   // guarded by telling_
};

}  // namespace partita
