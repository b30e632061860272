#include "pipeline/pages/schedule_page.hpp"

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/graphs/task_groups.hpp"
#include "core/pictures/decisions_view.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/schedule_view.hpp"
#include "logp/stream_figures.hpp"
#include "pipeline/pages/graph_page.hpp"

namespace takt::pipeline {

namespace {

using PageJson = nlohmann::ordered_json;

/// Ticks are nanoseconds: large values have units.
std::string ticks_text(const Period& period, std::string_view unit) {
  return unit == "ns" ? time_text(period.ticks()) : to_decimal(period);
}
std::string rate_text(double frames_per_tick, std::string_view unit) {
  return unit == "ns" ? frequency_text(1e9 * frames_per_tick) : number_text(frames_per_tick) + " a tick";
}

std::vector<PageFact> facts_of(const logp::ScheduleFile& file, std::string_view unit) {
  const ScheduleMetrics metrics = measure(file.schedule);
  const std::string processors =
      fmt::format("{} of {}", metrics.processors_used, file.schedule.processors.size());
  std::vector<PageFact> facts{{"scheduler", file.schedule.scheduler, ""},
                              {"tasks", fmt::format("{}", file.graph.task_count()), ""},
                              {"processors", processors, "that are used"},
                              {"messages", fmt::format("{}", file.schedule.messages.size()), ""}};
  if (const std::vector<logp::StreamFigures> streams = logp::stream_figures(file); !streams.empty()) {
    // Each stream has figures of its own.
    facts.push_back({"streams", fmt::format("{}", streams.size()), ""});
    facts.push_back({"cycle", ticks_text({metrics.repetition, 1}, unit), "period of all streams together"});
    return facts;
  }
  facts.push_back({"period", ticks_text(metrics.exact_period(), unit), "between successive frames"});
  facts.push_back({"frequency", rate_text(metrics.frequency(), unit), "frames in that time"});
  facts.push_back(
      {"latency", ticks_text({metrics.latency, 1}, unit), "from a frame's first operation to its last one"});
  facts.push_back(
      {"makespan", ticks_text({metrics.makespan, 1}, unit), "from the first operation to the last one"});
  facts.push_back({"frames in a repetition", fmt::format("{}", file.schedule.replicas), ""});
  return facts;
}

/// One row per schedule, for a comparison of schedules shown above each other.
View figures_view(std::span<const NamedScheduleFile> files, std::string_view unit) {
  const bool is_ns = unit == "ns";
  const int time = static_cast<int>(is_ns ? ColumnKind::ns : ColumnKind::number),
            rate = static_cast<int>(is_ns ? ColumnKind::hz : ColumnKind::number);
  PageJson view{{"kind", "table"},
                {"name", "Figures"},
                {"says", is_ns ? "One row per schedule."
                               : "One row per schedule; times in ticks, frequencies in frames per tick."},
                {"columns",
                 {"schedule", "scheduler", "period", "frequency", "latency", "makespan", "processors used",
                  "messages", "frames in a repetition"}},
                {"numbers", {0, 0, time, rate, time, time, 1, 1, 1}},
                {"rows", PageJson::array()}};
  for (const NamedScheduleFile& each : files) {
    const ScheduleMetrics metrics = measure(each.file.schedule);
    // Each of several streams has its own.
    const bool has_streams = !logp::stream_figures(each.file).empty();
    const auto own = [&](std::string text) { return has_streams ? "-" : std::move(text); };
    view["rows"].push_back(
        {each.name, each.file.schedule.scheduler, own(to_decimal(metrics.exact_period())),
         own(fmt::format("{:.9g}", (is_ns ? 1e9 : 1.0) * metrics.frequency())),
         own(fmt::format("{}", metrics.latency.count())), fmt::format("{}", metrics.makespan.count()),
         fmt::format("{}", metrics.processors_used), fmt::format("{}", each.file.schedule.messages.size()),
         fmt::format("{}", each.file.schedule.replicas)});
  }
  return view.dump(-1, ' ', false, PageJson::error_handler_t::replace);
}

/// One row per stream: its requirement, and its actual figures.
View streams_view(const std::vector<logp::StreamFigures>& streams, std::string_view unit) {
  const bool is_ns = unit == "ns";
  const int time = static_cast<int>(is_ns ? ColumnKind::ns : ColumnKind::number),
            rate = static_cast<int>(is_ns ? ColumnKind::hz : ColumnKind::number);
  PageJson view{
      {"kind", "table"},
      {"name", "Streams"},
      {"says", fmt::format("Required and reserved rate of each{}; latency: from a frame's first operation "
                           "to its last; slack: free share of the busiest of its processors.",
                           is_ns ? "" : ", in frames per tick")},
      {"columns",
       {"stream", "verdict", "required", "reserved", "period", "latency", "frames a cycle", "processors",
        "slack %"}},
      {"numbers", {0, 0, rate, rate, time, time, 1, 0, 1}},
      {"rows", PageJson::array()}};
  const double second = is_ns ? 1e9 : 1;
  for (const logp::StreamFigures& each : streams) {
    std::vector<std::size_t> processors;
    for (const ProcessorId processor : each.processors) processors.push_back(processor.index());
    view["rows"].push_back({each.name,
                            !each.required ? "-"
                            : each.holds() ? "holds"
                                           : "does not hold",
                            each.required ? fmt::format("{:.9g}", second / each.required->period) : "-",
                            fmt::format("{:.9g}", second / each.period.ticks()), to_decimal(each.period),
                            fmt::format("{}", each.latency.count()), fmt::format("{}", each.frames),
                            ranges_text(processors), fmt::format("{:.1f}", 100 * each.slack)});
  }
  return view.dump(-1, ' ', false, PageJson::error_handler_t::replace);
}

}  // namespace

Page schedule_page(std::span<const NamedScheduleFile> files) {
  std::vector<ScheduleToView> schedules;
  for (const NamedScheduleFile& each : files)
    schedules.push_back({files.size() == 1 ? each.file.schedule.scheduler : each.name, &each.file.schedule,
                         &each.file.graph, &each.file.machine.platform().network});
  const std::string_view unit = time_unit(schedules);
  Page page;
  page.title = files.size() == 1 ? files.front().name : fmt::format("{} schedules", files.size());
  page.says = "A schedule is one iteration of an endless timetable.";
  if (unit != "ns") page.says += " Times are in ticks (nanoseconds).";
  if (files.size() == 1) {
    const logp::ScheduleFile& file = files.front().file;
    page.facts = facts_of(file, unit);
    if (const std::vector<logp::StreamFigures> streams = logp::stream_figures(file); !streams.empty())
      page.views.push_back(streams_view(streams, unit));
    page.views.push_back(gantt_view(schedules, unit));
    if (file.decisions.empty())
      page.says += " A file of takt plan --trace also shows the placement of the tasks, step by step.";
    else
      page.views.push_back(decisions_view(file.decisions, file.graph, unit));
    const TaskProcessors processors = processors_of(file.schedule, file.graph);
    page.views.push_back(graph_view(file.graph, processors, unit));
    const Network& network = file.machine.platform().network;
    if (!network.empty()) page.views.push_back(network_view(network, link_loads(file.schedule, network)));
    if (file.graph.task_count() <= most_interactions)
      page.views.push_back(interaction_view(file.graph, processors, unit));
    if (runs_in_groups(file.graph, file.schedule))
      page.views.push_back(partition_view(schedules.front(), unit));
  } else {
    page.views.push_back(figures_view(files, unit));
    page.views.push_back(gantt_view(schedules, unit));
  }
  page.views.push_back(occupancy_view(schedules, unit));
  return page;
}

}  // namespace takt::pipeline
