#include "pipeline/report/plan_report.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/pictures/gantt_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "schedulers/judge/evaluation_report.hpp"

namespace takt::pipeline {

namespace {

std::string tasks_text(const RunPlan& plan) {
  TextTable table({{"task"},
                   {"type"},
                   {.name = "takes", .is_prose = true},
                   {.name = "rank", .is_prose = true},
                   {"a call", true}});
  for (const PlannedStage& stage : plan.stages) {
    std::vector<std::string> inputs;
    for (const std::size_t input : stage.inputs) inputs.push_back(plan.stages[input].name);
    table.add({stage.name, stage.type, fmt::format("{}", fmt::join(inputs, ", ")),
               ranks_of_task(stage.ranks, stage.group), to_string(Time(stage.cost_ns))});
  }
  return table.to_text(2);
}

std::string frames_text(const RunPlan& plan) {
  TextTable table({{"frames of"}, {"type"}, {"size", true}});
  for (const PlannedStage& stage : plan.stages)
    if (stage.kind != name_of(StageKind::sink))
      table.add({stage.name, stage.output, to_string(Bytes{stage.output_bytes})});
  return table.to_text(2);
}

std::string ranks_text(const RunPlan& plan) {
  const PlannedLoad load = planned_load(plan);
  TextTable table({{"rank"},
                   {fmt::format("busy at {}", to_string(Frequency{load.at_hz})), true},
                   {"memory for frames", true},
                   {.name = "tasks", .is_prose = true}});
  for (std::size_t rank = 0; rank < plan.ranks; ++rank) {
    std::vector<std::string> tasks;
    for (const PlannedStage& stage : plan.stages)
      if (std::ranges::find(stage.ranks, rank) != stage.ranks.end()) tasks.push_back(stage.name);
    table.add({fmt::format("{}", rank), fmt::format("{:.1f} %", 100 * load.busy[rank]),
               to_string(Bytes{plan.memory_bytes[rank]}), fmt::format("{}", fmt::join(tasks, " "))});
  }
  return table.to_text(2);
}

/// A line for each device; nothing without any.
std::string devices_text(const RunPlan& plan) {
  if (plan.devices.empty()) return "";
  const double hertz = planned_load(plan).at_hz;
  TextTable table({{"device"},
                   {"units", true},
                   {"per frame", true},
                   {fmt::format("busy at {}", to_string(Frequency{hertz})), true},
                   {.name = "tasks", .is_prose = true}});
  for (const PlannedDevice& device : plan.devices) {
    std::vector<std::string> tasks;
    for (const std::size_t task : device.tasks) tasks.push_back(plan.stages[task].name);
    table.add({device.name, fmt::format("{}", device.units), to_string(Time(device.work_ns)),
               fmt::format("{:.1f} %", 100 * device.load(hertz)), fmt::format("{}", fmt::join(tasks, " "))});
  }
  return table.to_text(2) + '\n';
}

/// `unpack, spectra and power in 8 parts of a frame`; empty where all work on whole frames.
std::string tiles_text(const RunPlan& plan) {
  std::map<std::size_t, std::vector<std::string>> by_tiles;
  for (const PlannedStage& stage : plan.stages)
    if (stage.tiles > 1) by_tiles[stage.tiles].push_back(stage.name);
  std::vector<std::string> texts;
  for (const auto& [tiles, names] : by_tiles)
    texts.push_back(fmt::format("{} in {} tiles per frame", fmt::join(names, ", "), tiles));
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// `spectra: host node1, core 3`; empty where no stage has a place.
std::string places_text(const RunPlan& plan) {
  std::vector<std::string> texts;
  for (const PlannedStage& stage : plan.stages)
    if (!stage.place.empty()) texts.push_back(fmt::format("{}: {}", stage.name, stage.place));
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::string_view purpose_of(std::string_view objective) {
  if (objective == "latency") return " (least latency that holds the rate)";
  if (objective == "processors") return " (fewest ranks that hold the rate)";
  if (objective == "given") return " (as given)";
  return "";
}

std::string ranks_of_task(const std::vector<std::size_t>& ranks, std::size_t group) {
  std::string text = fmt::format("{}", fmt::join(ranks, ", "));
  if (group > 1) text += fmt::format(" ({} together)", group);
  return text;
}

PlannedLoad planned_load(const RunPlan& plan) {
  PlannedLoad load{plan.predicted_busy, plan.predicted_hz};
  if (!plan.required_hz || *plan.required_hz > plan.predicted_hz) return load;
  load.at_hz = *plan.required_hz;
  for (double& busy : load.busy) busy *= load.at_hz / plan.predicted_hz;
  return load;
}

std::string pipeline_to_text(const Pipeline& pipeline) {
  TextTable tasks({{"task"}, {"type"}, {.name = "takes", .is_prose = true}}),
      frames({{"frames of"}, {"type"}, {"size", true}});
  for (const Stage& stage : pipeline.stages) {
    std::vector<std::string> inputs;
    for (const std::size_t input : stage.inputs) inputs.push_back(pipeline.stages[input].name);
    tasks.add({stage.name, stage.type, fmt::format("{}", fmt::join(inputs, ", "))});
    if (stage.kind != StageKind::sink)
      frames.add({stage.name, stage.output.to_string(), to_string(stage.output.size())});
  }
  const std::optional<Frequency> rate = pipeline.required_rate();
  return fill(fmt::format("{}: {} rank{}, {} required", pipeline.name, pipeline.deployment.ranks,
                          pipeline.deployment.ranks == 1 ? "" : "s", rate ? to_string(*rate) : "no rate"),
              text_columns) +
         fmt::format("\n\n{}\n{}", tasks.to_text(2), frames.to_text(2));
}

namespace {

/// `: 2 ms to 'o', 4.5 ms to 'p'`, of several sinks.
std::string latencies_text(const RunPlan& plan) {
  std::vector<std::string> sinks;
  for (const PlannedStage& stage : plan.stages)
    if (stage.kind == "sink")
      sinks.push_back(fmt::format("{} to '{}'", to_string(Time(stage.latency_ns)), stage.name));
  return sinks.size() > 1 ? fmt::format(": {}", fmt::join(sinks, ", ")) : "";
}

}  // namespace

std::string plan_to_text(const RunPlan& plan) {
  std::string text = fill(fmt::format("{}: {} rank{}, scheduled by {}{}{}", plan.pipeline, plan.ranks,
                                      plan.ranks == 1 ? "" : "s", plan.scheduler, purpose_of(plan.objective),
                                      iteration_text(plan.replicas, plan.is_pipelined)),
                          text_columns) +
                     fmt::format("\n\n{}\n{}\n{}\n{}", tasks_text(plan), frames_text(plan), ranks_text(plan),
                                 devices_text(plan));
  const auto line = [&](std::string_view title, const std::string& rest) { text += titled(title, rest); };
  if (const std::string places = places_text(plan); !places.empty()) line("place", places);
  line("frequency", fmt::format("{} predicted, {} required", to_string(Frequency{plan.predicted_hz}),
                                plan.required_hz ? to_string(Frequency{*plan.required_hz}) : "none"));
  line("", "limit: " + plan.limit);
  constexpr double infrequent = 0.1;
  if (plan.required_hz && *plan.required_hz < infrequent * plan.predicted_hz)
    line("", "predicted for consecutive frames; infrequent frames find cold caches");
  line("latency",
       to_string(Time(plan.predicted_latency_ns)) + " predicted, without queueing" + latencies_text(plan));
  if (plan.required_latency_ns)
    line("", fmt::format("{} required of {}: {}", to_string(Time(*plan.required_latency_ns)),
                         plan.latency_quantile, *holds_latency(plan) ? "holds" : "does NOT hold"));
  if (const std::string tiles = tiles_text(plan); !tiles.empty()) line("tiles", tiles);
  for (const std::string& note : notes_of(plan)) line("note", note);
  return text;
}

std::string plan_to_text(const PipelinePlan& plan) {
  return plan_to_text(plan.summary) + '\n' + draw_gantt(plan.schedule(), plan.graph, text_columns);
}

std::string plan_to_json(const PipelinePlan& plan) {
  nlohmann::ordered_json json = schedulers::evaluation_json(plan.plan.evaluation, plan.graph);
  if (plan.summary.required_hz) json["held"] = plan.plan.holds_rate;
  if (const std::optional<bool> holds = holds_latency(plan.summary)) json["latency_held"] = *holds;
  json["pipeline"] = parse_json(to_text(plan.summary));
  return json_text(json);
}

}  // namespace takt::pipeline
