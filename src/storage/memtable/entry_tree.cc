#include "storage/memtable/entry_tree.h"

#include "base/check.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace partita {
namespace {

constexpr unsigned kSlots = 15;
constexpr size_t kFirstBlockBytes = 4096;
constexpr size_t kBlockBytesMax = 2 * 1024 * 1024;  // a huge page

// A permutation orders the slots of a node: the number of entries in the low four bits, then the slot of each rank, four bits
// each.
unsigned count(uint64_t permutation) { return permutation & 15; }
unsigned slot(uint64_t permutation, unsigned rank) { return (permutation >> (4 + 4 * rank)) & 15; }

uint64_t with_slot(uint64_t permutation, unsigned rank, unsigned new_slot) {
  const unsigned shift = 4 + 4 * rank;
  const uint64_t before = permutation & ((uint64_t{1} << shift) - 1);
  const uint64_t after = (permutation & ~((uint64_t{1} << shift) - 1)) << 4;
  return (after | uint64_t{new_slot} << shift | before) + 1;
}

uint32_t shared_prefix_bytes(const char* low, const char* high) {
  if (low == nullptr || high == nullptr) return 0;
  const std::string_view left = EntryKey::of(low).user_key();
  const std::string_view right = EntryKey::of(high).user_key();
  const auto difference = std::ranges::mismatch(left, right);
  return static_cast<uint32_t>(difference.in1 - left.begin());
}

}  // namespace

// How many words of a node are before a wanted one, and how many are equal to it.
struct EntryTree::WordOrder {
  unsigned before = 0;
  unsigned equal = 0;
};

// What leaves and branches have in common. The pointers to which a search goes on, a leaf's entries or a branch's children, stand
// right behind it: prefetch() fetches them too.
struct EntryTree::Node {
  bool is_full() const { return used == kSlots; }

  // Before the node is searched: its lines come from memory together, instead of one after the other as the search meets them.
  void prefetch() const {
    constexpr size_t kBytes = sizeof(Node) + kSlots * sizeof(void*);
    const auto* lines = reinterpret_cast<const char*>(this);
    for (size_t offset = 0; offset < kBytes; offset += sizeof(Line)) __builtin_prefetch(lines + offset);
  }

  WordOrder compare_words(uint64_t wanted, unsigned slots) const;

  // The writer's view; readers load it with acquire.
  uint64_t own_permutation() const { return permutation.load(std::memory_order_relaxed); }

  std::atomic<uint64_t> permutation{0};
  uint32_t shared_bytes = 0;
  uint8_t used = 0;  // slots ever written; only the writer looks at it
  bool is_leaf = false;
  std::array<std::atomic<uint64_t>, kSlots> words{};
};

// The entries of a leaf and the separators of a branch are searched and added to in the same way.
template <typename Kind>
struct EntryTree::Sorted : Node {
 private:
  friend Kind;
  Sorted() = default;

 public:
  // The rank of the first entry that is not before `key`, and of the first one after it.
  unsigned lower_bound(uint64_t order, const EntryKey& key) const { return bound<false>(order, key); }
  unsigned upper_bound(uint64_t order, const EntryKey& key) const { return bound<true>(order, key); }
  template <bool kIsUpper>
  unsigned bound(uint64_t order, const EntryKey& key) const;

  const char* entry(uint64_t order, unsigned rank) const {
    return static_cast<const Kind*>(this)->entries[slot(order, rank)].load(std::memory_order_relaxed);
  }

  // Fills the next free slot and publishes it.
  void put(unsigned rank, const char* entry) {
    static_cast<Kind*>(this)->entries[used].store(entry, std::memory_order_relaxed);
    words[used].store(EntryKey::of(entry).word_at(shared_bytes), std::memory_order_relaxed);
    permutation.store(with_slot(own_permutation(), rank, used), std::memory_order_release);
    ++used;
  }
};

struct EntryTree::Leaf : Sorted<Leaf> {
  Leaf() { is_leaf = true; }

  std::array<std::atomic<const char*>, kSlots> entries{};
  std::atomic<Leaf*> next{nullptr};
  Leaf* previous = nullptr;  // only the writer looks at it
};

struct EntryTree::Branch : Sorted<Branch> {
  // The subtrees after each separator, and the one before the first: children[i] begins with entries[i].
  std::array<std::atomic<Node*>, kSlots> children{};
  std::atomic<Node*> leftmost{nullptr};
  std::array<std::atomic<const char*>, kSlots> entries{};

  // The subtree on the right of the separator before `rank`.
  std::atomic<Node*>& child(uint64_t order, unsigned rank) { return rank == 0 ? leftmost : children[slot(order, rank - 1)]; }

