#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/formats/json_text.hpp"
#include "core/pictures/palette.hpp"
#include "core/pictures/scatter_chart.hpp"
#include "core/pictures/text_table.hpp"
#include "schedulers/plan/pareto.hpp"

namespace takt::schedulers {

namespace {

double frequency(const ParetoPoint& point) {
  return point.period.time > Time{0} ? 1 / point.period.ticks() : 0;
}

std::string whole_or_six_digits(double value) {
  return fmt::format("{:.6g}", value);
}

}  // namespace

std::string to_text(const std::vector<ParetoPoint>& front) {
  TextTable table({{"processors", true},
                   {"frequency", true},
                   {"period", true},
                   {"latency", true},
                   {"replicas", true},
                   {"scheduler"}});
  for (const ParetoPoint& point : front)
    table.add({fmt::format("{}", point.processors), fmt::format("{:.6g}", frequency(point)),
               to_decimal(point.period), fmt::format("{}", point.latency.count()),
               fmt::format("{}", point.schedule.replicas), point.schedule.scheduler});
  return table.to_text();
}

std::string to_json(const std::vector<ParetoPoint>& front) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ParetoPoint& point : front) {
    nlohmann::ordered_json& each = list.emplace_back();
    each["processors"] = point.processors;
    each["period"] = point.period.ticks();
    each["frequency"] = frequency(point);
    each["latency"] = point.latency.count();
    each["replicas"] = point.schedule.replicas;
    each["scheduler"] = point.schedule.scheduler;
  }
  return json_text(list);
}

std::string to_svg(const std::vector<ParetoPoint>& front) {
  ScatterChart chart{.x = {.title = "frequency, frames a tick"},
                     .y = {.title = "latency, ticks", .text = whole_or_six_digits},
                     .has_stairs = true};
  std::map<std::size_t, std::size_t> series;
  for (const ParetoPoint& point : front) series.try_emplace(point.processors);
  for (auto& [processors, number] : series) {
    number = chart.legend.size();
    chart.legend.push_back(fmt::format("{} processor{}", processors, processors == 1 ? "" : "s"));
  }
  // The points of one number of processors come with falling frequency.
  for (const ParetoPoint& point : front)
    chart.points.push_back(
        {.x = frequency(point),
         .y = static_cast<double>(point.latency.count()),
         .series = series.at(point.processors),
         .title = fmt::format(
             "{} processors, period {}, latency {} ({}{})", point.processors, to_decimal(point.period),
             point.latency.count(), point.schedule.scheduler,
             point.schedule.replicas > 1 ? fmt::format(", {} replicas", point.schedule.replicas) : "")});
  return picture_file(to_svg(chart));
}

Page front_page(const std::string& name, const std::string& json) {
  const nlohmann::json front = parse_json(json);
  std::map<std::size_t, nlohmann::ordered_json> series;
  try {
    for (const nlohmann::json& point : front) {
      const auto processors = point.at("processors").get<std::size_t>();
      nlohmann::ordered_json& each = series[processors];
      if (each.is_null())
        each = {{"name", fmt::format("{} processor{}", processors, processors == 1 ? "" : "s")},
                {"style", "dots"},
                {"x", nlohmann::ordered_json::array()},
                {"y", nlohmann::ordered_json::array()},
                {"says", nlohmann::ordered_json::array()}};
      each["x"].push_back(point.at("frequency").get<double>());
      each["y"].push_back(point.at("latency").get<double>());
      each["says"].push_back(fmt::format("{}, {} frames in a repetition",
                                         point.at("scheduler").get<std::string>(),
                                         point.at("replicas").get<std::uint32_t>()));
    }
  } catch (const nlohmann::json::exception&) {
    throw ConfigError({name}, "expected a front, as takt plan --pareto --format json writes it");
  }
  nlohmann::ordered_json chart{
      {"kind", "chart"},
      {"name", "Pareto front"},
      {"says", "No schedule that was found beats one of these in one figure without being worse in another."},
      {"x", "frequency, frames a tick"},
      {"y", "latency, ticks"},
      {"series", nlohmann::ordered_json::array()}};
  for (auto& [processors, each] : series) chart["series"].push_back(std::move(each));
  return {.title = name,
          .says = "Frequency against latency against processors.",
          .facts = {{"schedules", fmt::format("{}", front.size()), ""}},
          .views = {chart.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)}};
}

}  // namespace takt::schedulers
