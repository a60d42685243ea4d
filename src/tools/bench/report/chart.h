#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Pictures as inline SVG, drawn with the classes of the page that they stand in (report_html.cc).
namespace partita::tools::bench {

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by x
};

struct Axis {
  std::function<std::string(double)> text;
  bool is_logarithmic = false;
  std::vector<std::pair<double, std::string>> marks = {};  // in place of round numbers
};

// Lines over one x axis, the first series in the first colour. Empty without points.
std::string line_chart(const std::vector<Series>& series, const Axis& x, const Axis& y);

struct Bar {
  std::string name;
  double value = 0;
  double marked = 0;  // of the value, in another colour
  std::string text;
};
std::string bar_chart(const std::vector<Bar>& bars);

// For text and attributes of HTML and SVG.
std::string escape_html(std::string_view text);

}  // namespace partita::tools::bench