  // For readers: the child that `rank_in` chooses. While a child is split, its separator is published before its left half takes
  // its place, so a permutation that still holds after the child was loaded belongs to it.
  template <typename RankIn>
  const Node* choose(const RankIn& rank_in) const {
    while (true) {
      const uint64_t before = permutation.load(std::memory_order_acquire);
      const unsigned rank = rank_in(before);
      const auto& place = rank == 0 ? leftmost : children[slot(before, rank - 1)];
      const Node* chosen = place.load(std::memory_order_acquire);
      if (permutation.load(std::memory_order_relaxed) == before) return chosen;
    }
  }

  void put_child(unsigned rank, const char* separator, Node* child) {
    children[used].store(child, std::memory_order_relaxed);
    put(rank, separator);
  }
};

template <typename Kind>
template <bool kIsUpper>
unsigned EntryTree::Sorted<Kind>::bound(uint64_t order, const EntryKey& key) const {
  const WordOrder others = compare_words(key.word_at(shared_bytes), count(order));
  unsigned low = others.before;
  unsigned high = others.before + others.equal;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    const int comparison = compare(EntryKey::of(entry(order, middle)), key);
    const bool is_before = kIsUpper ? comparison <= 0 : comparison < 0;
    (is_before ? low : high) = is_before ? middle + 1 : middle;
  }
  return low;
}

// The slots of a permutation are the first ones. Looking at all words at once has no branches to be mispredicted.
EntryTree::WordOrder EntryTree::Node::compare_words(uint64_t wanted, unsigned slots) const {
#if defined(__AVX2__) && !__has_feature(thread_sanitizer)
  constexpr unsigned kLanes = sizeof(__m256i) / sizeof(uint64_t);
  const __m256i sign = _mm256_set1_epi64x(INT64_MIN);  // only signed numbers can be compared for more than equality
  const __m256i target = _mm256_set1_epi64x(static_cast<int64_t>(wanted));
  uint32_t before = 0;
  uint32_t equal = 0;
  for (unsigned slot = 0; slot < kSlots; slot += kLanes) {
    // The last lane lies behind the words, and a slot that is being written behind those that count.
    const __m256i lanes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words.data() + slot));
    const __m256i is_before = _mm256_cmpgt_epi64(_mm256_xor_si256(target, sign), _mm256_xor_si256(lanes, sign));
    const __m256i is_equal = _mm256_cmpeq_epi64(target, lanes);
    before |= static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(is_before))) << slot;
    equal |= static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(is_equal))) << slot;
  }
  const uint32_t counted = (1u << slots) - 1;
  return {static_cast<unsigned>(std::popcount(before & counted)), static_cast<unsigned>(std::popcount(equal & counted))};
#else
  WordOrder others;
  for (unsigned slot = 0; slot < slots; ++slot) {
    const uint64_t word = words[slot].load(std::memory_order_relaxed);
    others.before += word < wanted ? 1 : 0;
    others.equal += word == wanted ? 1 : 0;
  }
  return others;
#endif
}

EntryTree::EntryTree() {
  Leaf* leaf = new_node<Leaf>({});
  root_.store(leaf, std::memory_order_release);
  first_.store(leaf, std::memory_order_release);
}

EntryTree::~EntryTree() = default;

void EntryTree::insert(const char* entry) {
  const EntryKey key = EntryKey::of(entry);
  Leaf* leaf = descend(key);
  const unsigned rank = leaf->lower_bound(leaf->own_permutation(), key);
  if (!leaf->is_full()) {
    leaf->put(rank, entry);
  } else if (rank == kSlots) {
    append_leaf(leaf, entry);
  } else {
    split(leaf, rank, entry);
  }
  size_.store(size() + 1, std::memory_order_relaxed);
}

// Leaves the way in path_.
EntryTree::Leaf* EntryTree::descend(const EntryKey& key) {
  depth_ = 0;
  Node* node = root_.load(std::memory_order_relaxed);
  while (!node->is_leaf) {
    auto* branch = static_cast<Branch*>(node);
    CHECK(depth_ < kDepthMax);
    const uint64_t permutation = branch->own_permutation();
    const unsigned rank = branch->upper_bound(permutation, key);
    path_[depth_++] = {branch, permutation, rank};
    node = branch->child(permutation, rank).load(std::memory_order_relaxed);
    node->prefetch();
  }
  return static_cast<Leaf*>(node);
}

// Of the node to which the way in path_ leads: the nearest branches that have a separator on that side.
EntryTree::Bounds EntryTree::bounds_at_end_of_path() const {
  Bounds bounds;
  for (size_t i = depth_; i > 0; --i) {
    const auto& [branch, permutation, rank] = path_[i - 1];
    if (bounds.low == nullptr && rank > 0) bounds.low = branch->entry(permutation, rank - 1);
    if (bounds.high == nullptr && rank < count(permutation)) bounds.high = branch->entry(permutation, rank);
  }
  return bounds;
}

