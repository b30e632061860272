#include "core/pictures/charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "core/pictures/html.hpp"

namespace takt {

namespace {

constexpr double chart_width = 640, letter_width = 7, row_height = 21, gap = 8;

double width_of(std::string_view text) {
  const auto letters = std::count_if(text.begin(), text.end(),
                                     [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return letter_width * static_cast<double>(letters);
}

double real(std::size_t number) {
  return static_cast<double>(number);
}

std::string colour(std::size_t series) {
  constexpr std::size_t colours = 8;
  return fmt::format("var(--c{})", series % colours);
}

/// Where a value stands on an axis, and where its marks are.
class AxisScale {
 public:
  AxisScale(const ChartAxis& axis, double least, double most) : axis_(axis) {
    if (axis.scale == Scale::logarithmic) {
      constexpr double smallest = 1e-300;
      add_logarithmic_marks(std::max(least, smallest), std::max(most, smallest));
      return;
    }
    const double begin = std::min(axis.origin, least);
    const double span = most > begin ? most - begin : 1;
    const double power = std::pow(10, std::floor(std::log10(span / most_marks)));
    double step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0})
      if (span / (factor * power) <= most_marks) step = factor * power;
    low_ = std::floor(begin / step + 1e-9) * step;
    high_ = std::ceil((begin + span) / step - 1e-9) * step;
    for (double mark = low_; mark < high_ + step / 2; mark += step) marks_.push_back(mark);
  }

  /// From 0 to 1.
  [[nodiscard]] double at(double value) const {
    const double share = axis_.scale == Scale::logarithmic
                             ? std::log10(std::max(value, low_) / low_) / std::log10(high_ / low_)
                             : (value - low_) / (high_ - low_);
    return std::clamp(share, 0.0, 1.0);
  }
  [[nodiscard]] const std::vector<double>& marks() const { return marks_; }
  [[nodiscard]] std::string text(double value) const {
    return axis_.text != nullptr ? axis_.text(value)
                                 : fmt::format("{:.4g}", std::abs(value) < 1e-12 ? 0 : value);
  }

 private:
  static constexpr double most_marks = 8;

  /// Powers of ten, or 1, 2 and 5 times those where there are few.
  void add_logarithmic_marks(double least, double most) {
    const double decades = std::log10(most / least);
    const std::vector<double> factors = decades < 2.5 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
    const double step = std::pow(10, std::max(1.0, std::ceil(decades / most_marks)));
    const double slack = 1e-9;
    for (double power = std::pow(10, std::floor(std::log10(least) + slack));
         marks_.empty() || marks_.back() < most * (1 - slack); power *= step)
      for (const double factor : factors) {
        // Only the last mark below the least value is of use.
        if (!marks_.empty() && marks_.back() >= most * (1 - slack)) break;
        if (power * factor <= least * (1 + slack)) marks_.clear();
        marks_.push_back(power * factor);
      }
    if (marks_.size() == 1) marks_.push_back(10 * marks_.back());
    low_ = marks_.front();
    high_ = marks_.back();
  }

  const ChartAxis& axis_;
  double low_ = 0, high_ = 1;
  std::vector<double> marks_;
};

/// A picture that grows downwards.
class Picture {
 public:
  explicit Picture(double width) : width_(width) {}

  void text(double x, double y, std::string_view anchor, std::string_view text, std::string_view style = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                        style, escape_markup(text));
  }
  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    out_ += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", x1, y1, x2, y2, style);
  }
  void circle(double x, double y, double radius, const std::string& fill) {
    out_ +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"/>\n", x, y, radius, fill);
  }
  void box(double x, double y, double width, double height, std::string_view style) {
    out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", x, y,
                        width, height, style);
  }
  /// What follows, until the end of the group, says this when pointed at.
  void begin_group(std::string_view title) {
    out_ += fmt::format("<g><title>{}</title>\n", escape_markup(title));
  }
  void end_group() { out_ += "</g>\n"; }

  /// The colours' names in rows from the top; returns where they end. One name needs no legend.
  double legend(const ChartLegend& names, double top) {
    if (names.size() < 2) return top;
    double x = 4;
    top += gap;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double needed = width_of(names[i]) + 30;
      if (x > 4 && x + needed > width_) {
        x = 4;
        top += row_height;
      }
      circle(x + 5, top, 5, colour(i));
      text(x + 15, top + 4, "start", names[i]);
      x += needed;
    }
    return top + row_height;
  }

  /// Marks along the lower edge of a plot, grid lines up through it, and the title below; returns where that
  /// ends.
  double axis_below(const ChartAxis& axis, const AxisScale& scale, double left, double right, double top,
                    double bottom) {
    for (const double mark : scale.marks()) {
      const double x = left + scale.at(mark) * (right - left);
      line(x, top, x, bottom, "class=\"grid\"");
      text(x, bottom + 15, "middle", scale.text(mark), " class=\"muted\"");
    }
    text((left + right) / 2, bottom + 34, "middle", axis.title, " class=\"muted\"");
    return bottom + 44;
  }

  [[nodiscard]] std::string finished(double height) && {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" role=\"img\">\n{2}</svg>\n",
        width_, height, out_);
  }

 private:
  double width_;
  std::string out_;
};

