#include "pipeline/stages/start_time.hpp"

#include <utility>

#include "core/error.hpp"
#include "sensors/dada/header.hpp"

namespace takt::pipeline {

ParameterSpec start_parameter(std::string help) {
  return {.name = "start", .fallback = "", .help = std::move(help)};
}

std::optional<std::int64_t> start_of(const Parameters& parameters) {
  const std::string start = parameters.text("start");
  if (start.empty()) return {};
  try {
    return sensors::parse_utc(start);
  } catch (const ConfigError& error) {
    parameters.refuse("start", error.what());
  }
}

}  // namespace takt::pipeline
