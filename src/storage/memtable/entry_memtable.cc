#include "storage/memtable/entry_memtable.h"

#include "storage/memtable/entry_runs.h"
#include "storage/memtable/entry_tree.h"

#include <new>

#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define PARTITA_TSAN_ACQUIRE(address) __tsan_acquire(address)
#define PARTITA_TSAN_RELEASE(address) __tsan_release(address)
#else
#define PARTITA_TSAN_ACQUIRE(address)
#define PARTITA_TSAN_RELEASE(address)
#endif

namespace partita {
namespace {

EntryKey key_of(const rocksdb::Slice& internal_key) { return {internal_key.data(), static_cast<uint32_t>(internal_key.size())}; }

template <typename Entries>
class EntryIterator : public rocksdb::MemTableRep::Iterator {
 public:
  explicit EntryIterator(Entries& entries) : cursor_(entries) {}

  bool Valid() const override { return cursor_.valid(); }
  const char* key() const override { return cursor_.entry(); }
  void Next() override { cursor_.next(); }
  void Prev() override { cursor_.previous(); }
  void SeekToFirst() override { cursor_.seek_first(); }
  void SeekToLast() override { cursor_.seek_last(); }
  void Seek(const rocksdb::Slice& internal_key, const char* entry) override { cursor_.seek(target(internal_key, entry)); }
  void SeekForPrev(const rocksdb::Slice& internal_key, const char* entry) override {
    const EntryKey key = target(internal_key, entry);
    cursor_.seek(key);
    if (!cursor_.valid()) return cursor_.seek_last();
    if (compare(EntryKey::of(cursor_.entry()), key) > 0) cursor_.previous();
  }

 private:
  // RocksDB passes the same target in two forms, the second only when it has it.
  static EntryKey target(const rocksdb::Slice& internal_key, const char* entry) {
    return entry != nullptr ? EntryKey::of(entry) : key_of(internal_key);
  }

  typename Entries::Cursor cursor_;
};

// Frees the memory of the object that has it as its first base, after everything else of the object is gone. RocksDB destroys
// some iterators without deleting them, because it believes that they live in an arena of its own, which is not a public type.
class FreesItself {
 protected:
  explicit FreesItself(void* memory) : memory_(memory) {}
  ~FreesItself() { ::operator delete(memory_); }
  FreesItself(const FreesItself&) = delete;
  FreesItself& operator=(const FreesItself&) = delete;

 private:
  void* memory_;
};

template <typename Entries>
class OwnedIterator final : private FreesItself, public EntryIterator<Entries> {
 public:
  static OwnedIterator* create(Entries& entries) {
    void* memory = ::operator new(sizeof(OwnedIterator));
    return ::new (memory) OwnedIterator(memory, entries);
  }
  static void operator delete(void*) {}  // FreesItself has done it

 private:
  OwnedIterator(void* memory, Entries& entries) : FreesItself(memory), EntryIterator<Entries>(entries) {}
};

// The iterator of the lookup that this thread is in.
thread_local rocksdb::MemTableRep::Iterator* current_lookup = nullptr;

template <typename Entries>
class EntryMemtable final : public rocksdb::MemTableRep {
 public:
  explicit EntryMemtable(rocksdb::Allocator* allocator) : MemTableRep(allocator) {}

  // RocksDB hands the right to insert from writer to writer by atomics of its own, which the thread sanitizer does not see in a
  // library built without it: so it is told.
  void Insert(rocksdb::KeyHandle handle) override {
    PARTITA_TSAN_ACQUIRE(&entries_);
    entries_.insert(static_cast<const char*>(handle));
    PARTITA_TSAN_RELEASE(&entries_);
  }
  bool Contains(const char* entry) const override {
    typename Entries::Cursor cursor(entries_);
    cursor.seek(EntryKey::of(entry));
    return cursor.valid() && compare(EntryKey::of(cursor.entry()), EntryKey::of(entry)) == 0;
  }
  size_t ApproximateMemoryUsage() override { return entries_.bytes(); }
  uint64_t ApproximateNumEntries(const rocksdb::Slice& from, const rocksdb::Slice& to) override {
    return entries_.count_between(key_of(from), key_of(to));
  }
  Iterator* GetIterator(rocksdb::Arena*) override { return OwnedIterator<Entries>::create(entries_); }

  // LookupKey is not a public type, so the lookup itself stays RocksDB's, which asks for an iterator and never frees it.
  void Get(const rocksdb::LookupKey& key, void* argument, bool (*callback)(void* argument, const char* entry)) override {
    EntryIterator<Entries> iterator(entries_);
    current_lookup = &iterator;
    MemTableRep::Get(key, argument, callback);
    current_lookup = nullptr;
  }
  Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override {
    return current_lookup != nullptr ? current_lookup : GetIterator(arena);
  }

 private:
  mutable Entries entries_;
};

template <typename Entries>
class EntryMemtableFactory final : public rocksdb::MemTableRepFactory {
 public:
  explicit EntryMemtableFactory(const char* name) : name_(name) {}

  using MemTableRepFactory::CreateMemTableRep;
  rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator&, rocksdb::Allocator* allocator,
                                          const rocksdb::SliceTransform*, rocksdb::Logger*) override {
    return new EntryMemtable<Entries>(allocator);
  }
  const char* Name() const override { return name_; }

 private:
  const char* name_;
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> tree_memtable_factory() {
  return std::make_shared<EntryMemtableFactory<EntryTree>>("partita.TreeMemtable");
}

std::shared_ptr<rocksdb::MemTableRepFactory> run_memtable_factory() {
  return std::make_shared<EntryMemtableFactory<EntryRuns>>("partita.RunMemtable");
}

}  // namespace partita
