#include "logp/simulation_result.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace takt::logp {

Time SimulationResult::quantile(const std::vector<Time>& ascending, double share) {
  if (ascending.empty()) return Time{0};
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(ascending.size())));
  return ascending[std::clamp<std::size_t>(rank, 1, ascending.size()) - 1];
}

}  // namespace takt::logp