// Ascending keys leave full leaves behind.
void EntryTree::append_leaf(Leaf* leaf, const char* entry) {
  Leaf* right = new_node<Leaf>({entry, bounds_at_end_of_path().high});
  right->put(0, entry);
  Leaf* after = leaf->next.load(std::memory_order_relaxed);
  right->next.store(after, std::memory_order_relaxed);
  right->previous = leaf;
  if (after != nullptr) after->previous = right;
  leaf->next.store(right, std::memory_order_release);
  replace_child(nullptr, entry, right);
}

void EntryTree::split(Leaf* leaf, unsigned rank, const char* entry) {
  std::array<const char*, kSlots + 1> all;
  const uint64_t permutation = leaf->own_permutation();
  for (unsigned i = 0; i < rank; ++i) all[i] = leaf->entry(permutation, i);
  all[rank] = entry;
  for (unsigned i = rank; i < kSlots; ++i) all[i + 1] = leaf->entry(permutation, i);

  constexpr unsigned kMiddle = all.size() / 2;
  const Bounds bounds = bounds_at_end_of_path();
  Leaf* left = new_node<Leaf>({bounds.low, all[kMiddle]});
  Leaf* right = new_node<Leaf>({all[kMiddle], bounds.high});
  for (unsigned i = 0; i < kMiddle; ++i) left->put(i, all[i]);
  for (unsigned i = kMiddle; i < all.size(); ++i) right->put(i - kMiddle, all[i]);
  link_in_place_of(leaf, left, right);
  replace_child(left, all[kMiddle], right);
}

void EntryTree::link_in_place_of(Leaf* old_leaf, Leaf* left, Leaf* right) {
  Leaf* before = old_leaf->previous;
  Leaf* after = old_leaf->next.load(std::memory_order_relaxed);
  right->next.store(after, std::memory_order_relaxed);
  right->previous = left;
  left->next.store(right, std::memory_order_relaxed);
  left->previous = before;
  if (after != nullptr) after->previous = right;
  (before != nullptr ? before->next : first_).store(left, std::memory_order_release);
}

// In the branch at the end of path_: `right` comes behind `separator`, and `left`, if given, in place of the child before it.
void EntryTree::replace_child(Node* left, const char* separator, Node* right) {
  if (depth_ == 0) {
    Branch* root = new_node<Branch>({});
    root->leftmost.store(left != nullptr ? left : root_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    root->put_child(0, separator, right);
    root_.store(root, std::memory_order_release);
    return;
  }
  const auto [branch, permutation, rank] = path_[--depth_];
  if (branch->is_full()) return split_branch(branch, rank, left, separator, right);
  // Until the second store a reader finds the old child, which still holds everything from before.
  branch->put_child(rank, separator, right);
  if (left != nullptr) branch->child(permutation, rank).store(left, std::memory_order_release);
}

void EntryTree::split_branch(Branch* branch, unsigned rank, Node* left, const char* separator, Node* right) {
  std::array<const char*, kSlots + 1> separators;
  std::array<Node*, kSlots + 2> children;
  const uint64_t permutation = branch->own_permutation();
  children[0] = branch->leftmost.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < kSlots; ++i) {
    const unsigned to = i < rank ? i : i + 1;
    separators[to] = branch->entry(permutation, i);
    children[to + 1] = branch->child(permutation, i + 1).load(std::memory_order_relaxed);
  }
  separators[rank] = separator;
  children[rank + 1] = right;
  if (left != nullptr) children[rank] = left;

  // The middle separator moves up. Ascending keys leave full branches behind.
  const unsigned middle = rank == kSlots ? kSlots - 1 : kSlots / 2;
  const Bounds bounds = bounds_at_end_of_path();
  Branch* low_half = new_node<Branch>({bounds.low, separators[middle]});
  Branch* high_half = new_node<Branch>({separators[middle], bounds.high});
  low_half->leftmost.store(children[0], std::memory_order_relaxed);
  for (unsigned i = 0; i < middle; ++i) low_half->put_child(i, separators[i], children[i + 1]);
  high_half->leftmost.store(children[middle + 1], std::memory_order_relaxed);
  for (unsigned i = middle + 1; i <= kSlots; ++i) high_half->put_child(i - middle - 1, separators[i], children[i + 1]);
  replace_child(low_half, separators[middle], high_half);
}

