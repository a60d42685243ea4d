#include "base/encodings.h"
#include "document/json/json.h"
#include "gateway/query/query_advice.h"
#include "protocols/cosmos/handlers/queries/query_in_flight.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::cosmos {
namespace {

// All headers of an answer together must fit into what HTTP clients take, 16 KB for Node.js.
constexpr size_t kIndexMetricsBytesMax = 8192;
constexpr size_t kFilterTextBytesMax = 256;

double milliseconds(int64_t microseconds) { return static_cast<double>(microseconds) / 1000; }

// Functions are not timed one by one: their time is part of the execution's. So is the choice of an access path of getting
// documents.
std::string metrics_text(const QueryInFlight& flight, const QueryPage& page) {
  const double ratio = page.documents_read == 0
                           ? 1.0
                           : std::min(1.0, static_cast<double>(page.rows.size()) / static_cast<double>(page.documents_read));
  return fmt::format(
      "totalExecutionTimeInMs={:.2f};queryCompileTimeInMs={:.2f};queryLogicalPlanBuildTimeInMs=0.00;"
      "queryPhysicalPlanBuildTimeInMs=0.00;queryOptimizationTimeInMs=0.00;VMExecutionTimeInMs={:.2f};indexLookupTimeInMs=0.00;"
      "documentLoadTimeInMs={:.2f};systemFunctionExecuteTimeInMs=0.00;userFunctionExecuteTimeInMs=0.00;"
      "retrievedDocumentCount={};retrievedDocumentSize={};outputDocumentCount={};outputDocumentSize={};"
      "writeOutputTimeInMs={:.2f};indexUtilizationRatio={:.2f}",
      milliseconds(flight.clock->steady_us() - flight.started_us), milliseconds(flight.compile_us),
      milliseconds(page.run_us - page.read_us), milliseconds(page.read_us), page.documents_read, page.document_bytes_read,
      page.rows.size(), flight.output_bytes, milliseconds(flight.write_us), ratio);
}

void write_specs(StoredWriter& out, const query::PlanPredicates::Composite& composite) {
  out.key("IndexSpecs");
  out.begin_array();
  for (const std::string& spec : composite) out.string(spec);
  out.end_array();
}

// Where a long text can be cut: not within a character.
size_t cut_at(std::string_view utf8) {
  size_t end = std::min(utf8.size(), kFilterTextBytesMax);
  while (end < utf8.size() && end > 0 && (static_cast<unsigned char>(utf8[end]) & 0xC0) == 0x80) --end;
  return end;
}

void write_singles(StoredWriter& out, const std::vector<query::PlanPredicates::Single>& singles, bool is_detailed) {
  out.begin_array();
  for (const query::PlanPredicates::Single& single : singles) {
    out.begin_object();
    if (is_detailed) {
      out.key("FilterExpression");
      out.string(std::string_view(single.text).substr(0, cut_at(single.text)));
    }
    out.key("IndexSpec");
    out.string(query::index_text(single.path));
    if (is_detailed) {
      out.key("FilterPreciseSet");
      out.boolean(single.is_exact);
      out.key("IndexPreciseSet");
      out.boolean(single.is_exact);
      out.key("IndexImpactScore");
      out.string("High");
    }
    out.end_object();
  }
  out.end_array();
}

void write_composites(StoredWriter& out, const std::vector<query::PlanPredicates::Composite>& composites, bool is_detailed) {
  out.begin_array();
  for (const query::PlanPredicates::Composite& composite : composites) {
    out.begin_object();
    write_specs(out, composite);
    if (is_detailed) {
      out.key("IndexPreciseSet");
      out.boolean(true);
      out.key("IndexImpactScore");
      out.string("High");
    }
    out.end_object();
  }
  out.end_array();
}

std::string index_metrics(const QueryAdvice& advice) {
  StoredWriter out;
  out.begin_object();
  out.key("UtilizedSingleIndexes");
  write_singles(out, advice.used.singles, true);
  out.key("PotentialSingleIndexes");
  write_singles(out, advice.missing.singles, true);
  out.key("UtilizedCompositeIndexes");
  write_composites(out, advice.used.composites, true);
  out.key("PotentialCompositeIndexes");
  write_composites(out, advice.missing.composites, true);
  out.end_object();
  return to_json(out.view());
}

std::string index_metrics_v2(const QueryAdvice& advice) {
  StoredWriter out;
  out.begin_object();
  for (const auto& [name, predicates] : {std::pair("Utilized", &advice.used), std::pair("Potential", &advice.missing)}) {
    out.key(name);
    out.begin_object();
    out.key("SingleIndexes");
    write_singles(out, predicates->singles, false);
    out.key("CompositeIndexes");
    write_composites(out, predicates->composites, false);
    out.end_object();
  }
  out.end_object();
  return to_json(out.view());
}

// The encoded text of as much advice as there is room for.
template <typename Encode>
std::string fitting(QueryAdvice advice, Encode encode) {
  std::string text = encode(advice);
  while (text.size() > kIndexMetricsBytesMax) {
    for (query::PlanPredicates* predicates : {&advice.used, &advice.missing}) {
      predicates->singles.resize(predicates->singles.size() / 2);
      predicates->composites.resize(predicates->composites.size() / 2);
    }
    text = encode(advice);
  }
  return text;
}

std::string query_advice(const std::vector<std::string_view>& rules) {
  StoredWriter out;
  out.begin_array();
  for (const std::string_view rule : rules) {
    out.begin_object();
    out.key("Id");
    out.string(rule);
    out.key("Params");
    out.begin_array();
    out.end_array();
    out.end_object();
  }
  out.end_array();
  return to_json(out.view());
}

}  // namespace

void set_query_metrics(const QueryInFlight& flight, Exchange& exchange, const QueryPage& page) {
  if (exchange.is_header_true(header::kPopulateQueryMetrics)) {
    exchange.response().header(header::kQueryMetrics, metrics_text(flight, page));
  }
  if (exchange.is_header_true(header::kPopulateQueryAdvice)) {
    const std::vector<std::string_view> rules = query::advice_on(flight.query->specification);
    if (!rules.empty()) exchange.response().header(header::kQueryAdvice, percent_encode(query_advice(rules)));
  }
  const bool wants_first = exchange.is_header_true(header::kPopulateIndexMetrics);
  if (!wants_first && !exchange.is_header_true(header::kPopulateIndexMetricsV2)) return;
  const auto encode = [&](const QueryAdvice& advice) {
    return wants_first ? base64(index_metrics(advice)) : percent_encode(index_metrics_v2(advice));
  };
  QueryAdvice advice = advice_on(flight.query->plan, page, *flight.container, flight.request.key);
  exchange.response().header(header::kIndexUtilization, fitting(std::move(advice), encode));
}

}  // namespace partita::cosmos
