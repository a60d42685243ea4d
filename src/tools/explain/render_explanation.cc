#include "tools/explain/render_explanation.h"

#include "document/json/json.h"
#include "document/stored/stored_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::tools {
namespace {

double number(const Value& object, std::string_view name) {
  const Value found = object.find(name);
  return found.is_number() ? found.number() : 0;
}

std::string_view text(const Value& value) { return value.is_string() ? value.string() : std::string_view(); }

std::string count_text(double count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string size_text(double bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"B", "KB", "MB", "GB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string duration_text(double us) { return fmt::format("{:.1f} ms", us / 1000); }

void add_lines(std::string& out, std::string_view title, const Value& lines) {
  out += fmt::format("{}\n", title);
  for (size_t i = 0; lines.is_array() && i < lines.size(); ++i) out += fmt::format("  {}\n", text(lines.element(i)));
}

// Lines of at most 80 columns, two blanks before each.
std::string wrapped(std::string_view sentence) {
  constexpr size_t kColumns = 78;
  std::string out;
  while (sentence.size() > kColumns) {
    const size_t blank = sentence.rfind(' ', kColumns);
    if (blank == std::string_view::npos) break;
    out += fmt::format("  {}\n", sentence.substr(0, blank));
    sentence.remove_prefix(blank + 1);
  }
  return out + fmt::format("  {}\n", sentence);
}

// What clients are told, which for refused queries is JSON with a list of reasons, or of mistakes in the text.
std::string reason_of(std::string_view refusal) {
  const Result<std::string> stored = stored_from_json(refusal);
  if (!stored) return std::string(refusal);
  const Value reasons = Value::view(*stored).find("Errors");
  if (reasons.is_array() && reasons.size() > 0) return std::string(text(reasons.element(0)));
  const Value mistakes = Value::view(*stored).find("errors");
  if (mistakes.is_array() && mistakes.size() > 0) return std::string(text(mistakes.element(0).find("message")));
  return std::string(refusal);
}

bool has_text(const Value& list, std::string_view wanted) {
  for (size_t i = 0; list.is_array() && i < list.size(); ++i) {
    if (text(list.element(i)) == wanted) return true;
  }
  return false;
}

// Who gets rows of a query that is refused. Servers of before that was said refused queries only for want of an index.
std::string remedy_of(const Value& served_by) {
  if (!served_by.is_array() || has_text(served_by, "index")) return "Below is the index that it needs.";
  const bool is_extended = has_text(served_by, "extended");
  const std::string_view extended = "with 'x-partita-fidelity: extended', or on a server with '--fidelity extended'.";
  if (!has_text(served_by, "plan")) return is_extended ? fmt::format("It is answered {}", extended) : "";
  const std::string_view plan = "SDKs that ask for a query plan merge the partitions themselves and get its rows.";
  return is_extended ? fmt::format("{} The server answers it alone {}", plan, extended) : std::string(plan);
}

void add_refusal(std::string& out, const Value& explanation) {
  const Value refusal = explanation.find("refusal");
  if (!refusal.is_string()) return;
  const Value served_by = explanation.find("refusalServedBy");
  const double status = number(explanation, "refusalStatus");
  const double sub_status = number(explanation, "refusalSubStatus");
  out += fmt::format(
      "{} ({}{})\n",
      has_text(served_by, "plan") ? "Clients that merge no partitions are refused this query" : "Clients are refused this query",
      status > 0 ? status : 400, sub_status > 0 ? fmt::format("/{}", sub_status) : "");
  out += wrapped(reason_of(refusal.string()));
  out += wrapped(fmt::format("What follows shows how it would run. {}", remedy_of(served_by)));
}

void add_work(std::string& out, const Value& explanation) {
  out +=
      fmt::format("Read\n  {} ({}) and {} in {}\n", count_text(number(explanation, "documentsLoaded"), "document", "documents"),
                  size_text(number(explanation, "documentBytesLoaded")),
                  count_text(number(explanation, "indexEntriesRead"), "index entry", "index entries"),
                  count_text(number(explanation, "partitions"), "partition", "partitions"));
  if (const double values = number(explanation, "keyValues"); values > 0) {
    out += fmt::format("  the filter leaves {}\n", count_text(values, "partition key value", "partition key values"));
  }
  const Value has_more = explanation.find("hasMore");
  out += fmt::format("Gave\n  {}{}\n", count_text(number(explanation, "rows"), "row", "rows"),
                     has_more.is_bool() && has_more.boolean() ? " on the first page; there is more" : "");
  out += fmt::format("Took\n  {} ({} of it for reading), {} to compile\n", duration_text(number(explanation, "runMicroseconds")),
                     duration_text(number(explanation, "readMicroseconds")),
                     duration_text(number(explanation, "compileMicroseconds")));
}

void add_charge(std::string& out, const Value& explanation) {
  const Value parts = explanation.find("requestUnitsFor");
  out += fmt::format("Cost\n  {:.2f} RU: {:.2f} page + {:.2f} documents + {:.2f} index entries + {:.2f} result\n",
                     number(explanation, "requestUnits"), number(parts, "page"), number(parts, "documents"),
                     number(parts, "indexEntries"), number(parts, "result"));
}

// A kind of index: how explanations call it, how people do, and where it stands in an indexing policy.
struct IndexKind {
  std::string_view member;
  std::string_view adjective;
  std::string_view policy_member;
};
constexpr std::array<IndexKind, 5> kIndexKinds = {{{"index", "", "includedPaths"},
                                                   {"compositeIndex", "composite ", "compositeIndexes"},
                                                   {"spatialIndex", "spatial ", "spatialIndexes"},
                                                   {"fullTextIndex", "full-text ", "fullTextIndexes"},
                                                   {"vectorIndex", "vector ", "vectorIndexes"}}};

const IndexKind& kind_of(const Value& index) {
  for (const IndexKind& kind : kIndexKinds) {
    if (index.find(kind.member).is_string()) return kind;
  }
  return kIndexKinds.front();
}

void write_text(StoredWriter& out, std::string_view name, std::string_view value) {
  out.key(name);
  out.string(value);
}

// "/a ASC, /b DESC" as the policy has it.
void write_composite(StoredWriter& out, std::string_view paths) {
  out.begin_array();
  while (!paths.empty()) {
    const size_t ascending = paths.find(" ASC");
    const size_t descending = paths.find(" DESC");
    const size_t end = std::min(ascending, descending);
    if (end == std::string_view::npos) break;
    out.begin_object();
    write_text(out, "path", paths.substr(0, end));
    write_text(out, "order", ascending < descending ? "ascending" : "descending");
    out.end_object();
    const size_t next = paths.find("/", end);
    paths = next == std::string_view::npos ? std::string_view() : paths.substr(next);
  }
  out.end_array();
}

// What to add to the policy: {"includedPaths":[{"path":"/a/?"}]}.
std::string policy_text(const IndexKind& kind, std::string_view index) {
  StoredWriter out;
  out.begin_object();
  out.key(kind.policy_member);
  out.begin_array();
  if (kind.member == "compositeIndex") {
    write_composite(out, index);
  } else {
    out.begin_object();
    write_text(out, "path", index);
    if (kind.member == "vectorIndex") write_text(out, "type", "quantizedFlat");
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return to_json(out.view());
}

void add_indexes(std::string& out, const Value& indexes, bool shows_policy) {
  if (!indexes.is_array() || indexes.size() == 0) out += "  none\n";
  for (size_t i = 0; indexes.is_array() && i < indexes.size(); ++i) {
    const Value index = indexes.element(i);
    const IndexKind& kind = kind_of(index);
    const std::string_view name = text(index.find(kind.member));
    const std::string_view purpose = text(index.find("for"));
    out += fmt::format("  {}{}{}{}\n", kind.adjective, name, purpose.empty() ? "" : " for ", purpose);
    if (shows_policy) out += fmt::format("    add to the indexing policy: {}\n", policy_text(kind, name));
  }
}

}  // namespace

Result<std::string> render_explanation(std::string_view explanation_json) {
  TRY_ASSIGN(const std::string stored, stored_from_json(explanation_json));
  const Value explanation = Value::view(stored);
  if (!explanation.find("plan").is_array()) return fail(ErrorCode::kInvalidInput, "the answer is no explanation of a query");
  std::string out;
  add_refusal(out, explanation);
  add_lines(out, "Plan", explanation.find("plan"));
  add_lines(out, "Documents come from", explanation.find("access"));
  add_work(out, explanation);
  add_charge(out, explanation);
  out += "Indexes used\n";
  add_indexes(out, explanation.find("indexesUsed"), false);
  if (const Value growing = explanation.find("indexesGrowing"); growing.is_array() && growing.size() > 0) {
    out += "Indexes that will help when they are built\n";
    add_indexes(out, growing, false);
  }
  out += "Indexes that would help\n";
  add_indexes(out, explanation.find("indexesMissing"), true);
  return out;
}

}  // namespace partita::tools
