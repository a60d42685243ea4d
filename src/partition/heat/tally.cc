#include "partition/heat/tally.h"

#include "base/bytes.h"
#include "document/key/murmur3.h"

namespace partita {

Tally& Tally::operator+=(const Tally& other) {
  documents += other.documents;
  checksum += other.checksum;
  return *this;
}

Result<Tally> tally_of(const Slice& slice, const Snapshot& at, const std::function<Result<Item>(Item)>& convert) {
  Tally tally;
  Cursor cursor = slice.cursor(Family::kItems, &at);
  std::string bytes;
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    const DocumentNumber number = trailing_number(cursor.key());
    TRY_ASSIGN(const Value document, document_of_record(number, cursor.value()));
    bytes.assign(document.bytes());
    if (convert) {
      TRY_ASSIGN(Item item, item_from_record(number, std::string(cursor.value())));
      TRY_ASSIGN(item, convert(std::move(item)));
      bytes.assign(item.document().bytes());
    }
    append_big_endian(bytes, number.value);
    tally += {.documents = 1, .checksum = murmur3_x64_128(bytes).low};
  }
  TRY(cursor.status());
  Cursor attachments = slice.cursor(Family::kAttachments, &at);
  for (attachments.seek_first(); attachments.valid(); attachments.next()) {
    bytes.assign(attachments.key().substr(partition_prefix(slice.partition()).size()));
    bytes += attachments.value();
    tally += {.documents = 0, .checksum = murmur3_x64_128(bytes).low};
  }
  TRY(attachments.status());
  return tally;
}

}  // namespace partita
