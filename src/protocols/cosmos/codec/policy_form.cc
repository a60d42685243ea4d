#include "protocols/cosmos/codec/policy_form.h"

#include <string_view>

namespace partita::cosmos {
namespace {

constexpr std::string_view kEtagPath = "/\"_etag\"/?";
constexpr int64_t kStringPrecision = 3;
constexpr int64_t kNumberPrecision = -1;  // the greatest

bool has_index_of(const Value& indexes, std::string_view type) {
  for (size_t i = 0; indexes.is_array() && i < indexes.size(); ++i) {
    const Value given = indexes.element(i).find("dataType");
    if (given.is_string() && given.string() == type) return true;
  }
  return false;
}

void write_default_index(StoredWriter& out, std::string_view kind, std::string_view type, int64_t precision) {
  out.begin_object();
  out.key("kind");
  out.string(kind);
  out.key("dataType");
  out.string(type);
  out.key("precision");
  out.integer(precision);
  out.end_object();
}

void write_path_with_kinds(StoredWriter& out, const Value& path) {
  const Value indexes = path.find("indexes");
  out.begin_object();
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.member(i).key == "indexes") continue;
    out.key(path.member(i).key);
    out.value(path.member(i).value);
  }
  out.key("indexes");
  out.begin_array();
  for (size_t i = 0; indexes.is_array() && i < indexes.size(); ++i) out.value(indexes.element(i));
  if (!has_index_of(indexes, "Number")) write_default_index(out, "Range", "Number", kNumberPrecision);
  if (!has_index_of(indexes, "String")) write_default_index(out, "Hash", "String", kStringPrecision);
  out.end_array();
  out.end_object();
}

bool is_etag_path(const Value& entry) {
  const Value path = entry.find("path");
  return path.is_string() && path.string() == kEtagPath;
}

void write_member_with_kinds(StoredWriter& out, const Value::Member& member) {
  const bool is_included = member.key == "includedPaths";
  if (!is_included && member.key != "excludedPaths") return out.value(member.value);
  out.begin_array();
  for (size_t i = 0; i < member.value.size(); ++i) {
    const Value entry = member.value.element(i);
    if (is_included) {
      write_path_with_kinds(out, entry);
    } else if (!is_etag_path(entry)) {
      out.value(entry);
    }
  }
  out.end_array();
}

bool is_lazy(const Value::Member& member) {
  return member.key == "indexingMode" && member.value.is_string() && member.value.string() == "lazy";
}

}  // namespace

void write_indexing_policy(StoredWriter& out, const Value& definition, bool names_kinds) {
  out.begin_object();
  for (size_t i = 0; i < definition.size(); ++i) {
    const Value::Member member = definition.member(i);
    out.key(member.key);
    if (names_kinds) {
      write_member_with_kinds(out, member);
    } else if (is_lazy(member)) {
      out.string("consistent");
    } else {
      out.value(member.value);
    }
  }
  out.end_object();
}

}  // namespace partita::cosmos
