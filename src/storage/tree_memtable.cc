#include "storage/tree_memtable.h"

#include "storage/entry_tree.h"

#include <algorithm>
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

class TreeIterator : public rocksdb::MemTableRep::Iterator {
 public:
  explicit TreeIterator(const EntryTree& tree) : cursor_(tree) {}

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

  EntryTree::Cursor cursor_;
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

class OwnedTreeIterator final : private FreesItself, public TreeIterator {
 public:
  static OwnedTreeIterator* create(const EntryTree& tree) {
    void* memory = ::operator new(sizeof(OwnedTreeIterator));
    return ::new (memory) OwnedTreeIterator(memory, tree);
  }
  static void operator delete(void*) {}  // FreesItself has done it

 private:
  OwnedTreeIterator(void* memory, const EntryTree& tree) : FreesItself(memory), TreeIterator(tree) {}
};

// The iterator of the lookup that this thread is in.
thread_local TreeIterator* current_lookup = nullptr;

class TreeMemtable final : public rocksdb::MemTableRep {
 public:
  explicit TreeMemtable(rocksdb::Allocator* allocator) : MemTableRep(allocator) {}

  // RocksDB hands the right to insert from writer to writer by atomics of its own, which the thread sanitizer does not see in a
  // library built without it: so it is told.
  void Insert(rocksdb::KeyHandle handle) override {
    PARTITA_TSAN_ACQUIRE(&tree_);
    tree_.insert(static_cast<const char*>(handle));
    PARTITA_TSAN_RELEASE(&tree_);
  }
  bool Contains(const char* entry) const override {
    EntryTree::Cursor cursor(tree_);
    cursor.seek(EntryKey::of(entry));
    return cursor.valid() && compare(EntryKey::of(cursor.entry()), EntryKey::of(entry)) == 0;
  }
  size_t ApproximateMemoryUsage() override { return tree_.bytes(); }
  uint64_t ApproximateNumEntries(const rocksdb::Slice& from, const rocksdb::Slice& to) override {
    const double share = tree_.share_before(key_of(to)) - tree_.share_before(key_of(from));
    return static_cast<uint64_t>(std::max(share, 0.0) * static_cast<double>(tree_.size()));
  }
  Iterator* GetIterator(rocksdb::Arena*) override { return OwnedTreeIterator::create(tree_); }

  // LookupKey is not a public type, so the lookup itself stays RocksDB's, which asks for an iterator and never frees it.
  void Get(const rocksdb::LookupKey& key, void* argument, bool (*callback)(void* argument, const char* entry)) override {
    TreeIterator iterator(tree_);
    current_lookup = &iterator;
    MemTableRep::Get(key, argument, callback);
    current_lookup = nullptr;
  }
  Iterator* GetDynamicPrefixIterator(rocksdb::Arena* arena) override {
    return current_lookup != nullptr ? current_lookup : GetIterator(arena);
  }

 private:
  EntryTree tree_;
};

class TreeMemtableFactory final : public rocksdb::MemTableRepFactory {
 public:
  using MemTableRepFactory::CreateMemTableRep;
  rocksdb::MemTableRep* CreateMemTableRep(const rocksdb::MemTableRep::KeyComparator&, rocksdb::Allocator* allocator,
                                          const rocksdb::SliceTransform*, rocksdb::Logger*) override {
    return new TreeMemtable(allocator);
  }
  const char* Name() const override { return "partita.TreeMemtable"; }
};

}  // namespace

std::shared_ptr<rocksdb::MemTableRepFactory> tree_memtable_factory() { return std::make_shared<TreeMemtableFactory>(); }

}  // namespace partita
