#include "core/pictures/gantt_svg.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "core/pictures/html.hpp"

namespace takt {

namespace {

constexpr double left_margin = 50, right_margin = 20, top_margin = 30;
constexpr double row_height = 34, bar_height = 22, letter_width = 6.6;
/// A chart gives operations so much on average, within these limits.
constexpr double width_of_operation = 30, least_width = 1100, most_width = 8000;
/// More lines than this are a carpet, not a picture.
constexpr std::size_t most_lines = 2000;

/// A distance of 1, 2 or 5 times a power of ten that gives at most `most` marks.
Time::rep mark_distance(Time span, Time::rep most) {
  for (Time::rep power = 1;; power *= 10)
    for (Time::rep factor : {1, 2, 5})
      if (span.count() / (factor * power) <= most) return factor * power;
}

class Chart {
 public:
  Chart(const Schedule& schedule, const TaskGraph& graph) : schedule_(schedule), graph_(graph) {
    const ScheduleMetrics metrics = measure(schedule);
    origin_ = Time::max();
    for (const std::vector<Operation>& operations : schedule.processors)
      if (!operations.empty()) origin_ = std::min(origin_, operations.front().start);
    if (origin_ == Time::max()) origin_ = Time{0};
    span_ = std::max(metrics.makespan, Time{1});
    metrics_ = metrics;
    double busy = 0, count = 0;
    for (const std::vector<Operation>& operations : schedule.processors)
      for (const Operation& operation : operations)
        if (operation.end > operation.start) {
          busy += static_cast<double>((operation.end - operation.start).count());
          ++count;
        }
    const double wanted =
        count > 0 ? width_of_operation * static_cast<double>(span_.count()) * count / busy : 0;
    width_ = std::clamp(wanted, least_width, most_width);
  }

  std::string draw() {
    const double height = top_margin + row_height * static_cast<double>(schedule_.processors.size()) + 10;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        left_margin + width_ + right_margin, height);
    draw_axis(height);
    for (std::size_t p = 0; p < schedule_.processors.size(); ++p) draw_row(p);
    draw_messages();
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double x(Time time) const {
    return left_margin +
           width_ * static_cast<double>((time - origin_).count()) / static_cast<double>(span_.count());
  }
  [[nodiscard]] static double y(std::size_t processor) {
    return top_margin + row_height * static_cast<double>(processor);
  }

  void draw_axis(double height) {
    const auto letters = static_cast<double>(std::to_string((origin_ + span_).count()).size());
    const double between_marks = std::max(55.0, letter_width * (letters + 2));
    const Time::rep distance = mark_distance(span_, static_cast<Time::rep>(width_ / between_marks));
    const Time::rep first = origin_.count() + ((-origin_.count() % distance) + distance) % distance;
    for (Time mark(first); mark <= origin_ + span_; mark += Time(distance))
      out_ += fmt::format(
          "<path d=\"M{0:.1f} {1:.0f}V{2:.0f}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"{3:.0f}\" "
          "fill=\"#666\" "
          "text-anchor=\"middle\">{4}</text>\n",
          x(mark), top_margin - 6, height - 8, top_margin - 11, mark.count());
  }

