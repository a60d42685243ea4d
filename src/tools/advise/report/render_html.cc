#include "tools/advise/report/charts.h"
#include "tools/advise/report/render_advice.h"
#include "tools/advise/score/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace partita::tools::advise {
namespace {

constexpr size_t kListed = 10;  // the others are folded away
constexpr size_t kPictured = 2;
constexpr size_t kFieldsShown = 12;

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ground:#fbfaf8;--card:#fff;--ink:#1d232b;--soft:#5d6773;--line:#dfe3e8;--bar:#3b76c4;--hot:#d1452f;--good:#2c8a57;--fair:#b7791f}
@media(prefers-color-scheme:dark){:root{--ground:#14181d;--card:#1b2128;--ink:#e6e9ed;--soft:#98a3af;--line:#2d353f;--bar:#5f9be6;--hot:#ef6a54;--good:#4fb883;--fair:#d9a343}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:28px 20px 60px;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:34px 0 10px}h3{font-size:16px;margin:0}
p{margin:4px 0}.soft{color:var(--soft)}code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{font-weight:600;font-size:13px;color:var(--soft);text-align:right;padding:4px 8px;border-bottom:1px solid var(--line)}
td{padding:5px 8px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left}td:first-child{white-space:normal;min-width:200px}
.track{display:inline-block;width:92px;height:9px;border-radius:5px;background:var(--line);overflow:hidden;vertical-align:middle;margin-right:8px}
.track span{display:block;height:100%;background:var(--bar)}.track .good,.track .recommended{background:var(--good)}.track .possible{background:var(--fair)}.track .avoid{background:var(--hot)}
.tag{font-size:12px;padding:1px 8px;border-radius:9px;border:1px solid currentColor}.tag.recommended,.tag.good{color:var(--good)}.tag.possible{color:var(--fair)}.tag.avoid{color:var(--hot)}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;margin:12px 0}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));gap:18px;margin-top:10px}
figure{margin:0}figcaption{font-size:13px;color:var(--soft);margin-bottom:4px}
svg{width:100%;height:auto;display:block}.bar{fill:var(--bar)}.hot{fill:var(--hot)}.heat{fill:var(--hot)}.mean{stroke:var(--soft);stroke-dasharray:4 3}
.score{display:inline-block;min-width:26px}summary{cursor:pointer;color:var(--soft);margin:8px 0}
.num{color:var(--hot);font-weight:600}
)css";

std::string warned(double skew) { return fmt::format(R"(<span class="{}">{:.2f}</span>)", skew > 2 ? "num" : "", skew); }

std::string ranked_row(const RankedCandidate& ranked) {
  const Figures& figures = ranked.figures;
  return fmt::format(
      "<tr><td><code>{}</code></td><td>{}<span class=\"score\">{:.0f}</span></td><td>{:.0f}</td><td>{:.1f} "
      "%</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
      "</tr>\n",
      escaped(ranked.candidate.name()), share_bar(ranked.score / 100, ranked.verdict), ranked.score, figures.distinct,
      100 * figures.largest_share, warned(figures.skew.storage), warned(figures.skew.requests), warned(figures.skew.over_time),
      figures.routing ? fmt::format("{:.0f} %", 100 * figures.routing->one_partition_share) : "–");
}

std::string table_of(std::span<const RankedCandidate> candidates) {
  std::string out =
      "<div class=\"scroll\"><table><tr><th>partition key</th><th>score</th><th>values</th><th>largest</th><th>storage</th>"
      "<th>requests</th><th>at one time</th><th>one partition</th></tr>\n";
  for (const RankedCandidate& ranked : candidates) out += ranked_row(ranked);
  return out + "</table></div>\n";
}

std::string figure(std::string_view caption, const std::string& picture) {
  if (picture.empty()) return {};
  return fmt::format("<figure><figcaption>{}</figcaption>{}</figure>", caption, picture);
}

std::string details_of(const RankedCandidate& ranked) {
  const Figures& figures = ranked.figures;
  std::string out = fmt::format(
      "<p>Largest value <code>{}</code>: {} now, {} with all that is expected. {:.1f} documents per value. Usable: "
      "{:.0f} RU/s.</p>\n",
      escaped(figures.largest_value), bytes_text(figures.largest_bytes), bytes_text(figures.largest_projected_bytes),
      figures.documents_per_value(), figures.usable_throughput);
  if (figures.routing) {
    out += fmt::format("<p>A query asks {:.1f} partitions on average: {:.1f} RU before it reads anything.</p>\n",
                       figures.routing->mean_partitions, figures.routing->mean_base_units);
  }
  if (figures.transactions)
    out += fmt::format("<p>It would cut {} of {} transactions.</p>\n", figures.transactions->cut, figures.transactions->seen);
  if (ranked.candidate.is_synthetic())
    out += fmt::format("<p>Computed property <code>{}</code>: <code>{}</code></p>\n", kSyntheticProperty,
                       escaped(ranked.candidate.computed_query()));
  return out;
}

