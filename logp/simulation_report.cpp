#include "logp/simulation_report.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace takt::logp {

namespace {

double share(Time part, Time whole) {
  return whole > Time{0} ? static_cast<double>(part.count()) / static_cast<double>(whole.count()) : 0.0;
}

constexpr std::array quantiles{std::pair{"p50", 0.5}, std::pair{"p90", 0.9}, std::pair{"p99", 0.99},
                               std::pair{"max", 1.0}};

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
                                  {"waiting_for_gap", share(times.gap_wait, result.duration)}});
  json["channels"] = Json::array();
  for (const ChannelQueue& channel : result.channels)
    json["channels"].push_back({{"from", channel.from.index()},
                                {"to", channel.to.index()},
                                {"queue_mean", channel.mean},
                                {"queue_max", channel.most}});
  json["links"] = Json::array();
  for (const auto& [link, busy] : result.links)
    json["links"].push_back({{"link", link.index()}, {"busy", share(busy, result.duration)}});
  json["bottleneck"] = result.bottleneck;
  return json.dump(2) + "\n";
}

std::string to_text(const SimulationResult& result, const ScheduleMetrics& planned,
                    const SimulationOptions& options) {
  std::string text = fmt::format("frames      {} ingested, {} delivered, {} lost\n", result.ingested,
                                 result.delivered, result.lost);
  text += fmt::format("period      {} sustained, {:.6g} predicted",
                      result.sustained_period ? fmt::format("{:.6g}", *result.sustained_period) : "unknown",
                      planned.period());
  if (options.frame_interval) text += fmt::format(", {:.6g} at the input", *options.frame_interval);
  text += "\nlatency    ";
  for (const auto& [name, part] : quantiles)
    text += fmt::format(" {} {}", name, result.latency_quantile(part).count());
  text += fmt::format(", mean {:.6g}\n", result.mean_latency);
  if (options.frame_interval)
    text += fmt::format("input queue {} at most, {:.3g} on average\n", result.most_input_queue,
                        result.mean_input_queue);
  text += fmt::format("bottleneck  {}\n\n", result.bottleneck);

  text +=
      "                        share of the time, %             waiting for\n"
      "processor     compute  overhead     input  messages      room       gap\n";
  for (std::size_t p = 0; p < result.processors.size(); ++p) {
    const ProcessorTimes& times = result.processors[p];
    text += fmt::format("{:>9}  ", p);
    for (Time part : {times.compute, times.overhead, times.input_wait, times.message_wait, times.room_wait,
                      times.gap_wait})
      text += fmt::format("{:>10.1f}", 100 * share(part, result.duration));
    text += '\n';
  }
  if (result.channels.empty()) return text;
  text += "\n  channel     mean queue   longest\n";
  for (const ChannelQueue& channel : result.channels)
    text += fmt::format("{:>9}  {:>12.3f}  {:>8}\n",
                        fmt::format("{} > {}", channel.from.index(), channel.to.index()), channel.mean,
                        channel.most);
  if (result.links.empty()) return text;
  text += "\n     link    busy, %\n";
  for (const auto& [link, busy] : result.links)
    text += fmt::format("{:>9}  {:>9.1f}\n", link.index(), 100 * share(busy, result.duration));
  return text;
}

}  // namespace takt::logp
