#include "pipeline/planning/stage_sources.hpp"

#include <set>

namespace takt::pipeline {

std::vector<std::size_t> upstream_sources(
    std::size_t stage, const std::function<const std::vector<std::size_t>&(std::size_t)>& inputs_of) {
  std::set<std::size_t> seen{stage}, sources;
  for (std::vector<std::size_t> left{stage}; !left.empty();) {
    const std::size_t next = left.back();
    left.pop_back();
    const std::vector<std::size_t>& inputs = inputs_of(next);
    if (inputs.empty()) sources.insert(next);
    for (const std::size_t input : inputs)
      if (seen.insert(input).second) left.push_back(input);
  }
  return {sources.begin(), sources.end()};
}

}  // namespace takt::pipeline
