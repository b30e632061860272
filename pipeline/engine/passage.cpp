#include "pipeline/engine/passage.hpp"

#include <algorithm>

namespace takt::pipeline {

void Passage::try_out(std::int64_t duration_ns) {
  durations_[tried_ % 2][tried_ / 2] = duration_ns;
  if (++tried_ < 2 * samples) return;
  const auto median = [](auto& durations) {
    const auto middle = durations.begin() + samples / 2;
    std::ranges::nth_element(durations, middle);
    return static_cast<double>(*middle);
  };
  const bool copies = median(durations_[1]) < (1 - least_gain) * median(durations_[0]);
  stay_ = copies == copies_ ? std::min(2 * stay_, longest_stay) : shortest_stay;
  until_trial_ = stay_;
  copies_ = copies;
}

}  // namespace takt::pipeline
