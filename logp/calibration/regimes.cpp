#include "logp/calibration/regimes.hpp"

#include <algorithm>
#include <limits>

namespace takt::logp {

std::vector<std::size_t> find_regimes(std::span<const std::vector<Measured>> curves,
                                      const RegimeOptions& options) {
  const std::size_t count = curves.empty() ? 0 : curves.front().size();
  if (count < 2 * options.least_points) return {0};

  // best[end]: least cost of the points before `end`; start_of[end]: first point of its last range.
  std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> start_of(count + 1, 0);
  best[0] = 0;
  for (std::size_t end = options.least_points; end <= count; ++end)
    for (std::size_t start = 0; start + options.least_points <= end; ++start) {
      if (best[start] == std::numeric_limits<double>::infinity()) continue;
      double cost = best[start] + options.price;
      for (const std::vector<Measured>& curve : curves)
        cost += fit_line(std::span(curve).subspan(start, end - start)).misfit;
      if (cost < best[end]) {
        best[end] = cost;
        start_of[end] = start;
      }
    }

  std::vector<std::size_t> starts;
  for (std::size_t end = count; end > 0; end = start_of[end]) starts.push_back(start_of[end]);
  std::reverse(starts.begin(), starts.end());
  return starts;
}

}  // namespace takt::logp
