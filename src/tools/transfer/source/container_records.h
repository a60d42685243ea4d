#pragma once

#include "tools/transfer/source/container_feed.h"
#include "tools/transfer/source/record_source.h"

#include <memory>
#include <string>

namespace partita::tools::transfer {

// ContainerRecords: the documents of a container, without what its server added. A position is one of its feed, at the end of a
// page.
class ContainerRecords : public RecordSource {
 public:
  // `documents` is how many there are, or 0.
  ContainerRecords(std::unique_ptr<ContainerFeed> feed, uint64_t documents, uint64_t passed_over)
      : feed_(std::move(feed)), all_(documents), given_(passed_over) {}

  Result<bool> next(SourceRecord& record) override;
  std::string_view name() const override { return {}; }
  std::optional<std::string> position() const override;
  bool is_ordered() const override { return false; }
  std::optional<double> progress() const override;

 private:
  std::unique_ptr<ContainerFeed> feed_;
  uint64_t all_;
  uint64_t given_;
  client::FeedPage page_;
  size_t next_ = 0;
  bool is_at_end_ = false;
};

}  // namespace partita::tools::transfer
