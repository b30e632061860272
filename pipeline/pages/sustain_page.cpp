#include "pipeline/pages/sustain_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/pictures/palette.hpp"
#include "core/pictures/scatter_chart.hpp"

namespace takt::pipeline {

std::string latency_curve_picture(const SustainedRate& found) {
  const auto time_of = [](double seconds) { return to_string(Time(static_cast<Time::rep>(1e9 * seconds))); };
  const auto rate_of = [](double hertz) { return to_string(Frequency{hertz}); };
  const std::string host = found.trial.emulator_host.value_or("");
  const std::string offered = host.empty() ? "offered frequency" : "offered rate, sent by " + host;
  ScatterChart chart{.x = {.title = offered, .text = rate_of},
                     .y = {.title = "latency", .scale = Scale::logarithmic, .text = time_of}};
  chart.legend = {"p50", "p99", "longest"};
  const auto add = [&](const RateTrial& trial) {
    std::size_t series = 0;
    for (const auto& latency : {trial.latency.p50, trial.latency.p99, trial.latency.max}) {
      if (latency)
        chart.points.push_back(
            {.x = trial.offered_hz,
             .y = static_cast<double>(latency->count()) / 1e9,
             .series = series,
             .title = fmt::format("{}, {}: {}", rate_of(trial.offered_hz), to_string(*latency),
                                  trial.holds() ? "holds" : trial.fault)});
      ++series;
    }
  };
  for (const RateTrial& trial : found.curve) add(trial);
  for (const RateTrial& trial : found.trials) add(trial);
  const auto rule = [&](const char* name, std::optional<double> hertz) {
    if (hertz && *hertz > 0) chart.rules.push_back({*hertz, name});
  };
  rule("sustained", found.rate.highest_hz);
  rule("predicted", found.plan.predicted_hz);
  rule("required", found.plan.required_hz);
  std::ranges::sort(chart.rules, {}, &ScatterChart::Rule::at);
  if (const std::optional<LatencyLimit>& limit = found.trial.latency_limit)
    chart.levels.push_back({static_cast<double>(limit->most.count()) / 1e9,
                            fmt::format("{} required", named(limit->quantile).name)});
  return picture_file(to_svg(chart));
}

}  // namespace takt::pipeline
