#include "pipeline/runtime/output_placement.hpp"

#include <algorithm>

namespace takt::pipeline {

OutputPlacement::OutputPlacement(bool is_whole, std::size_t bytes)
    : kinds_(is_whole
                 ? std::vector{PlacementKind::in_place, PlacementKind::copied, PlacementKind::past_caches}
                 : std::vector{PlacementKind::in_place, PlacementKind::past_caches}),
      bytes_(bytes),
      durations_(kinds_.size()) {}

void OutputPlacement::try_out(std::int64_t duration_ns) {
  durations_[tried_ % kinds_.size()][tried_ / kinds_.size()] = duration_ns;
  ++tried_;
  if (in_trial()) return;
  const PlacementKind best = best_tried();
  stay_ = best == kind_ ? std::min(2 * stay_, longest_stay) : shortest_stay;
  until_trial_ = stay_;
  kind_ = best;
}

PlacementKind OutputPlacement::best_tried() {
  PlacementKind best = PlacementKind::in_place;
  double least = 0;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const auto middle = durations_[i].begin() + samples / 2;
    std::ranges::nth_element(durations_[i], middle);
    const auto cost = static_cast<double>(*middle + lost_by_reader_ns(kinds_[i], bytes_));
    if (i > 0 && cost >= least) continue;
    // A placement other than in place needs a minimum gain.
    least = i == 0 ? (1 - least_gain) * cost : cost;
    best = kinds_[i];
  }
  return best;
}

}  // namespace takt::pipeline
