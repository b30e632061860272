#include "pipeline/config/distribution.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace takt::pipeline {

std::optional<BlockDistribution> checked_distribution(const Kernel& kernel, std::span<const FrameType> inputs,
                                                      const FrameType& output) {
  std::optional<BlockDistribution> distribution = kernel.distribution();
  if (!distribution) return std::nullopt;
  if (distribution->inputs.size() != inputs.size())
    throw std::logic_error(fmt::format("it divides {} inputs among a group, but has {}",
                                       distribution->inputs.size(), inputs.size()));
  bool has_flags = false;
  const auto limit = [&](const FrameType& type, std::size_t axis) {
    if (axis >= type.axes.size())
      throw std::logic_error(fmt::format("it divides axis {} of {} among a group: expected an index below {}",
                                         axis, type.to_string(), type.axes.size()));
    distribution->most_members = std::min(distribution->most_members, type.axes[axis].size);
    has_flags = has_flags || !type.parts.empty();
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) limit(inputs[i], distribution->inputs[i]);
  limit(output, distribution->output);
  if (has_flags || distribution->most_members < 2) return std::nullopt;
  return distribution;
}

}  // namespace takt::pipeline
