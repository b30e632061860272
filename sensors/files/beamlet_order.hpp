#pragma once
/// Reordering of recorded complex samples to the order of frames.

#include <algorithm>
#include <cstddef>

namespace takt::sensors {

/// Transposes [time][channel] to [channel][time] of runs of `run` numbers each, as `fft` expects them.
inline void to_beamlets(const float* from, float* to, std::size_t samples, std::size_t channels,
                        std::size_t run) {
  for (std::size_t t = 0; t < samples; ++t)
    for (std::size_t c = 0; c < channels; ++c, from += run)
      std::copy_n(from, run, to + (c * samples + t) * run);
}

}  // namespace takt::sensors
