#include "tools/bench/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace partita::tools::bench {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 240;
constexpr double kLeft = 64;
constexpr double kRight = 16;
constexpr double kTop = 12;
constexpr double kBottom = 28;
constexpr int kMarksWanted = 5;
constexpr size_t kColours = 6;  // that the page has

// From data to the picture, along one axis.
class Scale {
 public:
  Scale(double least, double most, double from, double to, bool is_logarithmic)
      : least_(is_logarithmic ? std::log10(least) : least),
        most_(is_logarithmic ? std::log10(most) : most),
        from_(from),
        to_(to),
        is_logarithmic_(is_logarithmic) {
    if (most_ <= least_) most_ = least_ + 1;
  }

  double at(double value) const {
    const double place = is_logarithmic_ ? std::log10(std::max(value, 1e-9)) : value;
    return from_ + (place - least_) / (most_ - least_) * (to_ - from_);
  }

  // Values worth a line: powers of ten, or multiples of 1, 2 or 5 of one.
  std::vector<double> marks() const {
    std::vector<double> marks;
    if (is_logarithmic_) {
      for (int power = static_cast<int>(std::ceil(least_ - 1e-9)); power <= most_ + 1e-9; ++power)
        marks.push_back(std::pow(10, power));
      return marks;
    }
    const double rough = (most_ - least_) / kMarksWanted;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = power * 10;
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (power * factor >= rough) {
        step = power * factor;
        break;
      }
    }
    const double first = std::ceil(least_ / step) * step;
    for (int i = 0; i <= 2 * kMarksWanted && first + i * step <= most_ + step * 1e-9; ++i) marks.push_back(first + i * step);
    return marks;
  }

 private:
  double least_;
  double most_;
  double from_;
  double to_;
  bool is_logarithmic_;
};

struct Extent {
  double least = std::numeric_limits<double>::max();
  double most = std::numeric_limits<double>::lowest();

  void take(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

Scale y_scale(const Extent& y, bool is_logarithmic) {
  if (!is_logarithmic) return {0, y.most <= 0 ? 1 : y.most * 1.05, kHeight - kBottom, kTop, false};
  const double least = std::pow(10, std::floor(std::log10(std::max(y.least, 1e-3))));
  const double most = std::pow(10, std::ceil(std::log10(std::max(y.most, least * 10))));
  return {least, most, kHeight - kBottom, kTop, true};
}

std::string y_marks(const Scale& scale, const Axis& axis) {
  std::string out;
  for (const double mark : scale.marks()) {
    const double at = scale.at(mark);
    out += fmt::format(R"(<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>)", kLeft, kWidth - kRight, at, at);
    out += fmt::format(R"(<text x="{}" y="{:.1f}" text-anchor="end">{}</text>)", kLeft - 8, at + 4, escape_html(axis.text(mark)));
  }
  return out;
}

std::string x_marks(const Scale& scale, const Axis& axis) {
  std::vector<std::pair<double, std::string>> marks = axis.marks;
  if (marks.empty()) {
    for (const double mark : scale.marks()) marks.emplace_back(mark, axis.text(mark));
  }
  std::string out;
  for (const auto& [mark, text] : marks) {
    out +=
        fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", scale.at(mark), kHeight - 8, escape_html(text));
  }
  return out;
}

std::string legend(const std::vector<Series>& series) {
  if (series.size() < 2) return {};
  std::string out = R"(<div class="legend">)";
  for (size_t i = 0; i < series.size(); ++i) {
    out += fmt::format(R"(<span><i class="c{}"></i>{}</span>)", i % kColours, escape_html(series[i].name));
  }
  return out + "</div>";
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    switch (byte) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += byte;
    }
  }
  return out;
}

std::string line_chart(const std::vector<Series>& series, const Axis& x, const Axis& y) {
  Extent xs;
  Extent ys;
  for (const Series& each : series) {
    for (const auto& [at, value] : each.points) xs.take(at), ys.take(value);
  }
  if (xs.least > xs.most) return {};
  const Scale across(xs.least, xs.most, kLeft, kWidth - kRight, x.is_logarithmic);
  const Scale up = y_scale(ys, y.is_logarithmic);
  std::string out =
      fmt::format(R"(<svg viewBox="0 0 {} {}" role="img">{}{})", kWidth, kHeight, y_marks(up, y), x_marks(across, x));
  for (size_t i = 0; i < series.size(); ++i) {
    std::string points;
    for (const auto& [at, value] : series[i].points) points += fmt::format("{:.1f},{:.1f} ", across.at(at), up.at(value));
    out += fmt::format(R"(<polyline class="l{}" points="{}"><title>{}</title></polyline>)", i % kColours, points,
                       escape_html(series[i].name));
  }
  return out + "</svg>" + legend(series);
}

std::string bar_chart(const std::vector<Bar>& bars) {
  constexpr double kBarsWidth = 1000;  // they have a line of the page for themselves
  constexpr double kBarHeight = 22;
  constexpr double kNameWidth = 90;
  constexpr double kTextWidth = 210;
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.value);
  if (most <= 0) return {};
  std::string out =
      fmt::format(R"(<svg viewBox="0 0 {} {}" role="img">)", kBarsWidth, kBarHeight * static_cast<double>(bars.size()));
  double top = 0;
  for (const Bar& bar : bars) {
    const double width = (kBarsWidth - kNameWidth - kTextWidth) * bar.value / most;
    const double marked = (kBarsWidth - kNameWidth - kTextWidth) * std::min(bar.marked, bar.value) / most;
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="end">{}</text>)", kNameWidth - 8, top + 15, escape_html(bar.name));
    out += fmt::format(R"(<rect class="b0" x="{}" y="{}" width="{:.1f}" height="{}" rx="2"/>)", kNameWidth, top + 3, width,
                       kBarHeight - 6);
    if (marked > 0) {
      out += fmt::format(R"(<rect class="b1" x="{}" y="{}" width="{:.1f}" height="{}" rx="2"/>)", kNameWidth, top + 3, marked,
                         kBarHeight - 6);
    }
    out += fmt::format(R"(<text x="{:.1f}" y="{}">{}</text>)", kNameWidth + width + 8, top + 15, escape_html(bar.text));
    top += kBarHeight;
  }
  return out + "</svg>";
}

}  // namespace partita::tools::bench