template <class Items>
double widest_label(const Items& items) {
  double widest = 0;
  for (const auto& item : items) widest = std::max(widest, width_of(item.label));
  return widest;
}

}  // namespace

std::string to_svg(const DotChart& chart) {
  double least = std::numeric_limits<double>::max(), most = std::numeric_limits<double>::lowest(), widest = 0;
  for (const DotChart::Dot& dot : chart.dots) {
    least = std::min(least, dot.least);
    most = std::max(most, dot.most);
  }
  if (chart.dots.empty()) least = most = 1;
  const AxisScale scale(chart.axis, least, most);
  for (const DotChart::Dot& dot : chart.dots) widest = std::max(widest, width_of(scale.text(dot.value)));

  Picture picture(chart_width);
  const double left = widest_label(chart.dots) + 2 * gap, right = chart_width - widest - 2 * gap;
  const double top = picture.legend(chart.legend, gap);
  const double bottom = top + row_height * real(chart.dots.size());
  const double end = picture.axis_below(chart.axis, scale, left, right, top, bottom);
  const auto x = [&](double value) { return left + scale.at(value) * (right - left); };
  double y = top + row_height / 2;
  for (const DotChart::Dot& dot : chart.dots) {
    picture.begin_group(fmt::format("{}: mean {}, from {} to {}", dot.label, scale.text(dot.value),
                                    scale.text(dot.least), scale.text(dot.most)));
    picture.text(left - gap, y + 4, "end", dot.label);
    picture.line(
        x(dot.least), y, x(dot.most), y,
        fmt::format("stroke=\"{}\" stroke-width=\"3\" stroke-opacity=\"0.35\" stroke-linecap=\"round\"",
                    colour(dot.series)));
    picture.circle(x(dot.value), y, 5, colour(dot.series));
    picture.text(chart_width - gap, y + 4, "end", scale.text(dot.value), " class=\"muted\"");
    picture.end_group();
    y += row_height;
  }
  return std::move(picture).finished(end);
}

std::string to_svg(const BarChart& chart) {
  double most = 0;
  for (const BarChart::Group& group : chart.groups)
    for (const double value : group.values) most = std::max(most, value);
  const AxisScale scale(chart.axis, 0, most);

  Picture picture(chart_width);
  const double left = widest_label(chart.groups) + 2 * gap, right = chart_width - 5 * gap;
  const double top = picture.legend(chart.legend, gap);
  constexpr double bar = 9;
  const double group_height = std::max(row_height, bar * real(chart.legend.size()) + gap);
  const double bottom = top + group_height * real(chart.groups.size());
  const double end = picture.axis_below(chart.axis, scale, left, right, top, bottom);
  double y = top;
  for (const BarChart::Group& group : chart.groups) {
    picture.text(left - gap, y + group_height / 2 + 4, "end", group.label);
    double bar_top = y + (group_height - bar * real(group.values.size())) / 2;
    for (std::size_t i = 0; i < group.values.size(); ++i) {
      const double width = scale.at(group.values[i]) * (right - left);
      picture.begin_group(fmt::format("{}: {}{}", group.label, scale.text(group.values[i]),
                                      i < chart.legend.size() ? " (" + chart.legend[i] + ")" : ""));
      picture.box(left, bar_top, width, bar - 1, fmt::format("fill=\"{}\" rx=\"1.5\"", colour(i)));
      picture.text(left + width + 4, bar_top + bar - 1, "start", scale.text(group.values[i]),
                   " class=\"muted\" font-size=\"10\"");
      picture.end_group();
      bar_top += bar;
    }
    y += group_height;
  }
  picture.line(left, top, left, bottom, "class=\"axis\"");
  return std::move(picture).finished(end);
}

namespace {

struct Box {
  double left, top, right, bottom;
  [[nodiscard]] bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// Puts names beside points, each where it covers no point and no other name.
class Labels {
 public:
  void add_point(double x, double y) { taken_.push_back({x - 5, y - 5, x + 5, y + 5}); }

  /// Draws a name right or left of a point, above or below; or not at all.
  void place(Picture& picture, double x, double y, const std::string& name, double right) {
    const double width = width_of(name);
    struct Candidate {
      double left, baseline;
    };
    for (const auto& [left, baseline] : {Candidate{x + 9, y + 4}, Candidate{x - 9 - width, y + 4},
                                         Candidate{x - width / 2, y - 9}, Candidate{x - width / 2, y + 17}}) {
      const Box box{left, baseline - 10, left + width, baseline + 2};
      const bool is_free =
          std::none_of(taken_.begin(), taken_.end(), [&](const Box& other) { return box.overlaps(other); });
      if (!is_free || box.right > right || box.left < 0) continue;
      picture.text(left, baseline, "start", name);
      taken_.push_back(box);
      return;
    }
  }

