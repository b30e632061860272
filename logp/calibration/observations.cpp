#include "logp/calibration/observations.hpp"

#include <algorithm>

namespace takt::logp {

SizeObservations& LinkObservations::at(Bytes size) {
  auto place =
      std::lower_bound(sizes.begin(), sizes.end(), size,
                       [](const SizeObservations& entry, Bytes wanted) { return entry.size < wanted; });
  if (place == sizes.end() || place->size != size) place = sizes.insert(place, {.size = size});
  return *place;
}

std::vector<double> LinkObservations::references() const {
  std::vector<double> all;
  for (const SizeObservations& entry : sizes)
    for (const Visit& visit : entry.of(Quantity::round_trip))
      if (visit.reference > 0) all.push_back(visit.reference);
  return all;
}

MachineState state_of(std::vector<double> references) {
  // References of one state differ by some percent.
  constexpr double reach = 1.5;
  if (references.empty()) return {};
  const double usual = quantile(std::move(references), 0.25);
  return {usual / reach, usual * reach};
}

Point summarise(Bytes size, const std::vector<Visit>& visits, Samples samples, const MachineState& state) {
  Point point{.size = static_cast<double>(size.count)};
  std::vector<double> medians, pooled, disturbed;
  for (const Visit& visit : visits) {
    std::vector<double> counted = visit.quiet;
    std::vector<double>& others = samples == Samples::all ? counted : disturbed;
    if (!state.contains(visit)) {
      disturbed.insert(disturbed.end(), counted.begin(), counted.end());
      counted.clear();
    }
    others.insert(others.end(), visit.disturbed.begin(), visit.disturbed.end());
    if (counted.empty()) continue;
    medians.push_back(quantile(counted, 0.5));
    pooled.insert(pooled.end(), counted.begin(), counted.end());
  }
  point.visits = medians.size();
  point.samples = pooled.size();
  point.discarded = disturbed.size();
  if (medians.empty()) {
    const double least = quantile(disturbed, 0);
    point.median = point.high = {least, least};
    return point;
  }
  point.median = estimate_quantile(medians, 0.25);
  point.high = estimate_quantile(pooled, 0.95);
  return point;
}

std::array<Curve, quantity_count> summarise(const LinkObservations& observations, Samples samples) {
  std::array<Curve, quantity_count> curves;
  const MachineState state = observations.state();
  for (const SizeObservations& entry : observations.sizes)
    for (std::size_t quantity = 0; quantity < quantity_count; ++quantity)
      curves[quantity].push_back(summarise(entry.size, entry.visits[quantity], samples, state));
  return curves;
}

}  // namespace takt::logp
