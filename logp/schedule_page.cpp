#include "logp/schedule_page.hpp"

#include <fmt/format.h>

#include "core/pictures/decisions_view.hpp"
#include "core/pictures/graph_svg.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/schedule_view.hpp"
#include "core/task_groups.hpp"

namespace takt::logp {

namespace {

/// Beyond that, forces give a ball of wool.
constexpr std::size_t most_interactions = 2000;

std::vector<PageFact> facts_of(const ScheduleFile& file) {
  const ScheduleMetrics metrics = measure(file.schedule);
  return {
      {"scheduler", file.schedule.scheduler, ""},
      {"tasks", fmt::format("{}", file.graph.task_count()), ""},
      {"processors", fmt::format("{} of {}", metrics.processors_used, file.schedule.processors.size()),
       "that do something"},
      {"messages", fmt::format("{}", file.schedule.messages.size()), ""},
      {"period", to_decimal(metrics.exact_period()), "between successive frames, in ticks (nanoseconds)"},
      {"frequency", fmt::format("{:.6g}", metrics.frequency()), "frames a tick"},
      {"latency", fmt::format("{}", metrics.latency.count()),
       "from a frame's first operation to its last one"},
      {"makespan", fmt::format("{}", metrics.makespan.count()), "from the first operation to the last one"},
      {"frames in a repetition", fmt::format("{}", file.schedule.replicas), ""}};
}

}  // namespace

Page schedule_page(std::span<const NamedScheduleFile> files) {
  std::vector<ScheduleToView> schedules;
  for (const NamedScheduleFile& each : files)
    schedules.push_back({files.size() == 1 ? each.file.schedule.scheduler : each.name, &each.file.schedule,
                         &each.file.graph, &each.file.machine.platform().network});
  Page page;
  page.title = files.size() == 1 ? files.front().name : fmt::format("{} schedules", files.size());
  page.says = "A schedule is one repetition of an endless timetable. Times are in ticks (nanoseconds).";
  page.views.push_back(gantt_view(schedules));
  if (files.size() == 1) {
    const ScheduleFile& file = files.front().file;
    page.facts = facts_of(file);
    if (file.decisions.empty())
      page.says += " A file of takt plan --trace also shows how the tasks were placed, step by step.";
    else
      page.views.push_back(decisions_view(file.decisions, file.graph));
    const std::vector<ProcessorId> processors = processors_of(file.schedule, file.graph);
    page.views.push_back(graph_view(file.graph, processors));
    const Network& network = file.machine.platform().network;
    if (!network.empty()) page.views.push_back(network_view(network, link_loads(file.schedule, network)));
    if (file.graph.task_count() <= most_interactions)
      page.views.push_back(interaction_view(file.graph, processors));
    if (runs_in_groups(file.graph, file.schedule)) page.views.push_back(partition_view(schedules.front()));
  }
  page.views.push_back(occupancy_view(schedules));
  return page;
}

}  // namespace takt::logp
