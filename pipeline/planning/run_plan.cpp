#include "pipeline/planning/run_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/formats/json.hpp"

namespace takt::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Spread, least, most)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NoteBelow, hertz, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlannedStage, name, type, kind, inputs, ranks, place, may_run_on, cost_ns,
                                   calls_a_frame, output, output_bytes, tiles, group, receiving_ns,
                                   queue_frames, has_own_pace, latency_ns, costs_latency_ns, trial_latency_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlannedDevice, name, units, tasks, work_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunPlan, pipeline, scheduler, objective, ranks, cores_per_rank, replicas,
                                   is_pipelined, stages, predicted_hz, costs_hz, trial_hz,
                                   predicted_latency_ns, limit, required_hz, required_latency_ns,
                                   latency_quantile, predicted_busy, processor_shares, memory_bytes, notes,
                                   notes_below, kept_files, devices)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SharedPlan, summary, schedule)

double work_per_frame_ns(const PlannedStage& stage) {
  const auto ranks = static_cast<double>(std::max(stage.ranks.size(), stage.group));
  const double all_calls_ns = static_cast<double>(stage.cost_ns - stage.receiving_ns) * stage.calls_a_frame;
  return all_calls_ns * static_cast<double>(stage.group) / ranks;
}

std::optional<bool> holds_latency(const RunPlan& plan) {
  if (!plan.required_latency_ns) return std::nullopt;
  return plan.predicted_latency_ns <= *plan.required_latency_ns;
}

std::string iteration_text(std::uint32_t replicas, bool is_pipelined) {
  return fmt::format("{}{}", replicas > 1 ? fmt::format(", {} frames in an iteration", replicas) : "",
                     is_pipelined ? ", pipelined" : "");
}

std::vector<std::string> notes_of(const RunPlan& plan, bool names_rate) {
  // Periods are rounded to nanoseconds or fractions of them.
  constexpr double rounding = 1e-9;
  const auto is_below = [&](double hertz) { return plan.predicted_hz < hertz * (1 - rounding); };
  std::vector<std::string> notes = plan.notes;
  if (names_rate && plan.required_hz && is_below(*plan.required_hz))
    notes.push_back(fmt::format(
        "the required rate of {} is above the predicted {}: {}{}",
        takt::to_string(Frequency{*plan.required_hz}), takt::to_string(Frequency{plan.predicted_hz}),
        plan.costs_hz ? fmt::format("costs alone give {}: ", takt::to_string(Frequency{*plan.costs_hz})) : "",
        plan.limit));
  if (holds_latency(plan) == false)
    notes.push_back(fmt::format("the predicted latency of {} is above the required {}",
                                takt::to_string(Time(plan.predicted_latency_ns)),
                                takt::to_string(Time(*plan.required_latency_ns))));
  for (const NoteBelow& note : plan.notes_below)
    if (is_below(note.hertz)) notes.push_back(note.text);
  return notes;
}

void set_latencies(const std::vector<Time>& latencies, RunPlan& plan) {
  plan.predicted_latency_ns = 0;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    plan.stages[i].latency_ns = latencies.at(i).count();
    plan.predicted_latency_ns = std::max(plan.predicted_latency_ns, plan.stages[i].latency_ns);
  }
}

namespace {

std::string name_of(const RunPlan& plan) {
  std::set<std::size_t> ranks;
  for (const PlannedStage& stage : plan.stages) ranks.insert(stage.ranks.begin(), stage.ranks.end());
  return fmt::format("{} on {} rank{}{}", plan.scheduler, ranks.size(), ranks.size() == 1 ? "" : "s",
                     iteration_text(plan.replicas, plan.is_pipelined));
}

}  // namespace

std::vector<std::string> names_of(const std::vector<const RunPlan*>& plans) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const RunPlan* plan : plans) {
    const std::string name = name_of(*plan);
    const int number = ++seen[name];
    names.push_back(number > 1 ? fmt::format("{} ({})", name, number) : name);
  }
  return names;
}

std::string to_text(const SharedPlan& plan) {
  return json_line(plan);
}
SharedPlan shared_plan_from_text(std::string_view text) {
  return value_from_json<SharedPlan>(text);
}

std::string to_text(const RunPlan& plan) {
  return json_line(plan);
}
RunPlan plan_from_text(std::string_view text) {
  return value_from_json<RunPlan>(text);
}

}  // namespace takt::pipeline
