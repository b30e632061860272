#include "pipeline/streams/placed_stream.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "logp/schedule_file.hpp"
#include "pipeline/costs/profile.hpp"
#include "schedulers/streams/stream_schedule.hpp"

namespace takt::pipeline {

namespace {

/// Least share of a processor, as written to the command line.
constexpr double least_share = 1e-6;

}  // namespace

schedulers::Stream stream_of(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                             std::string name) {
  if (!pipeline.goal.rate)
    throw ConfigError(fmt::format(
        "'{}' has no rate: each of several streams needs one, for example `rate: 50 Hz` in its file",
        pipeline.file.string()));
  if (const std::vector<NamedDevice>& devices = pipeline.deployment.devices; !devices.empty())
    throw ConfigError(
        devices.front().where,
        fmt::format("device '{}': the timetable of several streams has no devices: expected a run of its own",
                    devices.front().name));
  for (const Stage& stage : pipeline.stages)
    if (stage.place)
      throw ConfigError(
          stage.place->where,
          "'place': the timetable of several streams places their tasks: expected a run of its own");
  std::vector<Time> times;
  for (const StageCost& cost : costs) times.push_back(cost.cost);
  return {.name = std::move(name),
          .graph = costs.empty() ? TaskGraph{} : pipeline.task_graph(times),
          .rate = *pipeline.goal.rate,
          .margin = pipeline.goal.margin,
          .is_measured = true,
          .whole_frames = tasks_on_whole_frames(costs),
          .latency_limit = pipeline.latency ? std::optional(pipeline.latency->most) : std::nullopt};
}

PlacedStream place(const schedulers::Stream& stream, const schedulers::StreamVerdict& verdict,
                   const schedulers::CyclicTimetable& timetable, const std::filesystem::path& file) {
  constexpr double ticks_per_second = 1e9;
  const schedulers::StreamSchedule own = schedule_of(stream, timetable);
  PlacedStream placed{
      .name = stream.name,
      .file = file,
      .shares = own.shares,
      .work = own.work,
      .schedule = logp::schedule_to_yaml(stream.graph, own.machine, own.schedule),
      .required_hz = ticks_per_second / stream.rate.period,
      .promised_hz = ticks_per_second * verdict.frames / static_cast<double>(timetable.cycle().count()),
      .latency = verdict.latency};
  for (const ProcessorId p : own.processors) placed.processors.push_back(p.index());
  return placed;
}

std::vector<std::string> words_of(const PlacedStream& stream, const ProcessorPlaces& places,
                                  const std::filesystem::path& schedule,
                                  const std::filesystem::path& report) {
  std::vector<std::string> words{"run", stream.file.string()};
  const auto set = [&](const std::string& value) {
    words.insert(words.end(), {"--set", "deployment." + value});
  };
  set(fmt::format("ranks={}", stream.processors.size()));
  std::vector<std::string> hosts;
  for (const HostSlots& host : hosts_of(places, stream.processors))
    hosts.push_back(fmt::format("{}:{}", host.name, host.slots));
  // The file's settings apply to a run alone.
  set("slots=0");
  set(hosts.empty() ? "hosts=''" : fmt::format("hosts=[{}]", fmt::join(hosts, ", ")));
  std::vector<std::size_t> pins;
  if (!places.empty())
    for (const std::size_t processor : stream.processors) pins.push_back(places.at(processor).core);
  set(pins.empty() ? "pin=none" : fmt::format("pin=[{}]", fmt::join(pins, ", ")));
  std::vector<double> shares;
  for (const double share : stream.shares) shares.push_back(std::clamp(share, least_share, 1.0));
  set(fmt::format("share=[{:.6f}]", fmt::join(shares, ", ")));
  // The schedule includes a machine, and the command that runs all streams serves their page.
  set("machine=''");
  set("serve=none");
  words.insert(words.end(), {"--schedule", schedule.string(), "--report", report.string(), "--format", "none",
                             "--progress", "none"});
  return words;
}

}  // namespace takt::pipeline
