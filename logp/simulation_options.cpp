#include "logp/simulation_options.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::logp {

void check(const SimulationOptions& options, const Machine& machine, const Schedule& schedule) {
  constexpr std::uint64_t most_frames = 1'000'000'000, most_places = 1'000'000;
  if (options.frames == 0 || options.frames > most_frames)
    throw ConfigError(fmt::format("simulate {} frames: expected 1 to {}", options.frames, most_frames));
  if (options.buffers == 0 || options.buffers > most_places)
    throw ConfigError(fmt::format("{} buffers: expected 1 to {}", options.buffers, most_places));
  if (options.input_places < schedule.replicas || options.input_places > most_places)
    throw ConfigError(fmt::format(
        "{} frames in the input queue: expected at least the {} replicas of the schedule, at most {}",
        options.input_places, schedule.replicas, most_places));
  if (options.frame_interval && !(*options.frame_interval > 0))
    throw ConfigError("the time between frames must be above 0");
  if (!options.slowness.empty() && options.slowness.size() != machine.processor_count())
    throw ConfigError(fmt::format("slowness is given for {} processors: the machine has {}",
                                  options.slowness.size(), machine.processor_count()));
  for (double slowness : options.slowness)
    if (!(slowness > 0)) throw ConfigError("a processor's slowness must be above 0");
  (void)Outages(options.outages, machine.processor_count());
  if (options.jitter < Time{0} || options.jitter_share < 0 || options.drift < 0)
    throw ConfigError("jitter and drift must not be negative");
}

}  // namespace takt::logp
