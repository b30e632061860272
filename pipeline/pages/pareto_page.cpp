#include "pipeline/pages/pareto_page.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "core/pictures/palette.hpp"
#include "core/pictures/scatter_chart.hpp"

namespace takt::pipeline {

namespace {

/// A unit in which the largest value is at least 1, so that axis labels need no power of ten.
struct ScaledUnit {
  double size = 1;
  std::string title;
};

/// Periods are longer than a tick: frames in 1, 10^3, 10^6 or 10^9 ticks. Ticks of measured costs are
/// nanoseconds, so 10^9 of them are a second.
ScaledUnit frequency_unit(double most) {
  double ticks = 1;
  while (ticks < 1e9 && most * ticks < 1) ticks *= 1000;
  return {1 / ticks, ticks == 1     ? "frequency (frames per tick)"
                     : ticks == 1e3 ? "frequency (frames per 1000 ticks)"
                     : ticks == 1e6 ? "frequency (frames per million ticks)"
                                    : "frequency (frames per billion ticks)"};
}

ScaledUnit latency_unit(double most) {
  return most < 1e4    ? ScaledUnit{1, "latency (ticks)"}
         : most < 1e7  ? ScaledUnit{1e3, "latency (thousand ticks)"}
         : most < 1e10 ? ScaledUnit{1e6, "latency (million ticks)"}
                       : ScaledUnit{1e9, "latency (billion ticks)"};
}

}  // namespace

std::string pareto_picture(const std::vector<schedulers::ParetoPoint>& front) {
  double most_frequency = 0, most_latency = 0;
  for (const schedulers::ParetoPoint& point : front) {
    most_frequency = std::max(most_frequency, point.frequency());
    most_latency = std::max(most_latency, static_cast<double>(point.latency.count()));
  }
  const ScaledUnit across = frequency_unit(most_frequency), up = latency_unit(most_latency);
  ScatterChart chart{.x = {.title = across.title}, .y = {.title = up.title}, .has_stairs = true};
  std::map<std::size_t, std::size_t> series;
  for (const schedulers::ParetoPoint& point : front) series.try_emplace(point.processors);
  for (auto& [processors, number] : series) {
    number = chart.legend.size();
    chart.legend.push_back(fmt::format("{} processor{}", processors, processors == 1 ? "" : "s"));
  }
  // The points of one number of processors are in falling order of frequency.
  for (const schedulers::ParetoPoint& point : front)
    chart.points.push_back(
        {.x = point.frequency() / across.size,
         .y = static_cast<double>(point.latency.count()) / up.size,
         .series = series.at(point.processors),
         .title = fmt::format(
             "{} processors, period {}, latency {} ({}{})", point.processors, to_decimal(point.period),
             point.latency.count(), point.schedule.scheduler,
             point.schedule.replicas > 1 ? fmt::format(", {} replicas", point.schedule.replicas) : "")});
  return picture_file(to_svg(chart));
}

Page pareto_page(const std::string& name, const std::string& json) {
  const nlohmann::json front = parse_json(json);
  std::map<std::size_t, nlohmann::ordered_json> series;
  ScaledUnit across, up;
  try {
    double most_frequency = 0, most_latency = 0;
    for (const nlohmann::json& point : front) {
      most_frequency = std::max(most_frequency, point.at("frequency").get<double>());
      most_latency = std::max(most_latency, point.at("latency").get<double>());
    }
    across = frequency_unit(most_frequency);
    up = latency_unit(most_latency);
    for (const nlohmann::json& point : front) {
      const auto processors = point.at("processors").get<std::size_t>();
      nlohmann::ordered_json& each = series[processors];
      if (each.is_null())
        each = {{"name", fmt::format("{} processor{}", processors, processors == 1 ? "" : "s")},
                {"style", "dots"},
                {"x", nlohmann::ordered_json::array()},
                {"y", nlohmann::ordered_json::array()},
                {"says", nlohmann::ordered_json::array()}};
      each["x"].push_back(point.at("frequency").get<double>() / across.size);
      each["y"].push_back(point.at("latency").get<double>() / up.size);
      each["says"].push_back(fmt::format("{}, {} frames per iteration",
                                         point.at("scheduler").get<std::string>(),
                                         point.at("replicas").get<std::uint32_t>()));
    }
  } catch (const nlohmann::json::exception&) {
    throw ConfigError({name}, "expected a front, as takt plan --pareto --format json writes it");
  }
  nlohmann::ordered_json chart{
      {"kind", "chart"},
      {"name", "Pareto front"},
      {"says", "Schedules of which no found one is better in one figure without being worse in another."},
      {"x", across.title},
      {"y", up.title},
      {"series", nlohmann::ordered_json::array()}};
  for (auto& [processors, each] : series) chart["series"].push_back(std::move(each));
  return {.title = name,
          .says = "Frequency against latency against processors.",
          .facts = {{"schedules", fmt::format("{}", front.size()), ""}},
          .views = {chart.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)}};
}

}  // namespace takt::pipeline
