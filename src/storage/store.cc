#include "storage/store.h"

#include "base/check.h"
#include "base/must_not_wait.h"
#include "storage/committer.h"
#include "storage/idle_merger.h"
#include "storage/log/log_check.h"
#include "storage/log/log_damage.h"
#include "storage/log/log_files.h"
#include "storage/log/torn_manifest.h"
#include "storage/memtable/entry_memtable.h"
#include "storage/rocks.h"
#include "storage/rocks_log.h"
#include "storage/row_cache.h"
#include "storage/sorted_rows_state.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

namespace partita {
namespace {

constexpr int kBloomBitsPerKey = 10;
constexpr size_t kLogBytesMax = 256UL << 20;
// What most batches take: a document and its index entries.
constexpr size_t kBatchBytes = 4096;
// Of the cache's bytes, the part for single rows, and the one for what readers found out; the rest is for blocks of tables.
constexpr size_t kRowCacheShare = 4;
constexpr size_t kSharedMemoryShare = 8;
// More than that is left in the log at the end: writing it out could take longer than whoever stops the server waits.
constexpr uint64_t kFlushedAtEndBytesMax = 32UL << 20;
// While nobody writes, less than this part of a full memtable stays in memory.
constexpr size_t kMemtableShareKept = 4;

// Index and changes are only ever scanned; the others are asked for single keys, often for ones that do not exist.
bool has_filter(Family family) { return family != Family::kIndex && family != Family::kChanges && family != Family::kExpiry; }

rocksdb::ColumnFamilyOptions family_options(Family family, const StoreOptions& options,
                                            const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.format_version = 5;
  // Cut into small blocks: one that describes a whole table can be larger than the part of the cache that its hash belongs to,
  // and would then be read and decompressed for every seek.
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.partition_filters = has_filter(family);
  table.enable_index_compression = false;
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  if (has_filter(family)) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsPerKey));
  rocksdb::ColumnFamilyOptions family_options;
  family_options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  family_options.write_buffer_size = options.memtable_bytes;
  family_options.memtable_factory = family == Family::kIndex ? run_memtable_factory() : tree_memtable_factory();
  family_options.compression = rocksdb::kLZ4Compression;
  // Documents are read one by one and by scans, which spend a third of their time on decompression otherwise.
  if (family != Family::kItems) family_options.bottommost_compression = rocksdb::kZSTD;
  return family_options;
}

// Why the log failed, and what helps. A sync that failed proves nothing when it is repeated: the system may have dropped what it
// could not write. RocksDB therefore resumes, with all memtables written out anew, after a lack of space only.
Error log_error(const rocksdb::Status& status) {
  Error error = rocks::to_error(status);
  error.message += status.IsNoSpace() ? "; writes go on by themselves once there is space"
                                      : "; a log that has failed is not trusted again: restart the server once the disk works";
  return error;
}

// Leaves recovery from failed writes to the committer. RocksDB's own waits until as much space is free as its memtables could
// ever take, which a disk may not even have, and keeps others from trying meanwhile.
class RecoveryByCommitter : public rocksdb::EventListener {
 public:
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status /*error*/, bool* is_automatic) override {
    if (reason != rocksdb::BackgroundErrorReason::kCompaction) *is_automatic = false;
  }
};

rocksdb::DBOptions database_options(const StoreOptions& options, rocksdb::Env* environment) {
  rocksdb::DBOptions database;
  database.env = environment;
  database.create_if_missing = true;
  database.create_missing_column_families = true;
  // Batches gather in the log's buffer until the committer writes and syncs them together.
  database.manual_wal_flush = true;
  database.max_total_wal_size = kLogBytesMax;
  database.db_write_buffer_size = options.memtable_bytes * 2;
  database.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  // What the tree memtable needs; writers are sequenced above anyway.
  database.allow_concurrent_memtable_write = false;
  database.max_background_jobs = 2;
  // Sixteen threads per family to open a few files cost more than they save.
  database.max_file_opening_threads = 1;
  // After a failed log, recovery writes out all memtables; a kill in the midst of it must not leave half of a batch.
  database.atomic_flush = true;
  database.listeners.push_back(std::make_shared<RecoveryByCommitter>());
  database.info_log = rocks::log_to(options.events);
  database.max_open_files = 1000;
  return database;
}

