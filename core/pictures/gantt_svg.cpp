#include "core/pictures/gantt_svg.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "core/pictures/palette.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

namespace {

constexpr double left_margin = 50, right_margin = 20, top_margin = 30;
constexpr double row_height = 34, bar_height = 22;
/// A chart gives operations so much on average, within these limits.
constexpr double width_of_operation = 30, least_width = 1100, most_width = 8000;
/// More lines than this are a carpet, not a picture.
constexpr std::size_t most_lines = 2000;

/// Of a task, or of a frame. Messages are grey, so that the series' black, which pales to grey, is left out.
std::string colour_of_work(std::size_t number) {
  constexpr std::size_t black = 6;
  const std::size_t series = number % (series_colours - 1);
  return colour_of(series < black ? series : series + 1);
}

std::string whole(double value) {
  return fmt::format("{:.0f}", value);
}

class Chart {
 public:
  Chart(const Schedule& schedule, const TaskGraph& graph)
      : schedule_(schedule),
        graph_(graph),
        metrics_(measure(schedule)),
        width_(wanted_width(schedule, metrics_)),
        origin_(first_start(schedule)),
        scale_(axis_, ticks(origin_), ticks(origin_ + std::max(metrics_.makespan, Time{1})),
               width_ / std::max(55.0, width_of(whole(ticks(origin_ + metrics_.makespan))) + 14),
               AxisEnd::at_value),
        picture_(left_margin + width_ + right_margin) {}

  std::string draw() && {
    const double bottom = top_margin + row_height * static_cast<double>(schedule_.processors.size());
    picture_.axis_above(scale_, left_margin, left_margin + width_, top_margin, bottom);
    for (std::size_t p = 0; p < schedule_.processors.size(); ++p) draw_row(p);
    draw_messages();
    return std::move(picture_).finished(bottom + 10);
  }

 private:
  static double ticks(Time time) { return static_cast<double>(time.count()); }

  static Time first_start(const Schedule& schedule) {
    Time first = Time::max();
    for (const std::vector<Operation>& operations : schedule.processors)
      if (!operations.empty()) first = std::min(first, operations.front().start);
    return first == Time::max() ? Time{0} : first;
  }

  static double wanted_width(const Schedule& schedule, const ScheduleMetrics& metrics) {
    double busy = 0, count = 0;
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations)
        if (operation.end > operation.start) {
          busy += ticks(operation.end - operation.start);
          ++count;
        }
    const double wanted = count > 0 ? width_of_operation * ticks(metrics.makespan) * count / busy : 0;
    return std::clamp(wanted, least_width, most_width);
  }

  [[nodiscard]] double x(Time time) const { return left_margin + width_ * scale_.at(ticks(time)); }
  [[nodiscard]] static double y(std::size_t processor) {
    return top_margin + row_height * static_cast<double>(processor);
  }

  void draw_row(std::size_t p) {
    picture_.text(left_margin - Picture::gap, y(p) + bar_height / 2 + 4, "end", fmt::format("P{}", p));
    const std::vector<Operation>& operations = schedule_.processors[p];
    if (operations.empty()) return;
    const Occupancy& occupancy = metrics_.occupancy[p];
    picture_.box(x(occupancy.start), y(p), x(occupancy.end) - x(occupancy.start), bar_height, "grid",
                 " fill-opacity=\"0.5\"");
    double drawn_until = 0;
    for (const Operation& operation : operations) {
      constexpr double least_visible = 1;
      if (x(operation.end) < drawn_until) continue;
      const double width = std::max(least_visible, x(operation.end) - x(operation.start));
      drawn_until = x(operation.start) + width;
      draw_operation(p, operation, width);
    }
  }

  void draw_operation(std::size_t p, const Operation& operation, double width) {
    std::string title, label, colour = "muted", letters = "card";
    std::string_view opacity;
    if (operation.kind == OperationKind::compute) {
      label = graph_.task(operation.task()).name;
      title = "task " + label;
      // Tasks are told apart by colour, or, with several frames in a repetition, frames.
      if (schedule_.replicas > 1) label = fmt::format("{}.{}", operation.instance, label);
      colour = colour_of_work(schedule_.replicas > 1 ? operation.instance : operation.subject);
      letters = "ink";
      opacity = " fill-opacity=\"0.45\"";
    } else {
      const bool is_send = operation.kind == OperationKind::send;
      const Message& message = schedule_.message(operation.message());
      label = fmt::format("{}{}", is_send ? '>' : '<', is_send ? message.to.index() : message.from.index());
      title = fmt::format("{} of message {} ({} -> {}, {} bytes)", is_send ? "send" : "receive",
                          operation.subject, message.from.index(), message.to.index(), message.size.count);
      if (!is_send) opacity = " fill-opacity=\"0.75\"";
    }
    if (schedule_.replicas > 1)
      title += fmt::format(", frame {} of every {}", operation.instance, schedule_.replicas);
    picture_.begin_group(fmt::format("{}: {}..{}", title, operation.start.count(), operation.end.count()));
    // A gap parts neighbours of one colour.
    picture_.box(x(operation.start), y(p), width > 3 ? width - 0.6 : width, bar_height, colour, opacity);
    if (width_of(label) + 2 <= width)
      picture_.text(x(operation.start) + width / 2, y(p) + bar_height / 2 + 4, "middle", label, letters,
                    " font-size=\"11\"");
    picture_.end_group();
  }

  void draw_messages() {
    std::unordered_map<std::uint64_t, Time> sent;
    auto key = [](const Operation& operation) {
      return std::uint64_t{operation.instance} << 32 | operation.subject;
    };
    std::size_t count = 0;
    for (const std::vector<Operation>& operations : schedule_.processors)
      for (const Operation& operation : operations)
        if (operation.kind == OperationKind::send) {
          sent.emplace(key(operation), operation.end);
          ++count;
        }
    if (count > most_lines) return;
    for (const std::vector<Operation>& operations : schedule_.processors)
      for (const Operation& operation : operations) {
        const auto found = sent.find(key(operation));
        if (operation.kind != OperationKind::receive || found == sent.end()) continue;
        const Message& message = schedule_.message(operation.message());
        const bool goes_down = message.from < message.to;
        picture_.line(x(found->second), y(message.from.index()) + (goes_down ? bar_height : 0),
                      x(operation.start), y(message.to.index()) + (goes_down ? 0 : bar_height), "ink",
                      " stroke-opacity=\"0.55\"");
      }
  }

  const Schedule& schedule_;
  const TaskGraph& graph_;
  ScheduleMetrics metrics_;
  double width_;
  Time origin_;
  ChartAxis axis_{.origin = ticks(origin_), .text = whole};
  AxisScale scale_;
  Picture picture_;
};

}  // namespace

std::string gantt_to_svg(const Schedule& schedule, const TaskGraph& graph) {
  return picture_file(Chart(schedule, graph).draw());
}

}  // namespace takt
