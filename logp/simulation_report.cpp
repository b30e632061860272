#include "logp/simulation_report.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"

namespace takt::logp {

namespace {

double share(Time part, Time whole) {
  return whole > Time{0} ? static_cast<double>(part.count()) / static_cast<double>(whole.count()) : 0.0;
}

/// Returns `10.394 ticks`, `18823 ticks (18.8 us)`.
std::string ticks(double count) {
  const std::string text = fmt::format("{:.6g} ticks", count);
  return count < 1000 ? text : fmt::format("{} ({})", text, takt::to_string(Time(std::llround(count))));
}

constexpr std::array quantiles{std::pair{"p50", 0.5}, std::pair{"p90", 0.9}, std::pair{"p99", 0.99},
                               std::pair{"max", 1.0}};

std::string percent(Time part, Time whole) {
  return fmt::format("{:.1f}", 100 * share(part, whole));
}

TextTable processors_table(const SimulationResult& result) {
  TextTable table({{"processor", true},
                   {"compute", true},
                   {"overhead", true},
                   {"input", true},
                   {"messages", true},
                   {"room", true},
                   {"gap", true},
                   {"outage", true}});
  for (std::size_t p = 0; p < result.processors.size(); ++p) {
    const ProcessorTimes& times = result.processors[p];
    std::vector<std::string> row{fmt::format("{}", p)};
    for (const Time part : {times.compute, times.overhead, times.input_wait, times.message_wait,
                            times.room_wait, times.gap_wait, times.outage})
      row.push_back(percent(part, result.duration));
    table.add(std::move(row));
  }
  return table;
}

TextTable channels_table(const SimulationResult& result) {
  TextTable table({{"channel"}, {"mean queue", true}, {"longest", true}});
  for (const ChannelQueue& channel : result.channels)
    table.add({fmt::format("{} > {}", channel.from.index(), channel.to.index()),
               fmt::format("{:.3f}", channel.mean), fmt::format("{}", channel.most)});
  return table;
}

TextTable links_table(const SimulationResult& result) {
  TextTable table({{"link", true}, {"busy, %", true}});
  for (const auto& [link, busy] : result.links)
    table.add({fmt::format("{}", link.index()), percent(busy, result.duration)});
  return table;
}

TextTable devices_table(const SimulationResult& result) {
  TextTable table({{"device"}, {"units", true}, {"busy, %", true}});
  for (const DeviceLoad& each : result.devices)
    table.add({each.device, fmt::format("{}", each.units),
               percent(each.busy, result.duration * static_cast<Time::rep>(each.units))});
  return table;
}

}  // namespace

std::string to_json(const SimulationResult& result, const ScheduleMetrics& planned,
                    const SimulationOptions& options) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["frames"] = {{"ingested", result.ingested}, {"delivered", result.delivered}, {"lost", result.lost}};
  json["period"] = {{"sustained", result.sustained_period ? Json(*result.sustained_period) : Json()},
                    {"predicted", planned.period()},
                    {"input", options.frame_interval ? Json(*options.frame_interval) : Json()}};
  json["latency"]["mean"] = result.mean_latency;
  for (const auto& [name, part] : quantiles) json["latency"][name] = result.latency_quantile(part).count();
  json["input_queue"] = {{"mean", result.mean_input_queue}, {"max", result.most_input_queue}};
  json["processors"] = Json::array();
  for (const ProcessorTimes& times : result.processors)
    json["processors"].push_back({{"compute", share(times.compute, result.duration)},
                                  {"overhead", share(times.overhead, result.duration)},
                                  {"waiting_for_input", share(times.input_wait, result.duration)},
                                  {"waiting_for_messages", share(times.message_wait, result.duration)},
                                  {"waiting_for_room", share(times.room_wait, result.duration)},
                                  {"waiting_for_gap", share(times.gap_wait, result.duration)},
                                  {"outage", share(times.outage, result.duration)}});
  json["channels"] = Json::array();
  for (const ChannelQueue& channel : result.channels)
    json["channels"].push_back({{"from", channel.from.index()},
                                {"to", channel.to.index()},
                                {"queue_mean", channel.mean},
                                {"queue_max", channel.most}});
  json["links"] = Json::array();
  for (const auto& [link, busy] : result.links)
    json["links"].push_back({{"link", link.index()}, {"busy", share(busy, result.duration)}});
  if (!result.devices.empty()) json["devices"] = Json::array();
  for (const DeviceLoad& each : result.devices)
    json["devices"].push_back(
        {{"name", each.device},
         {"units", each.units},
         {"busy", share(each.busy, result.duration * static_cast<Time::rep>(each.units))}});
  json["bottleneck"] = result.bottleneck;
  return json_text(json);
}

std::string to_text(const SimulationResult& result, const ScheduleMetrics& planned,
                    const SimulationOptions& options) {
  std::string period = fmt::format("{} sustained, {} predicted",
                                   result.sustained_period ? ticks(*result.sustained_period) : "unknown",
                                   ticks(planned.period()));
  if (options.frame_interval) period += fmt::format(", {} at the input", ticks(*options.frame_interval));
  std::string latency;
  for (const auto& [name, part] : quantiles)
    latency +=
        fmt::format("{} {}, ", name, ticks(static_cast<double>(result.latency_quantile(part).count())));
  latency += fmt::format("mean {}", ticks(result.mean_latency));

  std::string text = titled("frames", fmt::format("{} ingested, {} delivered, {} lost", result.ingested,
                                                  result.delivered, result.lost)) +
                     titled("period", period) + titled("latency", latency);
  if (options.frame_interval)
    text += titled("input queue", fmt::format("{} at most, {:.3g} on average", result.most_input_queue,
                                              result.mean_input_queue));
  text += titled("bottleneck", result.bottleneck);

  text +=
      "\nshare of the time, %: busy (compute, overhead) or waiting\n" + processors_table(result).to_text();
  if (!result.channels.empty()) text += '\n' + channels_table(result).to_text();
  if (!result.links.empty()) text += '\n' + links_table(result).to_text();
  if (!result.devices.empty()) text += '\n' + devices_table(result).to_text();
  return text;
}

}  // namespace takt::logp