  void draw_row(std::size_t p) {
    out_ += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">P{}</text>\n", left_margin - 8,
                        y(p) + bar_height / 2 + 4, p);
    const std::vector<Operation>& operations = schedule_.processors[p];
    if (operations.empty()) return;
    const Occupancy& occupancy = metrics_.occupancy[p];
    out_ +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" fill=\"#f2f2f2\"/>\n",
                    x(occupancy.start), y(p), x(occupancy.end) - x(occupancy.start), bar_height);
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
    std::string title, label, fill, text_colour = "black";
    if (operation.kind == OperationKind::compute) {
      label = graph_.task(operation.task()).name;
      title = "task " + label;
      // Tasks are told apart by colour, or, with several frames in a repetition, frames.
      const std::uint32_t hue = schedule_.replicas > 1 ? operation.instance : operation.subject;
      if (schedule_.replicas > 1) label = fmt::format("{}.{}", operation.instance, label);
      // Successive hues a golden angle apart are never alike.
      fill = fmt::format("hsl({:.0f},60%,75%)", std::fmod(137.508 * static_cast<double>(hue), 360));
    } else {
      const bool is_send = operation.kind == OperationKind::send;
      const Message& message = schedule_.message(operation.message());
      label = fmt::format("{}{}", is_send ? '>' : '<', is_send ? message.to.index() : message.from.index());
      title = fmt::format("{} of message {} ({} -> {}, {} bytes)", is_send ? "send" : "receive",
                          operation.subject, message.from.index(), message.to.index(), message.size.count);
      fill = is_send ? "#555" : "#888";
      text_colour = "white";
    }
    if (schedule_.replicas > 1)
      title += fmt::format(", frame {} of every {}", operation.instance, schedule_.replicas);
    out_ += fmt::format(
        "<g><title>{}: {}..{}</title><rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\" "
        "fill=\"{}\"{}/>",
        escape_markup(title), operation.start.count(), operation.end.count(), x(operation.start), y(p), width,
        bar_height, fill, width > 3 ? " stroke=\"white\" stroke-width=\"0.5\"" : "");
    if (static_cast<double>(label.size()) * letter_width + 2 <= width)
      out_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
                          x(operation.start) + width / 2, y(p) + bar_height / 2 + 4, text_colour,
                          escape_markup(label));
    out_ += "</g>\n";
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
        out_ +=
            fmt::format("<path d=\"M{:.2f} {:.1f}L{:.2f} {:.1f}\" stroke=\"#336\" stroke-opacity=\"0.6\"/>\n",
                        x(found->second), y(message.from.index()) + (goes_down ? bar_height : 0),
                        x(operation.start), y(message.to.index()) + (goes_down ? 0 : bar_height));
      }
  }

  const Schedule& schedule_;
  const TaskGraph& graph_;
  ScheduleMetrics metrics_;
  double width_ = least_width;
  Time origin_{0};
  Time span_{1};
  std::string out_;
};

double percent(Time part, Time whole) {
  return whole > Time{0} ? 100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count())
                         : 0.0;
}

}  // namespace

std::string gantt_to_svg(const Schedule& schedule, const TaskGraph& graph) {
  return Chart(schedule, graph).draw();
}

std::string gantt_to_html(const Schedule& schedule, const TaskGraph& graph) {
  const ScheduleMetrics metrics = measure(schedule);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}: schedule</title>\n"
      "<style>body{{font-family:sans-serif;margin:2em}} table{{border-collapse:collapse}} "
      "td,th{{padding:2px 12px;text-align:right;border-bottom:1px solid #ddd}} "
      ".chart{{overflow-x:auto}} "
      "g:hover rect{{stroke:black;stroke-width:1}}</style></head>\n"
      "<body><h1>{0}</h1>\n<p>{1} tasks on {2} of {3} processors, {4} messages{8}. Period {5}, frequency "
      "{6:.6g}, "
      "makespan {7} ticks.</p>\n",
      escape_markup(schedule.scheduler), graph.task_count(), metrics.processors_used,
      schedule.processors.size(), schedule.messages.size(), to_decimal(metrics.exact_period()),
      metrics.frequency(), metrics.makespan.count(),
      schedule.replicas > 1
          ? fmt::format(", {} frames in a repetition, each in a colour of its own", schedule.replicas)
          : "");
  page += "<div class=\"chart\">" + gantt_to_svg(schedule, graph) + "</div>\n";
  page +=
      "<h2>Occupancy</h2>\n<table><tr><th>processor</th><th>start</th><th>end</th><th>occupied</"
      "th><th>compute %</th>"
      "<th>overhead %</th><th>blank %</th></tr>\n";
  for (std::size_t p = 0; p < metrics.occupancy.size(); ++p) {
    const Occupancy& occupancy = metrics.occupancy[p];
    page += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1f}</td><td>{:.1f}</td><td>{:.1f}</td></"
        "tr>\n",
        p, occupancy.start.count(), occupancy.end.count(), occupancy.occupied().count(),
        percent(occupancy.compute, occupancy.occupied()), percent(occupancy.overhead, occupancy.occupied()),
        percent(occupancy.blank(), occupancy.occupied()));
  }
  return page + "</table></body></html>\n";
}

}  // namespace takt
