#include "logp/bottleneck.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

namespace takt::logp {

std::string bottleneck_of(const SimulationResult& result, const SimulationOptions& options) {
  constexpr double nearly_all = 0.98;
  const auto duration = static_cast<double>(std::max(Time{1}, result.duration).count());
  auto load = [&](const ProcessorTimes& times) {
    return static_cast<double>((times.busy() + times.gap_wait).count()) / duration;
  };
  const auto busiest = std::ranges::max_element(result.processors, std::less{}, load);
  double largest = load(*busiest);
  std::string name = fmt::format("processor {}", busiest - result.processors.begin());
  for (const auto& [link, busy] : result.links)
    if (const double its = static_cast<double>(busy.count()) / duration; its > largest) {
      largest = its;
      name = fmt::format("link {}", link.index());
    }
  for (const DeviceLoad& device : result.devices)
    if (const double its = static_cast<double>(device.busy.count()) / device.units / duration;
        its > largest) {
      largest = its;
      name = fmt::format("device '{}'", device.device);
    }
  name += fmt::format(", busy {:.1f} % of the time", 100 * largest);
  const bool keeps_up = options.frame_interval && result.lost == 0 &&
                        result.sustained_period.value_or(0) <= *options.frame_interval / nearly_all;
  if (keeps_up) return "the input: all processors keep up; busiest is " + name;
  if (largest >= nearly_all) return name;
  return "messages and back-pressure between processors; busiest is " + name;
}

}  // namespace takt::logp
