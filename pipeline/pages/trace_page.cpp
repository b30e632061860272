#include "pipeline/pages/trace_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/graphs/levels.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/schedule_view.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/report/plan_graph.hpp"

namespace takt::pipeline {

namespace {

using Columns = nlohmann::ordered_json;

/// Numbers the kinds of boxes as core/pictures/web/src/data.ts does: compute, send, receive, transfer, wait.
int box_kind(TraceKind kind) {
  switch (kind) {
    case TraceKind::task:
      return 0;
    case TraceKind::send:
    case TraceKind::copy:
      return 1;
    case TraceKind::receive:
      return 2;
    case TraceKind::starved:
    case TraceKind::blocked:
      break;
  }
  return 4;
}

/// Times of tasks for the recorded frames.
struct MeasuredTimes {
  explicit MeasuredTimes(const RunTrace& trace) : times(trace.plan.stages.size()) {
    for (const RankTrace& rank : trace.ranks)
      for (const TraceEvent& event : rank.events)
        if (event.kind == TraceKind::task) times[event.subject].push_back(event.end_ns - event.start_ns);
    for (std::vector<std::int64_t>& each : times) std::ranges::sort(each);
  }
  [[nodiscard]] double mean(std::size_t stage) const {
    double sum = 0;
    for (const std::int64_t each : times[stage]) sum += static_cast<double>(each);
    return times[stage].empty() ? 0 : sum / static_cast<double>(times[stage].size());
  }
  std::vector<std::vector<std::int64_t>> times;
};

Columns gantt_columns(const RunTrace& trace, const TaskGraph& graph) {
  Columns view{{"kind", "gantt"},
               {"name", "Ranks"},
               {"says", ""},
               {"unit", "ns"},
               {"groups", {{"name", {"measured"}}, {"repetition", {0}}, {"replicas", {1}}}},
               {"streams", {""}}};
  const auto empty = [&](const char* of, std::initializer_list<const char*> names) {
    for (const char* const column : names) view[of][column] = Columns::array();
  };
  empty("rows", {"name", "group", "boxes"});
  empty("tasks", {"name", "layer", "stream"});
  empty("box", {"gap", "len", "kind", "subject", "instance"});
  empty("messages", {"send", "receive", "bytes", "name", "id"});
  const std::vector<std::size_t> layers = layers_of(graph);
  for (std::size_t stage = 0; stage < trace.plan.stages.size(); ++stage) {
    view["tasks"]["name"].push_back(trace.plan.stages[stage].name);
    view["tasks"]["layer"].push_back(layers[stage]);
    view["tasks"]["stream"].push_back(0);
  }
  std::vector<std::size_t> first_box;
  std::size_t boxes = 0;
  const std::int64_t begin = trace.begin_ns();
  for (const RankTrace& rank : trace.ranks) {
    first_box.push_back(boxes);
    boxes += rank.events.size();
    view["rows"]["name"].push_back(fmt::format("rank {}", rank.rank));
    view["rows"]["group"].push_back(0);
    view["rows"]["boxes"].push_back(rank.events.size());
    std::int64_t last = begin;
    Columns& box = view["box"];
    for (const TraceEvent& event : rank.events) {
      box["gap"].push_back(event.start_ns - last);
      box["len"].push_back(event.end_ns - event.start_ns);
      box["kind"].push_back(box_kind(event.kind));
      box["subject"].push_back(event.subject);
      box["instance"].push_back(event.frame);
      last = event.end_ns;
    }
  }
  std::size_t id = 0;
  for (const TracedMessage& message : messages_of(trace)) {
    view["messages"]["send"].push_back(first_box[message.from_rank] + message.send);
    view["messages"]["receive"].push_back(first_box[message.to_rank] + message.receive);
    view["messages"]["bytes"].push_back(0);
    view["messages"]["name"].push_back(fmt::format("rank {} to rank {}", trace.ranks[message.from_rank].rank,
                                                   trace.ranks[message.to_rank].rank));
    view["messages"]["id"].push_back(id++);
  }
  return view;
}

Columns planned_and_measured(const RunTrace& trace, const MeasuredTimes& measured) {
  Columns view{
      {"kind", "table"},
      {"name", "Planned and measured"},
      {"says", "Time of each task per frame, over the recorded frames."},
      {"columns", {"task", "type", "ranks", "frames", "planned", "mean", "median", "99 %", "mean / planned"}},
      {"numbers", {0, 0, 0, 1, 2, 2, 2, 2, 1}},
      {"rows", Columns::array()}};
  for (std::size_t stage = 0; stage < trace.plan.stages.size(); ++stage) {
    const PlannedStage& planned = trace.plan.stages[stage];
    const std::vector<std::int64_t>& times = measured.times[stage];
    const auto quantile = [&](std::size_t percent) {
      return times.empty() ? 0.0 : static_cast<double>(times[(times.size() - 1) * percent / 100]);
    };
    const double mean = measured.mean(stage);
    view["rows"].push_back(
        {planned.name, planned.type, fmt::format("{}", fmt::join(planned.ranks, " ")),
         fmt::format("{}", times.size()), fmt::format("{}", planned.cost_ns), fmt::format("{:.0f}", mean),
         fmt::format("{:.0f}", quantile(50)), fmt::format("{:.0f}", quantile(99)),
         planned.cost_ns > 0 ? fmt::format("{:.2f}", mean / static_cast<double>(planned.cost_ns)) : "-"});
  }
  return view;
}

}  // namespace

Page trace_page(const std::string& name, const RunTrace& trace) {
  const TaskGraph graph = graph_of(trace.plan);
  const MeasuredTimes measured(trace);
  Columns planned = Columns::array(), means = Columns::array();
  for (std::size_t stage = 0; stage < trace.plan.stages.size(); ++stage) {
    const PlannedStage& each = trace.plan.stages[stage];
    planned.push_back(each.cost_ns);
    means.push_back(measured.mean(stage));
  }
  const Columns replay{
      {"kind", "replay"},
      {"name", "Replay"},
      {"says", "Play, stop and step through the run; tasks are waiting, ready, running or done."},
      {"graph", Columns::parse(graph_view(graph, ranks_of(trace.plan), "ns"))},
      {"gantt", gantt_columns(trace, graph)},
      {"planned", std::move(planned)},
      {"measured", std::move(means)}};
  std::size_t events = 0, lost = 0;
  for (const RankTrace& rank : trace.ranks) {
    events += rank.events.size();
    lost += rank.lost;
  }
  Page page{
      .title = name,
      // A rank that was disconnected has sent no events.
      .says = fmt::format("A recorded run of '{}'.{}", trace.plan.pipeline,
                          events > 0 ? ""
                                     : " It holds no event: the ranks were killed before they could save "
                                       "them, or reached none of the chosen frames."),
      .facts = {{"ranks", fmt::format("{}", trace.plan.ranks), ""},
                {"events", fmt::format("{}", events), "that were recorded"},
                {"left out", fmt::format("{}", lost), "discarded, since the buffer was full"},
                {"lasts", takt::to_string(Time(trace.end_ns() - trace.begin_ns())), ""},
                {"predicted", frequency_text(trace.plan.predicted_hz), "frequency"},
                {"scheduler", trace.plan.scheduler, ""}},
      .views = {
          replay.dump(-1, ' ', false, Columns::error_handler_t::replace),
          planned_and_measured(trace, measured).dump(-1, ' ', false, Columns::error_handler_t::replace)}};
  if (!trace.schedule.empty()) {
    const logp::ScheduleFile file = logp::schedule_from_yaml(trace.schedule, name);
    const ScheduleToView as_planned{"planned", &file.schedule, &file.graph, &file.machine.platform().network};
    page.views.push_back(gantt_view({&as_planned, 1}, "ns"));
  }
  return page;
}

}  // namespace takt::pipeline
