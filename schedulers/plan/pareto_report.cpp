#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/pictures/text_table.hpp"
#include "schedulers/plan/pareto.hpp"

namespace takt::schedulers {

namespace {

constexpr double width = 760, height = 460, left = 80, right = 130, top = 30, bottom = 55;

/// A distance of 1, 2 or 5 times a power of ten that gives at most `most` marks.
double mark_distance(double span, int most) {
  const double least = span / most;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

double frequency(const ParetoPoint& point) {
  return point.period.time > Time{0} ? 1 / point.period.ticks() : 0;
}

/// From values to places in the picture; both axes begin at 0.
class Picture {
 public:
  explicit Picture(const std::vector<ParetoPoint>& front) {
    for (const ParetoPoint& point : front) {
      most_frequency_ = std::max(most_frequency_, frequency(point));
      most_latency_ = std::max(most_latency_, static_cast<double>(point.latency.count()));
    }
    most_frequency_ = most_frequency_ > 0 ? most_frequency_ * 1.05 : 1;
    most_latency_ = most_latency_ > 0 ? most_latency_ * 1.05 : 1;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        left + width + right, top + height + bottom);
    draw_axes();
  }

  /// Points of one number of processors, from the highest frequency down; colours from red to blue.
  void draw_stair(const std::vector<const ParetoPoint*>& points, std::size_t place, std::size_t places) {
    const double hue = places > 1 ? 240.0 * static_cast<double>(place) / static_cast<double>(places - 1) : 0;
    const std::string colour = fmt::format("hsl({:.0f},75%,42%)", hue);
    // What is reachable: this frequency or less, at this latency or more.
    std::string path = fmt::format("M{:.1f} {:.1f}", x(frequency(*points.front())), top);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double next = i + 1 < points.size() ? x(frequency(*points[i + 1])) : left;
      path += fmt::format("V{:.1f}H{:.1f}", y(*points[i]), next);
    }
    out_ +=
        fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-opacity=\"0.45\"/>\n", path, colour);
    for (const ParetoPoint* point : points)
      out_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{} processors, period {}, latency "
          "{} "
          "({}{})</title></circle>\n",
          x(frequency(*point)), y(*point), colour, point->processors, to_decimal(point->period),
          point->latency.count(), point->schedule.scheduler,
          point->schedule.replicas > 1 ? fmt::format(", {} replicas", point->schedule.replicas) : "");
    const double at = top + 14 + 18 * static_cast<double>(place);
    out_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{} "
        "processor{}</text>\n",
        left + width + 16, at - 4, colour, left + width + 26, at, points.front()->processors,
        points.front()->processors == 1 ? "" : "s");
  }

  [[nodiscard]] std::string take() && { return out_ + "</svg>\n"; }

 private:
  [[nodiscard]] double x(double value) const { return left + width * value / most_frequency_; }
  [[nodiscard]] double y(double value) const { return top + height * (1 - value / most_latency_); }
  [[nodiscard]] double y(const ParetoPoint& point) const {
    return y(static_cast<double>(point.latency.count()));
  }

  void draw_axes() {
    for (double mark = 0, distance = mark_distance(most_frequency_, 8); mark <= most_frequency_;
         mark += distance)
      out_ += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#e4e4e4\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
          "fill=\"#555\" text-anchor=\"middle\">{4:.4g}</text>\n",
          x(mark), top, top + height, top + height + 18, mark);
    for (double mark = 0, distance = mark_distance(most_latency_, 8); mark <= most_latency_; mark += distance)
      out_ += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" stroke=\"#e4e4e4\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
          "fill=\"#555\" text-anchor=\"end\">{5:.6g}</text>\n",
          left, y(mark), left + width, left - 8, y(mark) + 4, mark);
    out_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">frequency, frames a tick</text>\n"
        "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">latency, ticks</text>\n",
        left + width / 2, top + height + 42, top + height / 2);
  }

  double most_frequency_ = 0, most_latency_ = 0;
  std::string out_;
};

}  // namespace

std::string to_text(const std::vector<ParetoPoint>& front) {
  TextTable table({{"processors", true},
                   {"frequency", true},
                   {"period", true},
                   {"latency", true},
                   {"replicas", true},
                   {"scheduler"}});
  for (const ParetoPoint& point : front)
    table.add({fmt::format("{}", point.processors), fmt::format("{:.6g}", frequency(point)),
               to_decimal(point.period), fmt::format("{}", point.latency.count()),
               fmt::format("{}", point.schedule.replicas), point.schedule.scheduler});
  return table.to_text();
}

std::string to_json(const std::vector<ParetoPoint>& front) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ParetoPoint& point : front) {
    nlohmann::ordered_json& each = list.emplace_back();
    each["processors"] = point.processors;
    each["period"] = point.period.ticks();
    each["frequency"] = frequency(point);
    each["latency"] = point.latency.count();
    each["replicas"] = point.schedule.replicas;
    each["scheduler"] = point.schedule.scheduler;
  }
  return list.dump(2) + "\n";
}

std::string to_svg(const std::vector<ParetoPoint>& front) {
  std::map<std::size_t, std::vector<const ParetoPoint*>> stairs;
  for (const ParetoPoint& point : front) stairs[point.processors].push_back(&point);
  Picture picture(front);
  std::size_t place = 0;
  for (const auto& [processors, points] : stairs) picture.draw_stair(points, place++, stairs.size());
  return std::move(picture).take();
}

}  // namespace takt::schedulers
