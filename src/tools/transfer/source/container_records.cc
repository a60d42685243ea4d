#include "tools/transfer/source/container_records.h"

#include "tools/transfer/content/content.h"

#include <algorithm>

namespace partita::tools::transfer {
namespace {

constexpr std::chrono::milliseconds kWait{100};

void write_without_system_properties(const Value& document, StoredWriter& out) {
  out.begin_object();
  for (size_t index = 0; index < document.size(); ++index) {
    const Value::Member member = document.member(index);
    if (is_system_property(member.key)) continue;
    out.key(member.key);
    out.value(member.value);
  }
  out.end_object();
}

}  // namespace

Result<bool> ContainerRecords::next(SourceRecord& record) {
  while (next_ == page_.size()) {
    if (is_at_end_) return false;
    TRY_ASSIGN(std::optional<client::FeedPage> page, feed_->next(kWait));
    is_at_end_ = !page;
    page_ = page ? std::move(*page) : client::FeedPage();
    next_ = 0;
  }
  write_without_system_properties(page_.at(next_++), record.document);
  record.line = ++given_;
  return true;
}

std::optional<std::string> ContainerRecords::position() const {
  return next_ == page_.size() ? std::optional(feed_->position()) : std::nullopt;
}

std::optional<double> ContainerRecords::progress() const {
  if (all_ == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(given_) / static_cast<double>(all_));
}

}  // namespace partita::tools::transfer
