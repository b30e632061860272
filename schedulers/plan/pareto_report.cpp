#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/json_text.hpp"
#include "core/pictures/text_table.hpp"
#include "schedulers/plan/pareto.hpp"

namespace takt::schedulers {

std::string to_text(const std::vector<ParetoPoint>& front) {
  TextTable table({{"processors", true},
                   {"frequency", true},
                   {"period", true},
                   {"latency", true},
                   {"replicas", true},
                   {"scheduler"}});
  for (const ParetoPoint& point : front)
    table.add({fmt::format("{}", point.processors), fmt::format("{:.6g}", point.frequency()),
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
    each["frequency"] = point.frequency();
    each["latency"] = point.latency.count();
    each["replicas"] = point.schedule.replicas;
    each["scheduler"] = point.schedule.scheduler;
  }
  return json_text(list);
}

}  // namespace takt::schedulers