// Without the file that names the current tables RocksDB would begin anew, and delete them and the logs.
bool has_files_of_nobody(const std::string& directory) {
  std::error_code ignored;
  const std::filesystem::directory_iterator files(directory, ignored);
  return std::ranges::any_of(files, [&](const auto& file) {
    return file.path().extension() == ".sst" || (file.path().extension() == ".log" && file.file_size(ignored) > 0);
  });
}

// What the logs in a directory must contain; kCorruption when that, or one of them, is lost. Nothing is changed.
Result<std::vector<LogDemand>> judge_directory(const StoreOptions& options) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(options.directory + "/CURRENT", ignored);
  if (is_new && has_files_of_nobody(options.directory)) {
    return fail(ErrorCode::kCorruption,
                fmt::format("the store in {} is damaged: its file CURRENT is missing", options.directory));
  }
  std::vector<LogDemand> demands;
  if (!options.has_no_ledger) {
    TRY_ASSIGN(std::optional<std::vector<LogDemand>> known, LogLedger::read(options.directory));
    if (!known && !is_new) {
      return fail(ErrorCode::kCorruption,
                  fmt::format("{} is missing, so nobody knows what the logs must contain. Restore a backup of the directory; or, "
                              "in a copy of it, take the logs as they are with `partita check --repair`",
                              LogLedger::path_in(options.directory)));
    }
    if (known) demands = *std::move(known);
  }
  TRY(check_logs(options.directory, demands));
  TRY(check_manifest(options.directory));
  return demands;
}

Status make_directory(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return fail(ErrorCode::kStorageFailure, fmt::format("cannot make {}: {}", path, failed.message()));
  return {};
}

// Before anything is changed in it. RocksDB itself finds out later.
Status expect_unused(const std::string& directory, rocksdb::Env& environment) {
  const std::string path = directory + "/LOCK";
  rocksdb::FileLock* lock = nullptr;
  rocksdb::Status status = environment.LockFile(path, &lock);
  if (status.ok()) status = environment.UnlockFile(lock);
  if (status.ok()) return {};
  Error error = rocks::to_error(status);
  error.message = fmt::format("cannot open the store in {}: {}", directory, error.message);
  return std::unexpected(std::move(error));
}

// What a kill left of files that were not taken in is of no use.
Status make_empty_directory(const std::string& path) {
  std::error_code failed;
  std::filesystem::remove_all(path, failed);
  if (!failed) std::filesystem::create_directories(path, failed);
  if (failed) return fail(ErrorCode::kStorageFailure, fmt::format("cannot make {} anew: {}", path, failed.message()));
  return {};
}

// A write that takes longer waits for the disk, or for memory that is written out.
constexpr int64_t kSlowWriteMicroseconds = 1'000;

int64_t steady_us() {
  using std::chrono::steady_clock;
  return std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now().time_since_epoch()).count();
}

constexpr std::string_view kReadOnly = "the store was opened to be read only";

std::unexpected<Error> refuse(std::string_view reason) {
  return fail(ErrorCode::kStorageFailure, fmt::format("writes are refused: {}", reason));
}

}  // namespace

struct Store::State {
  explicit State(const StoreOptions& options)
      : log_files(std::make_shared<LogFiles>(options.disk ? options.disk : rocksdb::FileSystem::Default())),
        row_cache(options.cache_bytes / kRowCacheShare),
        shared_memory(std::make_shared<MemoryBudget>(options.cache_bytes / kSharedMemoryShare)) {}
  ~State() {
    merger.reset();
    committer.reset();
    durable_snapshot.reset();
    for (rocksdb::ColumnFamilyHandle* handle : families) {
      if (handle != nullptr) CHECK(db->DestroyColumnFamilyHandle(handle).ok());
    }
    if (db) (void)db->Close();
  }

