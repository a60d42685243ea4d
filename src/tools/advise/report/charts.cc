#include "tools/advise/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace partita::tools::advise {
namespace {

constexpr double kWidth = 360;
constexpr double kHeight = 110;
constexpr size_t kColumnsMax = 90;
constexpr size_t kRowsMax = 40;

std::string begin_svg(double height, std::string_view label) {
  return fmt::format(R"(<svg viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}"><title>{}</title>)", kWidth, height,
                     escaped(label), escaped(label));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char character : text) {
    switch (character) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += character;
    }
  }
  return out;
}

std::string partition_chart(std::span<const double> shares, std::string_view label) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  const double most = shares.empty() ? 0 : std::ranges::max(shares);
  if (sum <= 0) return {};
  const double mean = sum / static_cast<double>(shares.size());
  const double top = std::max(most, 2 * mean);
  const double step = kWidth / static_cast<double>(shares.size());
  std::string out = begin_svg(kHeight, label);
  for (size_t i = 0; i < shares.size(); ++i) {
    const double height = (kHeight - 4) * shares[i] / top;
    out += fmt::format(
        R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>partition {}: {:.2f} times the mean</title></rect>)",
        shares[i] > 1.5 * mean ? "hot" : "bar", step * static_cast<double>(i) + step * 0.08, kHeight - height, step * 0.84,
        height, i, shares[i] / mean);
  }
  const double line = kHeight - (kHeight - 4) * mean / top;
  out += fmt::format(R"(<line class="mean" x1="0" y1="{0:.1f}" x2="{1:.0f}" y2="{0:.1f}"/></svg>)", line, kWidth);
  return out;
}

std::string heat_map(std::span<const uint32_t> counts, size_t partitions, std::string_view label) {
  const size_t windows = partitions == 0 ? 0 : counts.size() / partitions;
  if (windows < 2) return {};
  const size_t columns = std::min(windows, kColumnsMax);
  const size_t rows = std::min(partitions, kRowsMax);
  std::vector<double> cells(columns * rows);
  std::vector<double> sums(columns);
  for (size_t window = 0; window < windows; ++window) {
    const size_t column = window * columns / windows;
    for (size_t partition = 0; partition < partitions; ++partition) {
      const double count = counts[window * partitions + partition];
      cells[column * rows + partition * rows / partitions] += count;
      sums[column] += count;
    }
  }
  const double width = kWidth / static_cast<double>(columns);
  const double height = kHeight / static_cast<double>(rows);
  std::string out = begin_svg(kHeight, label);
  for (size_t column = 0; column < columns; ++column) {
    for (size_t row = 0; row < rows; ++row) {
      if (sums[column] == 0) continue;
      const double share = cells[column * rows + row] / sums[column];
      if (share < 0.005) continue;
      out += fmt::format(R"(<rect class="heat" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill-opacity="{:.2f}"/>)",
                         width * static_cast<double>(column), height * static_cast<double>(row), width + 0.3, height * 0.92,
                         std::min(1.0, 0.08 + share));
    }
  }
  return out + "</svg>";
}

std::string share_bar(double share, std::string_view kind) {
  return fmt::format(R"(<span class="track"><span class="{}" style="width:{:.1f}%"></span></span>)", kind,
                     100 * std::clamp(share, 0.0, 1.0));
}

}  // namespace partita::tools::advise
