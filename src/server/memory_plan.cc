#include "server/memory_plan.h"

#include "base/machine.h"
#include "engine/transaction.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::server {
namespace {

constexpr uint64_t kMegabyte = 1ULL << 20;

// Of the machine, when nobody says so: the other half is for the system's own cache of files and for other programs.
constexpr uint64_t kShareOfMachine = 2;
constexpr uint64_t kDefaultBytesMax = 64ULL << 30;

// The program and its threads.
constexpr size_t kBaseBytes = 48 * kMegabyte;
// Definitions, scripts, permissions and partitions: so much, and this part of what there is beyond the least.
constexpr size_t kCatalogBytesMin = 48 * kMegabyte;
constexpr size_t kCatalogShare = 16;
constexpr size_t kConnectionBytes = 24 * 1024;  // with TLS and a small request
constexpr size_t kConnectionsMax = 10'000;
constexpr size_t kConnectionsShare = 16;  // of all

// Script hosts get at most this part of all, unless that is less than one tenant and its neighbour need.
constexpr uint64_t kScriptShare = 3;
constexpr size_t kScriptHostsMin = 2;

// Of what is then left, in hundredths.
constexpr uint64_t kCachePercent = 35;
// Of what the cache leaves; the rest is for work under way.
constexpr uint64_t kMemtablePercent = 18;
constexpr uint64_t kNetworkPercent = 16;
constexpr uint64_t kQueryPercent = 15;
constexpr uint64_t kStagedPercent = 15;
// Of what queries have, this part is for rows that are computed ahead.
constexpr uint64_t kAheadShare = 8;

constexpr size_t kCacheBytesMax = 4096 * kMegabyte;  // unless somebody asks for more
constexpr size_t kMemtableBytesMax = 192 * kMegabyte;
constexpr size_t kAheadBytesMax = 256 * kMegabyte;
constexpr size_t kQueryBytesEachMax = 256 * kMegabyte;
constexpr size_t kStagedBytesEachMax = kTransactionBytesMax;

uint64_t megabytes(uint64_t bytes) { return bytes / kMegabyte; }

uint64_t memory_of(const MemoryWish& wish) {
  if (wish.memory_bytes > 0) return wish.memory_bytes;
  return std::clamp(memory_limit() / kShareOfMachine, kMemoryBytesMin, kDefaultBytesMax);
}

Status check_memory(uint64_t memory_bytes) {
  if (memory_bytes >= kMemoryBytesMin) return {};
  return fail(ErrorCode::kInvalidInput, fmt::format("--memory-mb {} is too small: the server and its script hosts need {}",
                                                    megabytes(memory_bytes), megabytes(kMemoryBytesMin)));
}

// The rest of the server needs memory, too.
Status check_cache(const MemoryWish& wish, uint64_t rest) {
  if (wish.cache_bytes <= rest / 2) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("--cache-mb {} is too much: of the memory that the server may use (--memory-mb) up to {} can be cache",
                          megabytes(wish.cache_bytes), megabytes(rest / 2)));
}

}  // namespace

Result<MemoryPlan> MemoryPlan::divide(const MemoryWish& wish) {
  MemoryPlan plan;
  plan.memory_bytes = memory_of(wish);
  TRY(check_memory(plan.memory_bytes));
  plan.connections_max = std::min(kConnectionsMax, plan.memory_bytes / kConnectionsShare / kConnectionBytes);
  plan.base_bytes = kBaseBytes + plan.connections_max * kConnectionBytes;
  plan.catalog_bytes = kCatalogBytesMin + (plan.memory_bytes - kMemoryBytesMin) / kCatalogShare;
  plan.script_hosts = std::clamp(plan.memory_bytes / kScriptShare / kScriptHostBytes, kScriptHostsMin,
                                 std::max(wish.script_hosts, kScriptHostsMin));
  const size_t rest = plan.memory_bytes - plan.base_bytes - plan.catalog_bytes - plan.script_hosts * kScriptHostBytes;
  TRY(check_cache(wish, rest));
  plan.cache_bytes = wish.cache_bytes > 0 ? wish.cache_bytes : std::min(rest / 100 * kCachePercent, kCacheBytesMax);
  const size_t others = rest - plan.cache_bytes;
  const auto share = [others](uint64_t percent) { return others / 100 * percent; };
  plan.memtable_bytes = std::min(share(kMemtablePercent), kMemtableBytesMax);
  plan.network_bytes = share(kNetworkPercent);
  plan.ahead_bytes = std::min(share(kQueryPercent) / kAheadShare, kAheadBytesMax);
  plan.query_bytes = share(kQueryPercent) - plan.ahead_bytes;
  plan.query_bytes_each = std::min(plan.query_bytes / 2, kQueryBytesEachMax);
  plan.staged_bytes = share(kStagedPercent);
  plan.staged_bytes_each = std::min(plan.staged_bytes / 2, kStagedBytesEachMax);
  plan.work_bytes = others - plan.memtable_bytes - plan.network_bytes - plan.query_bytes - plan.ahead_bytes - plan.staged_bytes;
  return plan;
}

std::string MemoryPlan::describe() const {
  return fmt::format(
      "at most {} MB: {} cache, {} fresh data, {} requests and answers, {} queries, {} transactions, {} for {} script "
      "hosts, {} work, {} catalogue, {} base",
      megabytes(memory_bytes), megabytes(cache_bytes), megabytes(memtable_bytes), megabytes(network_bytes),
      megabytes(query_bytes + ahead_bytes), megabytes(staged_bytes), megabytes(script_hosts * kScriptHostBytes), script_hosts,
      megabytes(work_bytes), megabytes(catalog_bytes), megabytes(base_bytes));
}

}  // namespace partita::server