  rocksdb::ColumnFamilyHandle* handle(Family family) const { return families[static_cast<size_t>(family)]; }
  rocksdb::ReadOptions read_options(const Snapshot* at) const;

  Result<bool> read(Family family, std::string_view key, std::string& value, const Snapshot* at) const;
  // REQUIRES: `writers` is held.
  rocksdb::Status write(WriteBatch::State& batch);
  Status sync_log(CommitTicket up_to);
  Status recover();
  std::shared_ptr<const Snapshot> take_snapshot() const;
  void keep_durable(std::shared_ptr<const Snapshot> snapshot);
  rocksdb::Status open(const StoreOptions& options);

  std::shared_ptr<LogFiles> log_files;
  std::unique_ptr<rocksdb::Env> environment = rocksdb::NewCompositeEnv(log_files);
  std::unique_ptr<rocksdb::DB> db;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilyCount> families{};
  std::atomic<int> large_writes = 0;          // that are under way or wait
  std::atomic<int64_t> writing_since_us = 0;  // 0: nobody writes
  // Held by whoever applies a batch, from looking for a failure on: RocksDB would let writers wait for each other in a costlier
  // way, and recovery knows by it that none is left.
  std::timed_mutex writers;
  RowCache row_cache;
  std::shared_ptr<MemoryBudget> shared_memory;
  std::unique_ptr<Committer> committer;
  mutable std::mutex durable_mutex;
  std::shared_ptr<const Snapshot> durable_snapshot;  // guarded by durable_mutex: of the last successful sync
  bool is_read_only = false;
  bool is_relaxed = false;
  uint64_t merged_memtable_bytes = 0;
  std::unique_ptr<IdleMerger> merger;  // null: nobody has asked for it
  std::string ingest_directory;
  std::atomic<uint64_t> ingests = 0;
};

struct WriteBatch::State {
  const Store::State* store;
  rocksdb::WriteBatch batch;
  std::vector<RowCache::RowHash> cached_rows;  // those that it touches
  bool touches_ranges = false;

  void note(Family family, std::string_view key) {
    if (RowCache::is_cached(family)) cached_rows.push_back(RowCache::hash_of(family, key));
  }
};

struct Snapshot::State {
  rocksdb::DB* db;
  const rocksdb::Snapshot* snapshot;
};

struct Cursor::State {
  std::string from;
  std::string to;
  rocksdb::Slice to_slice;
  std::unique_ptr<rocksdb::Iterator> iterator;
};

rocksdb::ReadOptions Store::State::read_options(const Snapshot* at) const {
  rocksdb::ReadOptions options;
  if (at != nullptr) options.snapshot = at->state_->snapshot;
  return options;
}

Result<bool> Store::State::read(Family family, std::string_view key, std::string& value, const Snapshot* at) const {
  rocksdb::PinnableSlice pinned(&value);
  const rocksdb::Status status = db->Get(read_options(at), handle(family), rocks::slice(key), &pinned);
  if (status.IsNotFound()) return false;
  if (!status.ok()) return std::unexpected(rocks::to_error(status));
  if (pinned.IsPinned()) value.assign(pinned.data(), pinned.size());
  return true;
}

rocksdb::Status Store::State::write(WriteBatch::State& batch) {
  const auto mark = encode({.serial = committer->applied() + 1, .durable = committer->durable()});
  CHECK(batch.batch.PutLogData({mark.data(), mark.size()}).ok());
  row_cache.begin_write(batch.cached_rows, batch.touches_ranges);
  rocksdb::WriteOptions options;
  options.no_slowdown = MustNotWait::applies();
  rocksdb::Status status = db->Write(options, &batch.batch);
  row_cache.end_write(batch.cached_rows, batch.touches_ranges);
  return status;
}

