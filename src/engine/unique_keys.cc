#include "engine/unique_keys.h"

#include "base/bytes.h"
#include "document/json/json.h"
#include "document/key/key_form.h"
#include "document/key/murmur3.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

// Longer values are kept as their hash, so that rows stay small.
constexpr size_t kValueBytesMax = 256;
constexpr char kHashed = '\xFF';  // begins no key form

std::unexpected<Error> invalid(std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("The unique key policy is not valid: {}.", why));
}

Result<std::vector<DocumentPath>> parse_key(const Value& key) {
  const Value paths = key.find("paths");
  if (!paths.is_array() || paths.size() == 0) return invalid("every key needs an array of 'paths'");
  if (paths.size() > kUniqueKeyPathsMax) return invalid(fmt::format("a key has more than {} paths", kUniqueKeyPathsMax));
  std::vector<DocumentPath> parsed;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!paths.element(i).is_string()) return invalid("a path is not a string");
    Result<DocumentPath> path = DocumentPath::parse(paths.element(i).string());
    if (!path) return invalid(path.error().message);
    if (std::ranges::find(parsed, *path) != parsed.end()) return invalid(fmt::format("the path {} is given twice", path->text()));
    parsed.push_back(*std::move(path));
  }
  return parsed;
}

void append_value(std::string& out, const Value& value) {
  std::string form;
  if (value.is_array() || value.is_object()) {
    form = kHashed + to_json(value);
  } else if (value.is_string()) {
    append_key_form_whole_string(form, value.string());
  } else if (value.is_undefined()) {
    append_key_form_null(form);
  } else {
    append_key_form(form, value);
  }
  if (form.size() <= kValueBytesMax && form[0] != kHashed) {
    out += form;
    return;
  }
  const Hash128 hash = murmur3_x64_128(form);
  out += kHashed;
  append_big_endian(out, hash.high);
  append_big_endian(out, hash.low);
}

}  // namespace

Result<UniqueKeys> UniqueKeys::parse(const Value& policy) {
  UniqueKeys parsed;
  if (policy.is_undefined() || policy.is_null()) return parsed;
  const Value keys = policy.find("uniqueKeys");
  if (keys.is_undefined() || keys.is_null()) return parsed;
  if (!keys.is_array()) return invalid("'uniqueKeys' must be an array");
  if (keys.size() > kUniqueKeysMax) return invalid(fmt::format("it has more than {} keys", kUniqueKeysMax));
  for (size_t i = 0; i < keys.size(); ++i) {
    TRY_ASSIGN(std::vector<DocumentPath> key, parse_key(keys.element(i)));
    if (std::ranges::find(parsed.keys_, key) != parsed.keys_.end()) return invalid("a key is given twice");
    parsed.keys_.push_back(std::move(key));
  }
  return parsed;
}

std::vector<std::string> UniqueKeys::values_of(const Value& document) const {
  std::vector<std::string> values;
  for (size_t i = 0; i < keys_.size(); ++i) {
    std::string& value = values.emplace_back(1, static_cast<char>(i));
    for (const DocumentPath& path : keys_[i]) append_value(value, path.resolve(document));
  }
  return values;
}

}  // namespace partita
