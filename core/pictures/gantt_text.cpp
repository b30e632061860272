#include "core/pictures/gantt_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "core/devices.hpp"
#include "core/pictures/folded_times.hpp"
#include "core/pictures/schedule_view.hpp"
#include "core/text/printable.hpp"

namespace takt {

namespace {

/// Conversion of times to columns.
struct TextScale {
  Time origin{0};
  double letters_per_tick = 1;

  [[nodiscard]] std::size_t letter(Time time) const {
    return static_cast<std::size_t>(
        std::llround(static_cast<double>((time - origin).count()) * letters_per_tick));
  }
};

TextScale scale_for(Time length, Time origin, std::size_t width) {
  const double ticks = static_cast<double>(std::max<Time::rep>(length.count(), 1));
  const double letters = static_cast<double>(width) / ticks;
  // A whole number of characters per tick, but few enough that a task of one tick does not become a bar.
  return {origin, letters >= 1 ? std::floor(std::min(letters, 4.0)) : letters};
}

/// With a number of its frame, a task's name follows that.
std::string symbols_of(const Operation& operation, const TaskGraph& graph, std::size_t width,
                       std::optional<std::int64_t> frame) {
  if (operation.kind == OperationKind::send) return std::string(width, '>');
  if (operation.kind == OperationKind::receive) return std::string(width, '<');
  if (width < 2) return std::string(width, '#');
  std::string inside = frame ? fmt::format("{}.", *frame) : "";
  inside += printable(graph.task(operation.task()).name);
  const std::size_t room = width - 2;
  // The end distinguishes names as often as the beginning.
  constexpr std::size_t least_for_end = 7;
  if (inside.size() > room && room >= least_for_end)
    inside = inside.substr(0, room - 1 - room / 2) + '~' + inside.substr(inside.size() - room / 2);
  inside.resize(room, '-');
  return "[" + inside + "]";
}

/// Labels the axis with times every few characters, as far as they fit.
std::string axis(const TextScale& scale, Time end, std::size_t room) {
  const std::size_t last = scale.letter(end);
  std::string line;
  constexpr std::size_t least_distance = 12;
  for (std::size_t at = 0; at <= last; at += least_distance) {
    const auto ticks = static_cast<Time::rep>(std::llround(static_cast<double>(at) / scale.letters_per_tick));
    // The mark is in the column of its own, rounded time.
    const std::size_t place = scale.letter(scale.origin + Time(ticks));
    if (place < line.size() + (line.empty() ? 0 : 1)) continue;
    const std::string mark = std::to_string((scale.origin + Time(ticks)).count());
    if (place > 0 && place + mark.size() > room) break;
    line.resize(place, ' ');
    line += mark;
  }
  return line;
}

struct TextRow {
  std::string name;
  const std::vector<Operation>* operations;
  /// Of a schedule that is not pipelined: from the first operation to the last one.
  Time start{0}, end{0};
};

/// Returns the rows with operations: processors, then devices.
std::vector<TextRow> rows_of(const Schedule& schedule, const ScheduleMetrics& metrics,
                             const std::vector<std::vector<std::vector<Operation>>>& of_devices) {
  std::vector<TextRow> rows;
  for (std::size_t p = 0; p < schedule.processors.size(); ++p)
    if (!schedule.processors[p].empty())
      rows.push_back({fmt::format("{}", p), &schedule.processors[p], metrics.occupancy[p].start,
                      metrics.occupancy[p].end});
  for (std::size_t d = 0; d < of_devices.size(); ++d)
    for (std::size_t i = 0; i < of_devices[d].size(); ++i) {
      const std::vector<Operation>& operations = of_devices[d][i];
      rows.push_back({printable(row_name(schedule.devices[d], i, of_devices[d].size())), &operations,
                      operations.front().start, operations.back().end});
    }
  return rows;
}

}  // namespace

std::string draw_gantt(const Schedule& schedule, const TaskGraph& graph, std::size_t width) {
  const ScheduleMetrics metrics = measure(schedule);
  if (metrics.processors_used == 0) return {};
  std::vector<std::vector<std::vector<Operation>>> of_devices;
  for (const Device& device : schedule.devices) of_devices.push_back(rows_of(device));
  const std::vector<TextRow> rows = rows_of(schedule, metrics, of_devices);
  // Of a pipelined schedule one iteration is drawn, otherwise all operations.
  Time origin = Time::max(), end = Time::min();
  std::size_t label = fmt::formatted_size("{}", schedule.processors.size() - 1);
  for (const TextRow& row : rows) {
    origin = std::min(origin, row.start);
    end = std::max(end, row.end);
    label = std::max(label, row.name.size());
  }
  if (schedule.repetition) origin = Time{0};
  const Time length = schedule.repetition.value_or(end - origin);
  const bool has_frames = schedule.replicas > 1 || schedule.repetition;
  // After the label and a line; an operation at the very end may take one more character.
  const std::size_t room = std::max(width, label + 4) - label - 2;
  const TextScale scale = scale_for(length, origin, room - 1);

  std::string text;
  for (const auto& [name, operations, row_start, row_end] : rows) {
    std::string line(scale.letter(origin + length) + 1, ' ');
    const std::size_t first = schedule.repetition ? 0 : scale.letter(row_start),
                      last = scale.letter(schedule.repetition ? length : row_end);
    std::fill(line.begin() + static_cast<std::ptrdiff_t>(first),
              line.begin() + static_cast<std::ptrdiff_t>(last), '.');
    for (const Operation& operation : *operations) {
      if (operation.end <= operation.start) continue;
      for (const FoldedTime& part : folded_times(operation.start, operation.end, operation.instance,
                                                 schedule.replicas, schedule.repetition)) {
        const std::size_t begin = scale.letter(part.start);
        const std::size_t width_of_part = std::max<std::size_t>(1, scale.letter(part.end) - begin);
        const std::string letters = symbols_of(operation, graph, width_of_part,
                                               has_frames ? std::optional(part.frame) : std::nullopt);
        line.replace(begin, std::min(width_of_part, line.size() - begin),
                     letters.substr(0, line.size() - begin));
      }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += fmt::format("{:>{}} |{}\n", name, label, line);
  }
  text += fmt::format("{:>{}}  {}\n", "", label, axis(scale, origin + length, room));
  const std::string idle = idle_processors(schedule);
  return text + fmt::format("{:>{}}  {}  > send  < receive  . blank{}\n", "", label,
                            schedule.replicas > 1
                                ? fmt::format("[k.task] of every frame k + i * {}", schedule.replicas)
                            : schedule.repetition ? "[k.task] of frame k + i in iteration i"
                                                  : "[task]",
                            idle.empty() ? "" : "; idle: " + idle);
}

}  // namespace takt