Status Store::State::sync_log(CommitTicket up_to) {
  std::shared_ptr<const Snapshot> snapshot = take_snapshot();  // what it shows is in the log's buffer
  rocksdb::Status status = db->FlushWAL(false);                // writes the buffer; no writer waits for the sync
  if (status.ok()) status = log_files->sync(up_to);
  if (!status.ok()) return std::unexpected(log_error(status));
  keep_durable(std::move(snapshot));
  return {};
}

std::shared_ptr<const Snapshot> Store::State::take_snapshot() const {
  return std::shared_ptr<const Snapshot>(new Snapshot(std::make_unique<Snapshot::State>(db.get(), db->GetSnapshot())));
}

void Store::State::keep_durable(std::shared_ptr<const Snapshot> snapshot) {
  std::lock_guard lock(durable_mutex);
  durable_snapshot.swap(snapshot);  // the former one ends when nobody reads from it any more
}

// Everything that was applied is written out anew and the failed log is left behind.
Status Store::State::recover() {
  const rocksdb::IOStatus log_failure = log_files->failure();
  if (!log_failure.ok() && !log_failure.IsNoSpace()) return std::unexpected(log_error(log_failure));
  // Whoever found no failure yet has finished; none comes after it. So the log that follows stays empty until this is over.
  {
    const std::lock_guard none_left(writers);
  }
  TRY(rocks::to_status(db->Resume()));
  if (log_failure.ok()) return {};
  rocksdb::FlushOptions flush;
  flush.allow_write_stall = true;
  TRY(rocks::to_status(db->Flush(flush, {families.begin(), families.end()})));
  if (!log_files->trust_again()) return fail(ErrorCode::kStorageFailure, "the log has failed once more");
  return {};
}

WriteBatch::WriteBatch(const Store& store)
    : state_(new State{.store = store.state_.get(), .batch = rocksdb::WriteBatch(kBatchBytes), .cached_rows = {}}) {}
WriteBatch::~WriteBatch() = default;
WriteBatch::WriteBatch(WriteBatch&&) noexcept = default;
WriteBatch& WriteBatch::operator=(WriteBatch&&) noexcept = default;

// Adding to a batch in memory fails only when it was built with a size limit, which these are not.
void WriteBatch::put(Family family, std::string_view key, std::string_view value) {
  state_->note(family, key);
  CHECK(state_->batch.Put(state_->store->handle(family), rocks::slice(key), rocks::slice(value)).ok());
}

void WriteBatch::erase(Family family, std::string_view key) {
  state_->note(family, key);
  CHECK(state_->batch.Delete(state_->store->handle(family), rocks::slice(key)).ok());
}

void WriteBatch::erase_range(Family family, std::string_view from, std::string_view to) {
  state_->touches_ranges = state_->touches_ranges || RowCache::is_cached(family);
  CHECK(state_->batch.DeleteRange(state_->store->handle(family), rocks::slice(from), rocks::slice(to)).ok());
}

void WriteBatch::clear() {
  state_->batch.Clear();
  state_->cached_rows.clear();
  state_->touches_ranges = false;
}
size_t WriteBatch::bytes() const { return state_->batch.GetDataSize(); }

Snapshot::Snapshot(std::unique_ptr<State> state) : state_(std::move(state)) {}
Snapshot::~Snapshot() { state_->db->ReleaseSnapshot(state_->snapshot); }

Cursor::Cursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cursor::~Cursor() = default;
Cursor::Cursor(Cursor&&) noexcept = default;

