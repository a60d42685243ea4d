#include "protocols/cosmos/codec/batch/batch_rows.h"

#include "base/bytes.h"
#include "document/json/json.h"
#include "partition/charge/throttling.h"
#include "protocols/cosmos/codec/batch/record_stream.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>

namespace partita::cosmos {
namespace {

constexpr uint32_t kOperationSchema = 0x7FE15470;
constexpr uint32_t kResultSchema = 0x7FE15471;

// Types of sparse fields.
constexpr uint8_t kFalse = 2;
constexpr uint8_t kTrue = 3;
constexpr uint8_t kInt32 = 7;
constexpr uint8_t kUInt32 = 11;
constexpr uint8_t kFloat64 = 16;
constexpr uint8_t kUtf8 = 20;

// Presence bits of an operation's fields and of a result's.
enum OperationField : uint8_t { kOperationType = 0, kPartitionKey = 2, kId = 4, kResourceBody = 6, kLastVariable = 6 };
constexpr uint8_t kFirstVariable = 2;
enum OperationSparse : uint8_t { kIfMatch = 9, kIfNoneMatch = 10, kMinimalReturn = 12, kLastSparse = 12 };
enum ResultField : uint8_t { kStatus = 0, kSubStatus = 1, kEtag = 2, kResultBody = 3 };
// Numbers of a result's sparse fields.
enum ResultSparse : uint8_t { kRetryAfterMs = 5, kRequestCharge = 6 };

std::unexpected<Error> invalid(std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("An operation of the batch cannot be read: {}.", why));
}

// Numbers of .NET's own enumeration.
std::optional<ItemVerb> verb_of(uint32_t operation_type) {
  switch (operation_type) {
    case 0: return ItemVerb::kCreate;
    case 1: return ItemVerb::kPatch;
    case 2: return ItemVerb::kRead;
    case 4: return ItemVerb::kErase;
    case 5: return ItemVerb::kReplace;
    case 20: return ItemVerb::kUpsert;
    default: return std::nullopt;
  }
}

// Reads a row from its front to its back. After a read beyond the end it is broken and gives zeros.
class RowReader {
 public:
  explicit RowReader(std::string_view bytes) : rest_(bytes) {}

  bool is_broken() const { return is_broken_; }
  bool is_at_end() const { return rest_.empty(); }

  std::string_view take(uint64_t size) {
    if (size > rest_.size()) {
      is_broken_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  uint8_t byte() {
    const std::string_view one = take(1);
    return one.empty() ? 0 : static_cast<uint8_t>(one[0]);
  }
  uint32_t integer() {
    const std::string_view four = take(sizeof(uint32_t));
    return four.empty() ? 0 : load_little_endian<uint32_t>(four.data());
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t next = byte();
      value |= uint64_t{next & 0x7FU} << shift;
      if ((next & 0x80) == 0) return value;
    }
    is_broken_ = true;
    return 0;
  }
  std::string_view text() { return take(varint()); }

 private:
  std::string_view rest_;
  bool is_broken_ = false;
};

Status read_sparse(RowReader& row, BatchStep& step) {
  const uint8_t type = row.byte();
  const uint64_t field = row.varint();
  // A name that the schema does not have stands for itself, behind its length.
  if (field > kLastSparse) row.take(field - kLastSparse - 1);
  switch (type) {
    case kFalse: return {};
    case kTrue:
      if (field == kMinimalReturn) step.wants_document = false;
      return {};
    case kInt32:
    case kUInt32: row.take(sizeof(uint32_t)); return {};
    case kFloat64: row.take(sizeof(double)); return {};
    case kUtf8: {
      const std::string_view text = row.text();
      if (field == kIfMatch) step.operation.if_match = text;
      if (field == kIfNoneMatch) step.if_none_match = text;
      return {};
    }
    default: return invalid(fmt::format("it has a field of type {}", type));
  }
}

Status read_variable(RowReader& row, uint8_t field, BatchStep& step) {
  const std::string_view bytes = row.text();
  if (field == kId) step.operation.id = bytes;
  if (field == kResourceBody) step.operation.body = bytes;
  if (field == kPartitionKey) {
    TRY_ASSIGN(step.operation.key, PartitionKey::parse(bytes));
  }
  return {};
}

Status check_complete(const BatchStep& step, uint8_t presence) {
  const ItemVerb verb = step.operation.verb;
  const bool needs_body = verb != ItemVerb::kRead && verb != ItemVerb::kErase;
  const bool needs_id = verb != ItemVerb::kCreate && verb != ItemVerb::kUpsert;
  if (needs_body && (presence >> kResourceBody & 1) == 0) return invalid("it has no body");
  if (needs_id && step.operation.id.empty()) return invalid("it has no id");
  return {};
}

Result<BatchStep> read_operation(std::string_view bytes) {
  RowReader row(bytes);
  const uint8_t version = row.byte();
  const uint32_t schema = row.integer();
  if (version != kRowVersion || schema != kOperationSchema) return invalid("it has another schema");
  const uint8_t presence = row.byte();
  const std::optional<ItemVerb> verb = verb_of(row.integer());
  if ((presence >> kOperationType & 1) == 0 || !verb) return invalid("its type is unknown");
  row.integer();  // the resource type: always a document
  BatchStep step;
  step.operation.verb = *verb;
  for (uint8_t field = kFirstVariable; field <= kLastVariable; ++field) {
    if ((presence >> field & 1) != 0) TRY(read_variable(row, field, step));
  }
  while (!row.is_at_end()) TRY(read_sparse(row, step));
  if (row.is_broken()) return invalid("it is cut short");
  TRY(check_complete(step, presence));
  return step;
}

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void append_text(std::string& out, std::string_view text) {
  append_varint(out, text.size());
  out += text;
}

std::string result_row(const BatchStepOutcome& step) {
  const StepStatus status = step_status(step);
  const bool has_item = !step.error && !step.item.record.empty();
  const bool has_body = has_item && step.wants_document && !step.is_unchanged;
  std::string row;
  row += static_cast<char>(kRowVersion);
  append_little_endian(row, kResultSchema);
  row += static_cast<char>(1 << kStatus | 1 << kSubStatus | has_item << kEtag | has_body << kResultBody);
  append_little_endian(row, static_cast<uint32_t>(status.status));
  append_little_endian(row, static_cast<uint32_t>(status.sub_status));
  if (has_item) append_text(row, step.item.etag());
  if (has_body) append_text(row, to_json(step.item.document()));
  if (const auto wait_ms = step.error ? retry_after_ms(*step.error) : std::nullopt) {
    row += static_cast<char>(kUInt32);
    append_varint(row, kRetryAfterMs);
    append_little_endian(row, static_cast<uint32_t>(*wait_ms));
  }
  row += static_cast<char>(kFloat64);
  append_varint(row, kRequestCharge);
  append_little_endian(row, std::bit_cast<uint64_t>(step.charge));
  return row;
}

}  // namespace

Status parse_batch_rows(std::string_view bytes, BatchBody& body) {
  TRY_ASSIGN(const std::vector<std::string_view> rows, parse_record_stream(bytes));
  TRY(check_batch_size(rows.size()));
  for (const std::string_view row : rows) {
    TRY_ASSIGN(BatchStep step, read_operation(row));
    body.steps.push_back(std::move(step));
  }
  return {};
}

void append_batch_rows(std::string& out, const BatchOutcome& outcome) {
  begin_record_stream(out);
  for (const BatchStepOutcome& step : outcome.steps) append_record(out, result_row(step));
}

}  // namespace partita::cosmos
