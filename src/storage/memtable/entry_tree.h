#pragma once

#include "storage/memtable/entry_key.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace partita {

// EntryTree: the sorted entries of one memtable, as a B-tree.
//
// One thread inserts; any number of threads read at the same time, without locks. Nothing is ever removed. Entries belong to the
// caller and outlive the tree.
//
// Invariants:
// 1. A slot of a node is written once, before the permutation that names it is published, so a reader that has loaded a
//    permutation sees those entries for as long as it likes.
// 2. A full node is never changed again, except that a leaf gets a new right neighbour: splitting it builds two new nodes and
//    links them in its place. A reader that is still in the old node finds there all that existed when it came.
// 3. A separator is the first entry of the subtree on its right, which therefore is never empty.
// 4. All keys that can ever come into a node share its first `shared_bytes`, because its two separators do. A slot keeps the
//    eight bytes that follow, so that a search seldom has to look at the entries themselves.
class EntryTree {
 public:
  EntryTree();
  ~EntryTree();
  EntryTree(const EntryTree&) = delete;
  EntryTree& operator=(const EntryTree&) = delete;

  // REQUIRES: no entry with the same key is in the tree.
  void insert(const char* entry);

  // Memory of the nodes. These are safe to call from any thread.
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  size_t size() const { return size_.load(std::memory_order_relaxed); }
  // About how many entries are in [from, to): all nodes of one depth are taken to hold equally many.
  uint64_t count_between(const EntryKey& from, const EntryKey& to) const;

 private:
  struct WordOrder;
  struct Node;
  template <typename Kind>
  struct Sorted;
  struct Leaf;
  struct Branch;

 public:
  // Cursor: a position in the tree. Entries that are inserted while it stands may or may not be met.
  class Cursor {
   public:
    explicit Cursor(const EntryTree& tree) : tree_(&tree) {}

    bool valid() const { return leaf_ != nullptr; }
    const char* entry() const;
    void next();
    void previous();
    void seek(const EntryKey& at_or_after);
    void seek_first();
    void seek_last();

   private:
    void stand_on(const Leaf* leaf);
    void skip_to_a_valid_rank();

    const EntryTree* tree_;
    const Leaf* leaf_ = nullptr;  // null: no position
    uint64_t permutation_ = 0;
    unsigned rank_ = 0;
  };

 private:
  // A branch on the way from the root to a leaf, and which of its children the way takes.
  struct Step {
    Branch* branch;
    uint64_t permutation;
    unsigned rank;
  };
  // The separators on both sides of a node; null: none.
  struct Bounds {
    const char* low = nullptr;
    const char* high = nullptr;
  };
  static constexpr size_t kDepthMax = 24;
  // What the processor fetches from memory at once; nodes begin at one.
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  struct Free {
    void operator()(Line* block) const { std::free(block); }
  };

  // Which part of the entries lies before the key, 0 to 1.
  double share_before(const EntryKey& key) const;
  template <typename Choose>
  const Leaf* find_leaf(const Choose& choose) const;
  Leaf* descend(const EntryKey& key);
  Bounds bounds_at_end_of_path() const;
  void split(Leaf* leaf, unsigned rank, const char* entry);
  void append_leaf(Leaf* leaf, const char* entry);
  void link_in_place_of(Leaf* old_leaf, Leaf* left, Leaf* right);
  void replace_child(Node* left, const char* separator, Node* right);
  void split_branch(Branch* branch, unsigned rank, Node* left, const char* separator, Node* right);
  template <typename Kind>
  Kind* new_node(const Bounds& bounds);
  void* allocate(size_t bytes);

  std::atomic<Node*> root_;
  std::atomic<Leaf*> first_;
  std::atomic<size_t> bytes_{0};
  std::atomic<size_t> size_{0};

  // The writer's own.
  std::array<Step, kDepthMax> path_;
  size_t depth_ = 0;
  std::vector<std::unique_ptr<Line[], Free>> blocks_;
  Line* free_ = nullptr;
  size_t free_lines_ = 0;
};

}  // namespace partita
