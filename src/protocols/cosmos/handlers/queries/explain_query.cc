#include "gateway/query/query_advice.h"
#include "protocols/cosmos/errors.h"
#include "protocols/cosmos/handlers/queries/query_in_flight.h"

#include <algorithm>

namespace partita::cosmos {
namespace {

// An object while it is written.
class Members {
 public:
  explicit Members(StoredWriter& out) : out_(out) { out_.begin_object(); }
  ~Members() { out_.end_object(); }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  void add(std::string_view name, std::string_view text) {
    out_.key(name);
    out_.string(text);
  }
  void add(std::string_view name, double number) {
    out_.key(name);
    out_.number(number);
  }
  void add(std::string_view name, bool is_true) {
    out_.key(name);
    out_.boolean(is_true);
  }
  // A text with several lines as an array of them.
  void add_lines(std::string_view name, std::string_view text) {
    out_.key(name);
    out_.begin_array();
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      out_.string(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    out_.end_array();
  }
  StoredWriter& member(std::string_view name) {
    out_.key(name);
    return out_;
  }

 private:
  StoredWriter& out_;
};

std::string_view name_of_index(const ValuePath& path) {
  switch (path.kind()) {
    case ValuePath::Step::Kind::kCells: return "spatialIndex";
    case ValuePath::Step::Kind::kWords: return "fullTextIndex";
    case ValuePath::Step::Kind::kVector: return "vectorIndex";
    default: return "index";
  }
}

void write_predicates(StoredWriter& out, const query::PlanPredicates& predicates) {
  out.begin_array();
  for (const query::PlanPredicates::Single& single : predicates.singles) {
    Members members(out);
    members.add(name_of_index(single.path), query::index_text(single.path));
    members.add("for", single.text);
  }
  for (const query::PlanPredicates::Composite& composite : predicates.composites) {
    std::string paths;
    for (const std::string& path : composite) paths += (paths.empty() ? "" : ", ") + path;
    Members members(out);
    members.add("compositeIndex", paths);
    members.add("for", std::string_view("ORDER BY"));
  }
  out.end_array();
}

void write_charge(StoredWriter& out, const PageCharge& charge, double evaluation) {
  Members members(out);
  members.add("page", rounded_charge(charge.page));
  members.add("documents", rounded_charge(charge.documents));
  members.add("indexEntries", rounded_charge(charge.index_entries));
  members.add("result", rounded_charge(charge.result));
  if (evaluation > 0) members.add("evaluation", rounded_charge(evaluation));
}

void write_refusal(Members& members, const QueryRefusal& refusal) {
  const WireError wire = wire_error(refusal.error);
  members.add("refusal", std::string_view(refusal.error.message));
  members.add("refusalStatus", static_cast<double>(wire.status));
  if (wire.sub_status != 0) members.add("refusalSubStatus", static_cast<double>(wire.sub_status));
  StoredWriter& out = members.member("refusalServedBy");
  out.begin_array();
  if (refusal.is_served_by_index) out.string("index");
  if (refusal.is_served_by_plan) out.string("plan");
  if (refusal.is_served_when_extended) out.string("extended");
  out.end_array();
}

size_t partitions_in(const Container& container, const EffectiveKeyRange& range) {
  return static_cast<size_t>(std::ranges::count_if(container.places, [&](const PartitionPlace& place) {
    return std::max(place.range().min, range.min) < std::min(place.range().max, range.max);
  }));
}

}  // namespace

void write_explanation(StoredWriter& out, const QueryInFlight& flight, const QueryPage& page) {
  const QueryAdvice advice = advice_on(flight.query->plan, page, *flight.container, flight.request.key);
  Members members(out);
  if (flight.refusal) write_refusal(members, *flight.refusal);
  members.add_lines("plan", to_text(flight.query->plan));
  members.add_lines("access", page.access);
  members.add("partitions", static_cast<double>(partitions_in(*flight.container, flight.request.range)));
  const size_t key_values = flight.request.key_ranges.size();
  if (key_values > 0) members.add("keyValues", static_cast<double>(key_values));
  members.add("indexEntriesRead", static_cast<double>(page.index_entries_read));
  members.add("documentsLoaded", static_cast<double>(page.documents_read));
  members.add("documentBytesLoaded", static_cast<double>(page.document_bytes_read));
  members.add("rows", static_cast<double>(page.rows.size()));
  members.add("hasMore", page.next.has_value());
  members.add("requestUnits", page.charge);
  write_charge(members.member("requestUnitsFor"), page_charge(page.work, flight.request.terms.reads), page.evaluation_charge);
  members.add("compileMicroseconds", static_cast<double>(flight.compile_us));
  members.add("readMicroseconds", static_cast<double>(page.read_us));
  members.add("runMicroseconds", static_cast<double>(page.run_us));
  write_predicates(members.member("indexesUsed"), advice.used);
  write_predicates(members.member("indexesGrowing"), advice.growing);
  write_predicates(members.member("indexesMissing"), advice.missing);
}

}  // namespace partita::cosmos