template <typename Kind>
Kind* EntryTree::new_node(const Bounds& bounds) {
  Kind* node = new (allocate(sizeof(Kind))) Kind;
  node->shared_bytes = shared_prefix_bytes(bounds.low, bounds.high);
  return node;
}

// Small blocks at first: an idle server has several empty memtables. Large ones are huge pages where the system has them: a
// search meets nodes all over a memtable, and each would need an entry of its own in the processor's table of pages.
void* EntryTree::allocate(size_t bytes) {
  const size_t wanted = (bytes + sizeof(Line) - 1) / sizeof(Line);
  if (free_lines_ < wanted) {
    const size_t block_bytes = std::min(kFirstBlockBytes << std::min<size_t>(blocks_.size(), 16), kBlockBytesMax);
    free_ = static_cast<Line*>(std::aligned_alloc(block_bytes, block_bytes));
    if (free_ == nullptr) throw std::bad_alloc();
    blocks_.emplace_back(free_);
    if (block_bytes == kBlockBytesMax) madvise(free_, block_bytes, MADV_HUGEPAGE);
    free_lines_ = block_bytes / sizeof(Line);
    bytes_.fetch_add(block_bytes, std::memory_order_relaxed);
  }
  free_lines_ -= wanted;
  return std::exchange(free_, free_ + wanted);
}

template <typename Choose>
const EntryTree::Leaf* EntryTree::find_leaf(const Choose& choose) const {
  const Node* node = root_.load(std::memory_order_acquire);
  while (!node->is_leaf) {
    node = choose(static_cast<const Branch&>(*node));
    node->prefetch();
  }
  return static_cast<const Leaf*>(node);
}

uint64_t EntryTree::count_between(const EntryKey& from, const EntryKey& to) const {
  const double share = share_before(to) - share_before(from);
  return static_cast<uint64_t>(std::max(share, 0.0) * static_cast<double>(size()));
}

double EntryTree::share_before(const EntryKey& key) const {
  double share = 0;
  double width = 1;
  const auto narrow = [&](unsigned rank, unsigned parts) {
    width /= parts;
    share += width * rank;
  };
  const Leaf* leaf = find_leaf([&](const Branch& branch) {
    unsigned rank = 0;
    unsigned children = 1;
    const Node* child = branch.choose([&](uint64_t permutation) {
      children = count(permutation) + 1;
      return rank = branch.upper_bound(permutation, key);
    });
    narrow(rank, children);
    return child;
  });
  const uint64_t permutation = leaf->permutation.load(std::memory_order_acquire);
  if (count(permutation) > 0) narrow(leaf->lower_bound(permutation, key), count(permutation));
  return share;
}

const char* EntryTree::Cursor::entry() const { return leaf_->entry(permutation_, rank_); }

void EntryTree::Cursor::stand_on(const Leaf* leaf) {
  leaf_ = leaf;
  if (leaf != nullptr) permutation_ = leaf->permutation.load(std::memory_order_acquire);
  rank_ = 0;
}

void EntryTree::Cursor::skip_to_a_valid_rank() {
  while (leaf_ != nullptr && rank_ >= count(permutation_)) stand_on(leaf_->next.load(std::memory_order_acquire));
}

void EntryTree::Cursor::next() {
  ++rank_;
  skip_to_a_valid_rank();
}

// Searches for the greatest entry before the current one. By invariant 3 the subtree behind the last separator before it has one;
// on the way along leftmost children there is one in the leaf, or none at all.
void EntryTree::Cursor::previous() {
  if (rank_ > 0) {
    --rank_;
    return;
  }
  const EntryKey key = EntryKey::of(entry());
  stand_on(tree_->find_leaf([&](const Branch& branch) {
    return branch.choose([&](uint64_t permutation) { return branch.lower_bound(permutation, key); });
  }));
  const unsigned rank = leaf_->lower_bound(permutation_, key);
  if (rank == 0) return stand_on(nullptr);
  rank_ = rank - 1;
}

void EntryTree::Cursor::seek(const EntryKey& at_or_after) {
  stand_on(tree_->find_leaf([&](const Branch& branch) {
    return branch.choose([&](uint64_t permutation) { return branch.upper_bound(permutation, at_or_after); });
  }));
  rank_ = leaf_->lower_bound(permutation_, at_or_after);
  skip_to_a_valid_rank();
}

void EntryTree::Cursor::seek_first() {
  stand_on(tree_->first_.load(std::memory_order_acquire));
  skip_to_a_valid_rank();
}

void EntryTree::Cursor::seek_last() {
  stand_on(tree_->find_leaf([](const Branch& branch) { return branch.choose(count); }));
  if (count(permutation_) == 0) return stand_on(nullptr);
  rank_ = count(permutation_) - 1;
}

}  // namespace partita