void Cursor::seek_first() { state_->iterator->Seek(state_->from); }
void Cursor::seek_last() { state_->iterator->SeekForPrev(state_->to_slice); }
void Cursor::seek(std::string_view at_or_after) {
  state_->iterator->Seek(rocks::slice(at_or_after < state_->from ? std::string_view(state_->from) : at_or_after));
}
bool Cursor::valid() const { return state_->iterator->Valid() && rocks::view(state_->iterator->key()) >= state_->from; }
void Cursor::next() { state_->iterator->Next(); }
void Cursor::previous() { state_->iterator->Prev(); }
std::string_view Cursor::key() const { return rocks::view(state_->iterator->key()); }
std::string_view Cursor::value() const { return rocks::view(state_->iterator->value()); }
Status Cursor::status() const { return rocks::to_status(state_->iterator->status()); }

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}

// A clean end leaves little to replay, so that the next start is quick; and nothing at all unless that takes long.
Store::~Store() {
  if (state_->merger) state_->merger->stop();
  state_->committer.reset();
  if (state_->is_read_only) return;
  uint64_t fresh_bytes = 0;
  for (rocksdb::ColumnFamilyHandle* handle : state_->families) {
    uint64_t own = 0;
    if (state_->db->GetIntProperty(handle, rocksdb::DB::Properties::kCurSizeAllMemTables, &own)) fresh_bytes += own;
  }
  if (fresh_bytes > kFlushedAtEndBytesMax) return;
  rocksdb::FlushOptions options;
  options.allow_write_stall = true;  // nobody writes any more; otherwise it would wait until compactions have caught up
  (void)state_->db->Flush(options, {state_->families.begin(), state_->families.end()});
}

rocksdb::Status Store::State::open(const StoreOptions& options) {
  const size_t shares = options.cache_bytes / kRowCacheShare + options.cache_bytes / kSharedMemoryShare;
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.cache_bytes - shares);
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (Family family : kFamilies) {
    descriptors.emplace_back(std::string(name_of(family)), family_options(family, options, cache));
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  const auto attempt = [&] {
    const rocksdb::DBOptions database = database_options(options, environment.get());
    if (is_read_only) return rocksdb::DB::OpenForReadOnly(database, options.directory, descriptors, &handles, &opened);
    return rocksdb::DB::Open(database, options.directory, descriptors, &handles, &opened);
  };
  rocksdb::Status status = attempt();
  if (status.IsCorruption()) {
    const std::optional<TornManifest> torn = find_torn_manifest(options.directory);
    if (torn && is_read_only) log_files->show_only(torn->path, torn->end);
    if (torn && (is_read_only || cut(*torn, options.events))) status = attempt();
  }
  if (!status.ok()) return status;
  db.reset(opened);
  std::ranges::copy(handles, families.begin());
  return status;
}

Result<std::unique_ptr<Store>> Store::open(StoreOptions options) {
  TRY_ASSIGN(const std::vector<LogDemand> demands, judge_directory(options));
  auto state = std::make_unique<State>(options);
  state->is_read_only = options.is_read_only;
  state->is_relaxed = options.durability == Durability::kRelaxed;
  if (!options.is_read_only) {
    TRY(make_directory(options.directory));
    TRY(expect_unused(options.directory, *state->environment));
    TRY_ASSIGN(std::unique_ptr<LogLedger> ledger, LogLedger::create(options.directory, demands));
    state->log_files->keep(std::move(ledger), demands);
    state->ingest_directory = options.directory + "/ingest";
    TRY(make_empty_directory(state->ingest_directory));
  }
  const rocksdb::Status opened = state->open(options);
  if (!opened.ok()) {
    Error error = rocks::to_error(opened);
    error.message = fmt::format("cannot open the store in {}: {}", options.directory, error.message);
    return std::unexpected(std::move(error));
  }
  state->keep_durable(state->take_snapshot());
  Committer::Log log{
      .sync = [state = state.get()](CommitTicket up_to) { return state->sync_log(up_to); },
      .recover = [state = state.get()] { return state->recover(); },
  };
  state->committer = std::make_unique<Committer>(std::move(log), options.durability);
  state->merged_memtable_bytes = options.memtable_bytes / kMemtableShareKept;
  return std::unique_ptr<Store>(new Store(std::move(state)));
}

