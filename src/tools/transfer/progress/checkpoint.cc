#include "document/json/json.h"
#include "tools/transfer/progress/state_file.h"

#include <fmt/format.h>

#include <charconv>

// A checkpoint as text: docs/transfer.md shows one.
namespace partita::tools::transfer {
namespace {

constexpr int64_t kVersion = 1;

std::string sum_json(const ContentSum& sum) {
  return fmt::format(R"({{"documents":{},"checksum":"{}"}})", sum.documents, sum.text());
}

std::string text_json(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json;
}

std::string list_json(const std::vector<std::string>& texts) {
  std::string json = "[";
  for (const std::string& text : texts) json += (json.size() > 1 ? "," : "") + text_json(text);
  return json + "]";
}

std::unexpected<Error> unreadable(std::string_view name) {
  return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is missing or wrong", name));
}

Result<uint64_t> read_count(const Value& object, std::string_view name) {
  const Value found = object.find(name);
  const std::optional<int64_t> number = found.is_number() ? found.integer() : std::nullopt;
  if (!number || *number < 0) return unreadable(name);
  return static_cast<uint64_t>(*number);
}

Result<std::string> read_text(const Value& object, std::string_view name) {
  const Value found = object.find(name);
  if (!found.is_string()) return unreadable(name);
  return std::string(found.string());
}

Result<uint64_t> read_half(std::string_view digits) {
  uint64_t half = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), half, 16);
  if (problem != std::errc() || end != digits.data() + digits.size()) return unreadable("checksum");
  return half;
}

Result<ContentSum> read_sum(const Value& object, std::string_view name) {
  constexpr size_t kHalfDigits = 16;
  const Value found = object.find(name);
  if (!found.is_object()) return unreadable(name);
  ContentSum sum;
  TRY_ASSIGN(sum.documents, read_count(found, "documents"));
  TRY_ASSIGN(const std::string digits, read_text(found, "checksum"));
  if (digits.size() != 2 * kHalfDigits) return unreadable("checksum");
  TRY_ASSIGN(sum.high, read_half(std::string_view(digits).substr(0, kHalfDigits)));
  TRY_ASSIGN(sum.low, read_half(std::string_view(digits).substr(kHalfDigits)));
  return sum;
}

}  // namespace

std::string Checkpoint::to_json() const {
  return fmt::format(
      R"({{"version":{},"job":{},"position":{},"documents":{},"claimed":{},"stored":{},"replaced":{},"skipped":{},"refused":{},"doubtful":{},)"
      R"("outputBytes":{},"columns":{},"before":{}}})",
      kVersion, text_json(job), text_json(position), documents, claimed, sum_json(tally.stored), tally.replaced, tally.skipped,
      tally.refused, tally.doubtful, output_bytes, list_json(columns), before ? sum_json(*before) : "null");
}

Result<Checkpoint> Checkpoint::parse(std::string_view json) {
  TRY_ASSIGN(const std::string stored, stored_from_json(json));
  const Value object = Value::view(stored);
  if (!object.is_object()) return unreadable("version");
  TRY_ASSIGN(const uint64_t version, read_count(object, "version"));
  if (version != kVersion) return fail(ErrorCode::kInvalidInput, "another version of this program wrote it");
  Checkpoint checkpoint;
  TRY_ASSIGN(checkpoint.job, read_text(object, "job"));
  TRY_ASSIGN(checkpoint.position, read_text(object, "position"));
  TRY_ASSIGN(checkpoint.documents, read_count(object, "documents"));
  TRY_ASSIGN(checkpoint.claimed, read_count(object, "claimed"));
  TRY_ASSIGN(checkpoint.tally.stored, read_sum(object, "stored"));
  TRY_ASSIGN(checkpoint.tally.replaced, read_count(object, "replaced"));
  TRY_ASSIGN(checkpoint.tally.skipped, read_count(object, "skipped"));
  TRY_ASSIGN(checkpoint.tally.refused, read_count(object, "refused"));
  TRY_ASSIGN(checkpoint.tally.doubtful, read_count(object, "doubtful"));
  TRY_ASSIGN(checkpoint.output_bytes, read_count(object, "outputBytes"));
  const Value columns = object.find("columns");
  if (!columns.is_array()) return unreadable("columns");
  for (size_t index = 0; index < columns.size(); ++index) {
    if (!columns.element(index).is_string()) return unreadable("columns");
    checkpoint.columns.emplace_back(columns.element(index).string());
  }
  if (object.find("before").is_null()) return checkpoint;
  TRY_ASSIGN(checkpoint.before, read_sum(object, "before"));
  return checkpoint;
}

}  // namespace partita::tools::transfer