std::string card_of(const RankedCandidate& ranked) {
  std::vector<double> bytes;
  for (const PartitionLoadSum& partition : ranked.partitions) bytes.push_back(static_cast<double>(partition.bytes));
  std::string out = fmt::format("<section class=\"card\"><h3><code>{}</code> <span class=\"tag {}\">{}</span></h3>\n",
                                escaped(ranked.candidate.name()), ranked.verdict, ranked.verdict);
  if (!ranked.textbook.empty()) out += fmt::format("<p class=\"soft\">{}</p>\n", escaped(ranked.textbook));
  out += fmt::format("<p>{}.</p>\n{}<div class=\"pair\">{}{}</div></section>\n", escaped(ranked.reason), details_of(ranked),
                     figure("Bytes in each partition; the line is the mean", partition_chart(bytes, "bytes by partition")),
                     figure("What is written over time (left to right), by partition: dark is hot",
                            heat_map(ranked.window_counts, ranked.partitions.size(), "writes over time by partition")));
  return out;
}

std::string fields_of(const FieldAdvice& advice) {
  std::string out =
      "<h2>What is in the documents, and what queries read of it</h2>\n<div class=\"scroll\"><table><tr><th>member</th><th>of "
      "the bytes</th>"
      "<th>read by queries</th></tr>\n";
  for (size_t i = 0; i < std::min(kFieldsShown, advice.fields.size()); ++i) {
    const FieldUse& field = advice.fields[i];
    const bool is_cold = std::ranges::find(advice.cold, field.name) != advice.cold.end();
    out += fmt::format("<tr><td><code>{}</code>{}</td><td>{}{:.0f} %</td><td>{}{:.0f} %</td></tr>\n", escaped(field.name),
                       is_cold ? " <span class=\"tag avoid\">cold</span>" : "", share_bar(field.byte_share, "bar"),
                       100 * field.byte_share, share_bar(field.read_share, "good"), 100 * field.read_share);
  }
  out += "</table></div>\n";
  if (advice.groups.size() < 2) return out;
  out += "<p>Read together:</p><ul>\n";
  for (const FieldGroup& group : advice.groups) {
    out += fmt::format("<li><code>{}</code>: {:.0f} % of the queries, {:.0f} % of the bytes</li>\n",
                       escaped(fmt::format("{}", fmt::join(group.fields, ", "))), 100 * group.read_share, 100 * group.byte_share);
  }
  return out + "</ul>\n";
}

}  // namespace

std::string render_html(const Advice& advice, const std::string& title) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>Partition key "
      "for {0}</title>\n<style>{1}</style></head><body>\n<h1>Partition key for {0}</h1>\n<p class=\"soft\">{2} documents, {3}; "
      "planned for {4} and "
      "{5:.0f} RU/s: {6} partitions.{7}</p>\n",
      escaped(title), kStyle, advice.documents, bytes_text(static_cast<double>(advice.bytes)), bytes_text(advice.expected_bytes),
      advice.throughput, advice.partitions,
      advice.is_time_of_requests     ? " Time is that of the requests that the server noted."
      : advice.time_property.empty() ? ""
                                     : fmt::format(" Time is <code>{}</code>.", escaped(advice.time_property)));
  for (const std::string& note : advice.notes) out += fmt::format("<p>{}</p>\n", escaped(note));
  const auto listed = std::span(advice.candidates).first(std::min(kListed, advice.candidates.size()));
  out += "<h2>Candidates</h2>\n" + table_of(listed);
  if (listed.size() < advice.candidates.size()) {
    out += fmt::format("<details><summary>{} more</summary>{}</details>\n", advice.candidates.size() - listed.size(),
                       table_of(std::span(advice.candidates).subspan(listed.size())));
  }
  out +=
      "<p class=\"soft\">Storage, requests, at one time: what the fullest or busiest partition has over the mean. One partition: "
      "queries "
      "that need no other.</p>\n<h2>The best of them</h2>\n";
  for (size_t i = 0; i < std::min(kPictured, advice.candidates.size()); ++i) out += card_of(advice.candidates[i]);
  // What was hoped for, perhaps: the hottest one shows why it is not here.
  const auto hot = std::ranges::find_if(advice.candidates, [](const RankedCandidate& ranked) {
    return ranked.figures.is_hot_now && ranked.candidate.sources.size() == 1 && !ranked.candidate.is_synthetic();
  });
  if (hot != advice.candidates.end() && hot - advice.candidates.begin() >= static_cast<ptrdiff_t>(kPictured)) {
    out += "<h2>And one that is hot at any one time</h2>\n" + card_of(*hot);
  }
  return out + fields_of(advice.fields) + "</body></html>\n";
}

}  // namespace partita::tools::advise