void Store::merge_when_idle(std::function<void(const Status&)> listener) {
  const auto written = [committer = state_->committer.get()] {
    return committer->failure() ? std::nullopt : std::optional(committer->applied());
  };
  state_->merger =
      std::make_unique<IdleMerger>(*state_->db, IdleMerger::Families(state_->families.begin(), state_->families.end()), written,
                                   state_->merged_memtable_bytes, std::move(listener));
  state_->merger->start();
}

Result<bool> Store::get(Family family, std::string_view key, std::string& value, const Snapshot* at) const {
  if (at != nullptr || !RowCache::is_cached(family)) return state_->read(family, key, value, at);
  const RowCache::RowHash row = RowCache::hash_of(family, key);
  if (state_->row_cache.find(row, key, value)) return true;
  const RowCache::Version version = state_->row_cache.version(row);
  TRY_ASSIGN(const bool is_known, state_->read(family, key, value, at));
  if (is_known) state_->row_cache.insert(row, key, value, version);
  return is_known;
}

Cursor Store::cursor(Family family, std::string_view from, std::string_view to, const Snapshot* at) const {
  auto cursor = std::make_unique<Cursor::State>(std::string(from), std::string(to));
  cursor->to_slice = rocksdb::Slice(cursor->to);
  rocksdb::ReadOptions options = state_->read_options(at);
  options.iterate_upper_bound = &cursor->to_slice;
  cursor->iterator.reset(state_->db->NewIterator(options, state_->handle(family)));
  return Cursor(std::move(cursor));
}

std::shared_ptr<const Snapshot> Store::snapshot() const { return state_->take_snapshot(); }

std::shared_ptr<const Snapshot> Store::durable_snapshot() const {
  if (!state_->committer->has_failed() || state_->is_relaxed) return nullptr;
  std::lock_guard lock(state_->durable_mutex);
  return state_->durable_snapshot;
}

Result<std::vector<std::string>> Store::give_up_losses(const std::string& directory) { return repair_logs(directory); }

bool Store::is_read_only() const { return state_->is_read_only; }

std::vector<uint64_t> Store::approximate_rows(Family family, std::span<const KeyRange> ranges) const {
  static const std::string end(64, '\xFF');  // no key of any family begins so
  std::vector<rocksdb::Range> wanted = {{"", end}};
  for (const KeyRange& range : ranges) wanted.emplace_back(range.from, range.to);
  std::vector<uint64_t> sizes(wanted.size());
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = true;
  rocksdb::ColumnFamilyHandle* handle = state_->handle(family);
  const rocksdb::Status status =
      state_->db->GetApproximateSizes(options, handle, wanted.data(), static_cast<int>(wanted.size()), sizes.data());
  uint64_t rows = 0;
  const bool is_known = status.ok() && state_->db->GetIntProperty(handle, rocksdb::DB::Properties::kEstimateNumKeys, &rows);
  if (!is_known || sizes[0] == 0) return std::vector<uint64_t>(ranges.size(), 0);
  const double rows_per_byte = static_cast<double>(rows) / static_cast<double>(sizes[0]);
  for (uint64_t& size : sizes) size = static_cast<uint64_t>(static_cast<double>(size) * rows_per_byte);
  return {sizes.begin() + 1, sizes.end()};
}

Result<CommitTicket> Store::apply(WriteBatch& batch) {
  if (state_->is_read_only) return refuse(kReadOnly);
  const LargeWrite large(*this, batch);
  std::unique_lock writing(state_->writers, std::defer_lock);
  if (!MustNotWait::take(writing)) return MustNotWait::refuse();
  if (auto reason = failure()) return refuse(*reason);
  state_->writing_since_us.store(steady_us(), std::memory_order_relaxed);
  const rocksdb::Status status = state_->write(*batch.state_);
  state_->writing_since_us.store(0, std::memory_order_relaxed);
  if (status.IsIncomplete()) return std::unexpected(rocks::to_error(status));  // nothing was written
  if (!status.ok()) {
    Error error = log_error(status);
    state_->committer->note_failure(error.message);
    return std::unexpected(std::move(error));
  }
  return state_->committer->note_applied();
}

