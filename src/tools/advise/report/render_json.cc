#include "document/json/json.h"
#include "document/stored/stored_writer.h"
#include "tools/advise/report/render_advice.h"

namespace partita::tools::advise {
namespace {

// Members: an object in the making.
class Members {
 public:
  explicit Members(StoredWriter& out) : out_(out) { out_.begin_object(); }
  ~Members() { out_.end_object(); }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  StoredWriter& at(std::string_view name) {
    out_.key(name);
    return out_;
  }
  void text(std::string_view name, std::string_view value) { at(name).string(value); }
  void number(std::string_view name, double value) { at(name).number(value); }
  void texts(std::string_view name, const std::vector<std::string>& values) {
    at(name).begin_array();
    for (const std::string& value : values) out_.string(value);
    out_.end_array();
  }

 private:
  StoredWriter& out_;
};

std::string_view name_of(Candidate::Kind kind) {
  switch (kind) {
    case Candidate::Kind::kPaths: return "paths";
    case Candidate::Kind::kConcatenation: return "concatenation";
    case Candidate::Kind::kRandomSuffix: return "randomSuffix";
    case Candidate::Kind::kHashSuffix: return "hashSuffix";
  }
  return {};
}

std::vector<std::string> texts_of(const std::vector<DocumentPath>& paths) {
  std::vector<std::string> texts;
  for (const DocumentPath& path : paths) texts.push_back(path.text());
  return texts;
}

void write_synthetic(Members& members, StoredWriter& out, const Candidate& candidate) {
  members.texts("sources", texts_of(candidate.sources));
  members.at("computedProperties").begin_array();
  {
    Members property(out);
    property.text("name", kSyntheticProperty);
    property.text("query", candidate.computed_query());
  }
  out.end_array();
}

void write_figures(Members& members, const Figures& figures) {
  members.number("documents", static_cast<double>(figures.documents));
  members.number("distinctValues", figures.distinct);
  members.number("documentsPerValue", figures.documents_per_value());
  members.number("undefinedShare", figures.undefined_share);
  {
    Members largest(members.at("largestValue"));
    largest.text("key", figures.largest_value);
    largest.number("share", figures.largest_share);
    largest.number("bytes", figures.largest_bytes);
    largest.number("projectedBytes", figures.largest_projected_bytes);
  }
  members.number("storageSkew", figures.skew.storage);
  members.number("settledSkew", figures.settled_skew);
  members.number("requestSkew", figures.skew.requests);
  members.number("requestSkewOverTime", figures.skew.over_time);
  members.at("isHotNow").boolean(figures.is_hot_now);
  members.at("isMonotonic").boolean(figures.is_monotonic);
  members.number("usableThroughput", figures.usable_throughput);
  if (figures.tenant_property.empty()) {
    members.at("tenantProperty").null();
  } else {
    members.text("tenantProperty", figures.tenant_property);
  }
  if (figures.routing) {
    Members queries(members.at("queries"));
    queries.number("inOnePartition", figures.routing->one_partition_share);
    queries.number("meanPartitions", figures.routing->mean_partitions);
    queries.number("baseRequestUnits", figures.routing->mean_base_units);
  } else {
    members.at("queries").null();
  }
  if (figures.transactions) {
    Members transactions(members.at("transactions"));
    transactions.number("seen", static_cast<double>(figures.transactions->seen));
    transactions.number("cut", static_cast<double>(figures.transactions->cut));
  } else {
    members.at("transactions").null();
  }
}

void write_candidate(StoredWriter& out, const RankedCandidate& ranked) {
  Members members(out);
  members.texts("paths", texts_of(ranked.candidate.definition().paths));
  members.text("kind", name_of(ranked.candidate.kind));
  members.text("name", ranked.candidate.name());
  if (ranked.candidate.is_synthetic()) write_synthetic(members, out, ranked.candidate);
  members.number("score", ranked.score);
  members.text("verdict", ranked.verdict);
  members.text("reason", ranked.reason);
  members.text("textbook", ranked.textbook);
  write_figures(members, ranked.figures);
  members.at("partitions").begin_array();
  for (const PartitionLoadSum& partition : ranked.partitions) {
    Members sums(out);
    sums.number("documents", static_cast<double>(partition.documents));
    sums.number("bytes", static_cast<double>(partition.bytes));
    sums.number("requestUnits", partition.units);
  }
  out.end_array();
}

void write_fields(Members& members, StoredWriter& out, const FieldAdvice& advice) {
  members.at("fields").begin_array();
  for (const FieldUse& field : advice.fields) {
    Members use(out);
    use.text("name", field.name);
    use.number("byteShare", field.byte_share);
    use.number("readShare", field.read_share);
  }
  out.end_array();
  members.at("fieldGroups").begin_array();
  for (const FieldGroup& group : advice.groups) {
    Members described(out);
    described.texts("fields", group.fields);
    described.number("byteShare", group.byte_share);
    described.number("readShare", group.read_share);
  }
  out.end_array();
  members.texts("coldFields", advice.cold);
}

}  // namespace

std::string render_json(const Advice& advice) {
  StoredWriter out;
  {
    Members members(out);
    members.at("candidates").begin_array();
    for (const RankedCandidate& candidate : advice.candidates) write_candidate(out, candidate);
    out.end_array();
    members.number("documents", static_cast<double>(advice.documents));
    members.number("bytes", static_cast<double>(advice.bytes));
    members.number("expectedBytes", advice.expected_bytes);
    members.number("throughput", advice.throughput);
    members.number("partitions", static_cast<double>(advice.partitions));
    if (advice.time_property.empty()) {
      members.at("timeProperty").null();
    } else {
      members.text("timeProperty", advice.time_property);
    }
    members.at("isTimeOfRequests").boolean(advice.is_time_of_requests);
    write_fields(members, out, advice.fields);
    members.texts("notes", advice.notes);
  }
  return to_json(out.view()) + "\n";
}

}  // namespace partita::tools::advise
