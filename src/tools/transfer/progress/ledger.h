#pragma once

#include "base/result.h"
#include "tools/transfer/content/content.h"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace partita::tools::transfer {

// What became of the documents of a source.
struct Tally {
  ContentSum stored = {};  // new documents
  uint64_t replaced = 0;
  uint64_t skipped = 0;  // were there already
  uint64_t refused = 0;
  uint64_t doubtful = 0;  // of the stored and the replaced: nobody knows which of both it was

  uint64_t documents() const { return stored.documents + replaced + skipped + refused; }
  void add(const Tally& other);

  bool operator==(const Tally&) const = default;
};

// A document that is not in the destination, and why.
struct Refusal {
  std::string file = {};
  uint64_t line = 0;
  std::string id = {};  // empty when it has none
  int status = 0;       // of the server's answer; 0: it was not sent
  std::string reason = {};
};

// Ledger: which documents of a source are settled, though answers come in any order.
//
// Documents are counted in chunks, in the order of the source. What is settled is known for the chunks before the first one that
// is not: begin again there, and nothing is lost. Not thread-safe.
class Ledger {
 public:
  using Chunk = uint64_t;

  // Goes on behind what is settled already.
  Ledger(std::string position, const Tally& settled) : position_(std::move(position)), settled_(settled) {}

  // One more document was read. Its chunk ends with the next close_chunk().
  Chunk begin_document();
  // `position` is where the source goes on behind what was read.
  void close_chunk(std::string position);
  size_t open_documents() const { return chunks_.empty() || chunks_.back().is_closed ? 0 : chunks_.back().documents; }

  // Each document once.
  void settle_stored(Chunk chunk, const Hash128& content) { settle(chunk).tally.stored.add(content); }
  void settle_replaced(Chunk chunk) { ++settle(chunk).tally.replaced; }
  // Of one that is not settled yet, and will be stored or replaced.
  void note_doubtful(Chunk chunk);
  void settle_skipped(Chunk chunk) { ++settle(chunk).tally.skipped; }
  void settle_refused(Chunk chunk, Refusal refusal);

  // Takes note of the chunks that are settled whole by now. The three below are as of then.
  void advance();
  // Documents of the chunks that are not settled whole.
  uint64_t unsettled() const { return unsettled_; }
  // Those refused in the chunks that became settled since the last call, in their order.
  std::vector<Refusal> take_refusals() { return std::exchange(refusals_, {}); }
  // Where the first chunk begins that is not settled, and what became of the documents before.
  const std::string& position() const { return position_; }
  const Tally& settled() const { return settled_; }
  // Of all documents, also of chunks that are not settled whole.
  Tally so_far() const;

 private:
  struct OpenChunk {
    size_t documents = 0;
    size_t open = 0;
    bool is_closed = false;
    std::string position = {};
    Tally tally = {};
    std::vector<Refusal> refusals = {};
  };

  OpenChunk& settle(Chunk chunk);

  std::string position_;
  Tally settled_;
  std::deque<OpenChunk> chunks_;
  Chunk first_ = 0;  // number of chunks_.front()
  uint64_t unsettled_ = 0;
  std::vector<Refusal> refusals_;
};

}  // namespace partita::tools::transfer
