#pragma once
/// Shows the Pareto front of frequency, latency and processors.

#include <string>
#include <vector>

#include "core/pictures/page.hpp"
#include "schedulers/plan/pareto.hpp"

namespace takt::pipeline {

/// Returns an SVG picture: frequency to the right, latency upwards, a step line for each number of
/// processors.
[[nodiscard]] std::string pareto_picture(const std::vector<schedulers::ParetoPoint>& front);

/// Returns a page of a front as JSON (schedulers::to_json): frequency to the right, latency upwards, a line
/// for each number of processors. Throws ConfigError if it is not a front.
[[nodiscard]] Page pareto_page(const std::string& name, const std::string& json);

}  // namespace takt::pipeline
