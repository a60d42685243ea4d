#include "tools/advise/report/render_advice.h"
#include "tools/advise/score/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace partita::tools::advise {
namespace {

constexpr size_t kColumns = 80;
constexpr size_t kShown = 12;
constexpr size_t kExplained = 4;
constexpr size_t kNameColumns = 34;
constexpr size_t kBarColumns = 10;
constexpr size_t kValueColumns = 60;
constexpr size_t kFieldsShown = 6;

// Full and partial blocks, an eighth of a column at a time.
std::string bar(double share, size_t columns) {
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(columns) * 8));
  std::string out;
  for (size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += kEighths[eighths % 8];
  const size_t used = eighths / 8 + (eighths % 8 == 0 ? 0 : 1);
  return out + std::string(columns - used, ' ');
}

// Of text that may have more than one byte per character: cut at a whole one.
std::string shortened(const std::string& text, size_t columns, size_t& width) {
  width = 0;
  size_t cut = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins && ++width == columns) cut = at;
  }
  return width > columns ? text.substr(0, cut) + "…" : text;
}

std::string fitted(const std::string& text, size_t columns) {
  size_t width = 0;
  const std::string short_text = shortened(text, columns, width);
  return short_text + std::string(columns - std::min(columns, width), ' ');
}

std::string count_text(double count) {
  if (count < 100'000) return fmt::format("{:.0f}", count);
  return count < 1e7 ? fmt::format("{:.0f}k", count / 1e3) : fmt::format("{:.0f}M", count / 1e6);
}

// In lines of at most kColumns, each begun with these blanks.
std::string wrapped(std::string_view text, size_t indentation) {
  std::string out;
  std::string line(indentation, ' ');
  bool is_empty = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!is_empty && line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line.assign(indentation, ' ');
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  return out + line + "\n";
}

std::string row_of(size_t rank, const RankedCandidate& ranked) {
  const Figures& figures = ranked.figures;
  std::string queries = figures.routing ? fmt::format("{:.0f}%", 100 * figures.routing->one_partition_share) : "-";
  return fmt::format("{:>2} {} {} {:>3.0f} {:>6} {:>4.0f}% {:>4.1f} {:>4.1f} {:>4}\n", rank,
                     fitted(ranked.candidate.name(), kNameColumns), bar(ranked.score / 100, kBarColumns), ranked.score,
                     count_text(figures.distinct), 100 * figures.largest_share, figures.skew.storage,
                     std::max(figures.skew.requests, figures.skew.over_time), queries);
}

std::string explanation_of(size_t rank, const RankedCandidate& ranked) {
  std::string out = wrapped(fmt::format("{}. {}: {}{}", rank, ranked.candidate.name(), ranked.verdict,
                                        ranked.textbook.empty() ? "" : fmt::format(" ({})", ranked.textbook)),
                            0);
  out += wrapped(ranked.reason + ".", 3);
  if (ranked.candidate.is_synthetic())
    out += wrapped(fmt::format("/{} = {}", kSyntheticProperty, ranked.candidate.computed_query()), 3);
  const Figures& figures = ranked.figures;
  size_t width = 0;
  out += wrapped(fmt::format("The largest value is {}: {} now, {} with all that is expected.",
                             shortened(figures.largest_value, kValueColumns, width), bytes_text(figures.largest_bytes),
                             bytes_text(figures.largest_projected_bytes)),
                 3);
  if (figures.routing) {
    out += wrapped(fmt::format("A query asks {:.1f} partitions, which costs {:.1f} RU before it reads anything.",
                               figures.routing->mean_partitions, figures.routing->mean_base_units),
                   3);
  }
  return out;
}

std::string fields_of(const FieldAdvice& advice) {
  if (advice.groups.empty()) return {};
  std::string out = "\nWhat queries read of the documents       bytes                  queries\n";
  for (size_t i = 0; i < std::min(kFieldsShown, advice.fields.size()); ++i) {
    const FieldUse& field = advice.fields[i];
    out += fmt::format("   {} {} {:>4.0f}%       {} {:>4.0f}%\n", fitted(field.name, kNameColumns),
                       bar(field.byte_share, kBarColumns), 100 * field.byte_share, bar(field.read_share, kBarColumns),
                       100 * field.read_share);
  }
  if (advice.groups.size() < 2) return out;
  out += "Read together:\n";
  for (const FieldGroup& group : advice.groups) {
    out += wrapped(fmt::format("{} ({:.0f} % of queries, {:.0f} % of bytes)", fmt::join(group.fields, ", "),
                               100 * group.read_share, 100 * group.byte_share),
                   3);
  }
  return out;
}

}  // namespace

std::string render_table(const Advice& advice) {
  const std::string time = advice.is_time_of_requests     ? " Time is that of the requests that the server noted."
                           : advice.time_property.empty() ? ""
                                                          : fmt::format(" Time is {}.", advice.time_property);
  std::string out = wrapped(fmt::format("{} documents, {}; planned for {} and {:.0f} RU/s: {} partitions.{}", advice.documents,
                                        bytes_text(static_cast<double>(advice.bytes)), bytes_text(advice.expected_bytes),
                                        advice.throughput, advice.partitions, time),
                            0);
  if (!advice.candidates.empty()) {
    out += fmt::format("\n{:>2} {:<34} {:<14} {:>6} {:>5} {:>4} {:>4} {:>4}\n", "", "partition key", "score", "values", "large",
                       "stor", "req", "1par");
  }
  for (size_t i = 0; i < std::min(kShown, advice.candidates.size()); ++i) out += row_of(i + 1, advice.candidates[i]);
  if (advice.candidates.size() > kShown)
    out += fmt::format("   and {} more (--json has all of them)\n", advice.candidates.size() - kShown);
  if (!advice.candidates.empty()) {
    out += wrapped(
        "values: different ones; large: the largest's share of all bytes; stor, req: what the fullest and the busiest partition "
        "have over the mean; 1par: queries that stay in one partition.",
        3);
    out += "\n";
  }
  for (size_t i = 0; i < std::min(kExplained, advice.candidates.size()); ++i) out += explanation_of(i + 1, advice.candidates[i]);
  // What many try first, and why not.
  const auto hot = std::ranges::find_if(advice.candidates, [](const RankedCandidate& ranked) {
    return ranked.figures.has_date && ranked.candidate.sources.size() == 1 && !ranked.candidate.is_synthetic();
  });
  const auto place = static_cast<size_t>(hot - advice.candidates.begin()) + 1;
  if (hot != advice.candidates.end() && place > kExplained) out += explanation_of(place, *hot);
  out += fields_of(advice.fields);
  if (!advice.notes.empty()) out += "\n";
  for (const std::string& note : advice.notes) out += wrapped(note, 0);
  return out;
}

}  // namespace partita::tools::advise
