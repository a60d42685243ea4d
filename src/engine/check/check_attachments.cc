#include "engine/check/check_attachments.h"

#include "engine/attachments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace partita {
namespace {

// What the rows of one document say.
struct Gathered {
  DocumentNumber document;
  std::optional<std::string> head;
  AttachmentHead counted;
  std::set<AttachmentNumber> attachments;
  std::map<std::string, AttachmentNumber> own_ids;  // by the attachments themselves
  std::map<std::string, std::string> ids;           // by the rows of ids: bytes of the number
  std::set<AttachmentNumber> media;
};

class AttachmentCheck {
 public:
  AttachmentCheck(const Slice& slice, const Snapshot& at, ConsistencyReport& report) : slice_(slice), at_(at), report_(report) {}

  Status run() {
    Cursor cursor = slice_.cursor(Family::kAttachments, &at_);
    for (cursor.seek_first(); cursor.valid(); cursor.next()) {
      const Result<AttachmentRow> row = AttachmentRow::parse(cursor.key());
      if (!row) {
        report_.add(row.error().message);
        continue;
      }
      if (gathered_ && gathered_->document != row->document) TRY(judge());
      if (!gathered_) gathered_.emplace().document = row->document;
      gather(*row, cursor.value());
    }
    TRY(cursor.status());
    return gathered_ ? judge() : Status();
  }

 private:
  void gather(const AttachmentRow& row, std::string_view value) {
    Gathered& now = *gathered_;
    now.counted.newest = std::max(now.counted.newest, row.number);
    if (row.has_content()) now.counted.bytes += value.size();
    switch (row.kind) {
      case AttachmentRowKind::kHead: now.head = value; break;
      case AttachmentRowKind::kId: now.ids[std::string(row.id)] = value; break;
      case AttachmentRowKind::kMedia: now.media.insert(row.number); break;
      case AttachmentRowKind::kAttachment: gather_attachment(row, value); break;
    }
  }

  void gather_attachment(const AttachmentRow& row, std::string_view value) {
    ++gathered_->counted.attachments;
    gathered_->attachments.insert(row.number);
    const bool decodes =
        validate_stored_form(value) && Value::view(value).is_object() && Value::view(value).find("id").is_string();
    if (decodes) {
      gathered_->own_ids[std::string(Value::view(value).find("id").string())] = row.number;
    } else {
      add(fmt::format("attachment {} does not decode", row.number.value));
    }
  }

  Status judge() {
    const Gathered& now = *gathered_;
    std::string record;
    TRY_ASSIGN(const bool is_known, slice_.load_record(now.document, record, &at_));
    if (!is_known) add("it has attachments, but is not there");
    report_.counted.record_bytes += now.counted.bytes;
    judge_ids();
    for (AttachmentNumber number : now.media) {
      if (!now.attachments.contains(number)) add(fmt::format("media {} belongs to no attachment", number.value));
    }
    const Result<AttachmentHead> head = decode_attachment_head(now.head.value_or(""));
    const bool agrees = head && head->attachments == now.counted.attachments && head->bytes == now.counted.bytes &&
                        head->newest >= now.counted.newest;
    if (!agrees) add("the head of its attachments does not agree with them");
    gathered_.reset();
    return {};
  }

  void judge_ids() {
    const Gathered& now = *gathered_;
    for (const auto& [id, number] : now.own_ids) {
      const auto row = now.ids.find(id);
      if (row == now.ids.end() || row->second != attachment_number_bytes(number)) {
        add(fmt::format("attachment '{}' is not found under its id", id));
      }
    }
    if (now.ids.size() != now.own_ids.size()) add("it has rows of ids that no attachment has");
  }

  void add(std::string_view what) { report_.add(fmt::format("document number {}: {}", gathered_->document.value, what)); }

  const Slice& slice_;
  const Snapshot& at_;
  ConsistencyReport& report_;
  std::optional<Gathered> gathered_;
};

}  // namespace

Status check_attachments(const Slice& slice, const Snapshot& at, ConsistencyReport& report) {
  return AttachmentCheck(slice, at, report).run();
}

}  // namespace partita