bool Store::is_slow() const {
  if (state_->large_writes.load(std::memory_order_relaxed) > 0) return true;
  const int64_t since_us = state_->writing_since_us.load(std::memory_order_relaxed);
  return since_us != 0 && steady_us() - since_us > kSlowWriteMicroseconds;
}

LargeWrite::LargeWrite(Store& store, const WriteBatch& batch) : store_(batch.bytes() > kLargeBatchBytes ? &store : nullptr) {
  if (store_ != nullptr) store_->state_->large_writes.fetch_add(1, std::memory_order_relaxed);
}

LargeWrite::~LargeWrite() {
  if (store_ != nullptr) store_->state_->large_writes.fetch_sub(1, std::memory_order_relaxed);
}

CommitTicket Store::applied() const { return state_->committer->applied(); }
bool Store::is_durable(CommitTicket ticket) const { return state_->committer->is_durable(ticket); }
void Store::when_durable(CommitTicket ticket, DurableCallback callback) {
  state_->committer->when_durable(ticket, std::move(callback));
}

Status Store::wait_durable(CommitTicket ticket) {
  std::promise<Status> outcome;
  when_durable(ticket, [&](Status status) { outcome.set_value(std::move(status)); });
  return outcome.get_future().get();
}

Status Store::apply_durably(WriteBatch& batch) {
  TRY_ASSIGN(const CommitTicket ticket, apply(batch));
  return wait_durable(ticket);
}

SortedRows Store::sorted_rows(Family family) {
  auto rows = std::make_unique<SortedRows::State>();
  rows->family = family;
  rows->options = state_->db->GetOptions(state_->handle(family));
  // Fast to write and to read; compactions compress better what stays.
  rows->options.bottommost_compression = rocksdb::kDisableCompressionOption;
  rows->path = fmt::format("{}/{}", state_->ingest_directory, ++state_->ingests);
  return SortedRows(std::move(rows));
}

Status Store::ingest(std::vector<SortedRows> rows) {
  if (state_->is_read_only) return refuse(kReadOnly);
  if (auto reason = failure()) return refuse(*reason);
  std::map<Family, rocksdb::IngestExternalFileArg> arguments;
  for (SortedRows& each : rows) {
    TRY(each.finish_file());
    if (each.state_->files.empty()) continue;
    rocksdb::IngestExternalFileArg& argument = arguments[each.state_->family];
    argument.column_family = state_->handle(each.state_->family);
    argument.options.move_files = true;
    argument.options.write_global_seqno = false;
    std::ranges::copy(each.state_->files, std::back_inserter(argument.external_files));
  }
  std::vector<rocksdb::IngestExternalFileArg> all;
  for (auto& [family, argument] : arguments) all.push_back(std::move(argument));
  if (all.empty()) return {};
  return rocks::to_status(state_->db->IngestExternalFiles(all));
}

const std::shared_ptr<MemoryBudget>& Store::shared_memory() const { return state_->shared_memory; }

std::optional<std::string> Store::failure() const { return state_->committer->failure(); }
Status Store::verify_checksums() const { return rocks::to_status(state_->db->VerifyChecksum()); }

uint64_t Store::disk_bytes() const {
  uint64_t total = 0;
  for (rocksdb::ColumnFamilyHandle* handle : state_->families) {
    uint64_t bytes = 0;
    if (state_->db->GetIntProperty(handle, rocksdb::DB::Properties::kTotalSstFilesSize, &bytes)) total += bytes;
  }
  return total;
}

uint64_t Store::log_syncs() const { return state_->committer->syncs(); }
CallbackTimes Store::callback_times() const { return state_->committer->callback_times(); }

}  // namespace partita
