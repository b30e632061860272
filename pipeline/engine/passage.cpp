#include "pipeline/engine/passage.hpp"

#include <algorithm>

namespace takt::pipeline {

Passage::Passage(bool is_whole, std::size_t bytes)
    : ways_(is_whole ? std::vector{Way::in_place, Way::copied, Way::past_caches}
                     : std::vector{Way::in_place, Way::past_caches}),
      bytes_(bytes),
      durations_(ways_.size()) {}

void Passage::try_out(std::int64_t duration_ns) {
  durations_[tried_ % ways_.size()][tried_ / ways_.size()] = duration_ns;
  ++tried_;
  if (in_trial()) return;
  const Way best = best_tried();
  stay_ = best == way_ ? std::min(2 * stay_, longest_stay) : shortest_stay;
  until_trial_ = stay_;
  way_ = best;
}

Way Passage::best_tried() {
  Way best = Way::in_place;
  double least = 0;
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const auto middle = durations_[i].begin() + samples / 2;
    std::ranges::nth_element(durations_[i], middle);
    const auto cost = static_cast<double>(*middle + lost_by_reader_ns(ways_[i], bytes_));
    if (i > 0 && cost >= least) continue;
    // A change must gain something.
    least = i == 0 ? (1 - least_gain) * cost : cost;
    best = ways_[i];
  }
  return best;
}

}  // namespace takt::pipeline
