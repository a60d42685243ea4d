#include "server/directory/upgrade.h"

#include "observe/log.h"
#include "storage/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace partita::server {
namespace {

// Since format 3 the store keeps a ledger of its logs, and makes it when it is opened.
Status add_ledger(const DataDirectory& directory) {
  StoreOptions options;
  options.directory = directory.store_path();
  options.has_no_ledger = true;
  TRY(Store::open(options));
  return {};
}

struct Step {
  int from;  // to the next one
  std::string_view what;
  Status (*apply)(const DataDirectory& directory);
};

constexpr std::array kSteps = {
    Step{2, "a ledger of the logs", add_ledger},
};
static_assert(kSteps.front().from == kDataFormatMin && kSteps.back().from + 1 == kDataFormat);

Status apply(const Step& step, DataDirectory& directory, const std::function<void()>& between) {
  spdlog::info("upgrading {} from format {} to {}: {}", directory.path(), step.from, step.from + 1, step.what);
  between();
  TRY(directory.begin_upgrade());
  between();
  TRY(step.apply(directory));
  between();
  TRY(directory.end_upgrade());
  between();
  return {};
}

}  // namespace

Status upgrade(DataDirectory& directory, const std::function<void()>& between) {
  while (directory.format() < kDataFormat) {
    const Step& step = *std::ranges::find(kSteps, directory.format(), &Step::from);
    if (Status done = apply(step, directory, between); !done) {
      return fail(done.error().code,
                  fmt::format("the data directory {} could not be upgraded from format {} to {}; nothing is lost, and the "
                              "next start tries again: {}",
                              directory.path(), step.from, step.from + 1, done.error().message));
    }
  }
  return {};
}

}  // namespace partita::server
