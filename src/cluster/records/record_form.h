#pragma once

#include "base/result.h"
#include "cluster/records/records.h"
#include "document/json/json.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The form that all records of the catalog share: a JSON object that names its format. For the files that encode and decode them.
namespace partita {

inline std::unexpected<Error> undecodable(std::string_view what) {
  return fail(ErrorCode::kCorruption, fmt::format("a catalog record cannot be decoded: {}", what));
}

// A record read back: typed access with one kind of error.
class Record {
 public:
  static Result<Record> parse(std::string_view json, int64_t format_max = kCatalogRecordFormat) {
    Record record;
    Result<std::string> stored = stored_from_json(json);
    if (!stored) return undecodable(stored.error().message);
    record.bytes_ = *std::move(stored);
    TRY_ASSIGN(const int64_t format, record.integer("format"));
    if (format < kCatalogRecordFormat || format > format_max) return undecodable(fmt::format("it has format {}", format));
    return record;
  }

  Value value(std::string_view name) const { return Value::view(bytes_).find(name); }
  Result<int64_t> integer(std::string_view name) const {
    const Value found = value(name);
    const std::optional<int64_t> number = found.is_number() ? found.integer() : std::nullopt;
    if (!number) return undecodable(fmt::format("'{}' is not an integer", name));
    return *number;
  }
  Result<uint32_t> number(std::string_view name) const {
    TRY_ASSIGN(const int64_t wide, integer(name));
    return static_cast<uint32_t>(wide);
  }
  Result<std::string> text(std::string_view name) const {
    const Value found = value(name);
    if (!found.is_string()) return undecodable(fmt::format("'{}' is not a string", name));
    return std::string(found.string());
  }
  // What a client said besides what has a meaning here: an object, in stored form.
  Result<std::string> properties() const {
    const Value found = value("properties");
    if (!found.is_object()) return undecodable("'properties' is not an object");
    return std::string(found.bytes());
  }
  Result<Revision> revision() const {
    Revision revision;
    TRY_ASSIGN(revision.unix_seconds, integer("ts"));
    TRY_ASSIGN(revision.etag, text("etag"));
    return revision;
  }

 private:
  std::string bytes_;
};

class RecordWriter {
 public:
  explicit RecordWriter(int64_t format = kCatalogRecordFormat) {
    out_.begin_object();
    integer("format", format);
  }
  void integer(std::string_view name, int64_t value) {
    out_.key(name);
    out_.integer(value);
  }
  void text(std::string_view name, std::string_view value) {
    out_.key(name);
    out_.string(value);
  }
  void revision(const Revision& revision) {
    integer("ts", revision.unix_seconds);
    text("etag", revision.etag);
  }
  StoredWriter& member(std::string_view name) {
    out_.key(name);
    return out_;
  }
  std::string finish() {
    out_.end_object();
    return to_json(out_.view());
  }

 private:
  StoredWriter out_;
};

// Parts of records that several kinds have.
void write_texts(StoredWriter& out, const std::vector<std::string>& texts);
Result<std::vector<std::string>> read_texts(const Value& value);
void write_places(StoredWriter& out, const std::vector<PlaceRecord>& places);
Result<std::vector<PlaceRecord>> read_places(const Record& record, std::string_view name);

}  // namespace partita
