#pragma once

#include "tools/transfer/progress/state_file.h"
#include "tools/transfer/progress/transfer_watch.h"
#include "tools/transfer/sink/document_text.h"
#include "tools/transfer/sink/output_file.h"
#include "tools/transfer/source/container_feed.h"
#include "tools/transfer/source/document_reader.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace partita::tools::transfer {

// Exporter: writes the documents of a container's feed to a file. A checkpoint is where the feed and the file are; another run
// cuts the file there and goes on. Used by one thread.
class Exporter {
 public:
  // `state` may be null. All of these outlive the exporter. `documents` is how many there are, for the progress.
  Exporter(ContainerFeed& feed, OutputFile& file, DocumentText& text, StateFile* state, TransferWatch& watch,
           Checkpoint checkpoint, uint64_t documents)
      : feed_(feed),
        file_(file),
        text_(text),
        state_(state),
        watch_(watch),
        checkpoint_(std::move(checkpoint)),
        documents_(documents) {}

  Status run();
  // As of the end of run().
  const Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  using Clock = std::chrono::steady_clock;

  Status write_page(const client::FeedPage& page);
  Status save();
  void show();

  ContainerFeed& feed_;
  OutputFile& file_;
  DocumentText& text_;
  StateFile* state_;
  TransferWatch& watch_;
  Checkpoint checkpoint_;
  uint64_t documents_;
  std::string scratch_;
  Clock::time_point saved_ = Clock::now();
};

// The sum of the documents in a file. For tables, of what a reader finds in them.
Result<ContentSum> measure_file(const std::string& path, SourceFormat format, char delimiter);

}  // namespace partita::tools::transfer