 private:
  std::vector<Box> taken_;
};

}  // namespace

std::string to_svg(const ScatterChart& chart) {
  std::array<double, 2> least{}, most{};
  least.fill(std::numeric_limits<double>::max());
  most.fill(std::numeric_limits<double>::lowest());
  for (const ScatterChart::Point& point : chart.points) {
    least = {std::min(least[0], point.x), std::min(least[1], point.y)};
    most = {std::max(most[0], point.x), std::max(most[1], point.y)};
  }
  if (chart.points.empty()) least = most = {1, 1};
  const AxisScale across(chart.x, least[0], most[0]), up(chart.y, least[1], most[1]);

  Picture picture(chart_width);
  constexpr double plot_height = 380;
  double widest = 0;
  for (const double mark : up.marks()) widest = std::max(widest, width_of(up.text(mark)));
  const double left = widest + 4 * gap, right = chart_width - 3 * gap;
  const double top = picture.legend(chart.legend, gap) + gap, bottom = top + plot_height;
  const double end = picture.axis_below(chart.x, across, left, right, top, bottom);
  for (const double mark : up.marks()) {
    const double y = bottom - up.at(mark) * plot_height;
    picture.line(left, y, right, y, "class=\"grid\"");
    picture.text(left - gap, y + 4, "end", up.text(mark), " class=\"muted\"");
  }
  picture.text(
      0, 0, "middle", chart.y.title,
      fmt::format(" class=\"muted\" transform=\"translate(12 {:.0f}) rotate(-90)\"", (top + bottom) / 2));

  const auto x = [&](const ScatterChart::Point& point) { return left + across.at(point.x) * (right - left); };
  const auto y = [&](const ScatterChart::Point& point) { return bottom - up.at(point.y) * plot_height; };
  Labels labels;
  for (const ScatterChart::Point& point : chart.points) labels.add_point(x(point), y(point));
  for (const ScatterChart::Point& point : chart.points) {
    picture.begin_group(fmt::format("{}: {}, {}", point.label, across.text(point.x), up.text(point.y)));
    picture.circle(x(point), y(point), 5, colour(point.series));
    labels.place(picture, x(point), y(point), point.label, chart_width);
    picture.end_group();
  }
  return std::move(picture).finished(end);
}

std::string to_svg(const HeatMap& map) {
  constexpr double cell_height = 22, least_width = 26, slant = 0.7;
  double label = 0, heading = 0, cell_width = least_width;
  for (const std::string& row : map.rows) label = std::max(label, width_of(row));
  for (const std::string& column : map.columns) heading = std::max(heading, width_of(column));
  for (const auto& row : map.cells)
    for (const HeatMap::Cell& cell : row) cell_width = std::max(cell_width, width_of(cell.text) + gap);
  const double left = label + 2 * gap, top = slant * heading + 2 * gap;
  const double bottom = top + cell_height * real(map.rows.size());
  Picture picture(left + cell_width * real(map.columns.size()) + slant * heading + gap);

  for (std::size_t j = 0; j < map.columns.size(); ++j)
    picture.text(0, 0, "start", map.columns[j],
                 fmt::format(" transform=\"translate({:.1f} {:.1f}) rotate(-45)\"",
                             left + cell_width * (real(j) + 0.5) + 2, top - gap));
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const double y = top + cell_height * real(i);
    picture.text(left - gap, y + cell_height / 2 + 4, "end", map.rows[i]);
    for (std::size_t j = 0; j < map.cells[i].size(); ++j) {
      const HeatMap::Cell& cell = map.cells[i][j];
      const double x = left + cell_width * real(j);
      picture.begin_group(cell.title);
      picture.box(
          x + 1, y + 1, cell_width - 2, cell_height - 2,
          fmt::format("rx=\"2\" {}", !cell.strength ? std::string("fill=\"var(--line)\" fill-opacity=\"0.5\"")
                                     : cell.is_marked
                                         ? std::string("fill=\"var(--good)\" fill-opacity=\"0.3\"")
                                         : fmt::format("fill=\"var(--heat)\" fill-opacity=\"{:.2f}\"",
                                                       0.04 + 0.66 * std::clamp(*cell.strength, 0.0, 1.0))));
      picture.text(x + cell_width / 2, y + cell_height / 2 + 4, "middle", cell.text,
                   cell.is_marked ? " font-weight=\"600\" font-size=\"11\"" : " font-size=\"11\"");
      picture.end_group();
    }
  }
  return std::move(picture).finished(bottom + gap);
}

}  // namespace takt
