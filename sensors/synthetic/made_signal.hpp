#pragma once
/// Samples of a synthetic stream: a receiver's noise, a tone and the sky.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sensors/synthetic/dispersed_noise.hpp"
#include "sensors/synthetic/made_sky.hpp"

namespace takt::sensors {

/// Samples of a stream whose format does not define sky frequencies.
class SampledSignal {
 public:
  /// Shape of one lane: `[sample][channel][part]`.
  struct Shape {
    std::size_t channels = 1, parts = 1;
  };

  /// `second` is the Unix second of sample 0; `most_numbers` the longest piece. The signal is valid.
  SampledSignal(const MadeSignal& signal, double tone_hz, double sample_hz, std::int64_t second,
                const Shape& shape, std::size_t most_numbers);

  /// Makes piece `number` of all lanes: sets `numbers` to a receiver's noise, and adds the sky from this
  /// sample of the lane on. The tone is in the first channel.
  void make(std::uint64_t number, std::uint64_t first_sample, std::size_t lane,
            std::span<float> numbers) const;

 private:
  void add_tone(std::uint64_t first_sample, double delay_s, std::span<float> numbers) const;
  void add_sky(std::uint64_t first_sample, double delay_s, std::span<float> numbers) const;

  const MadeSignal signal_;
  const double tone_hz_, sample_hz_;
  const std::int64_t second_;
  const Shape shape_;
  const SkyNoise sky_;
  std::optional<DispersedNoise> dispersed_;
  /// Each piece's noise is a section of this table.
  std::vector<float> pool_;
};

}  // namespace takt::sensors
