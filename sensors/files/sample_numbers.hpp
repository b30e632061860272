#pragma once
/// The number formats of sample files, and their conversion to the float32 of frames.

#include <cstddef>
#include <cstdint>

#include "sensors/files/sample_layout.hpp"

namespace takt::sensors {

struct SampleNumber {
  enum class Kind : std::uint8_t { integer, unsigned_integer, floating };
  Kind kind = Kind::floating;
  /// 1, 2, 3 or 4 for integers (3 for signed ones only), 4 or 8 for floating-point numbers.
  std::size_t bytes = 4;
  bool is_big_endian = false;
  friend bool operator==(const SampleNumber&, const SampleNumber&) = default;
};

/// Returns the code of 0: half of the range of unsigned integers (128 for 8 bits), otherwise 0.
[[nodiscard]] double middle_of(const SampleNumber& number);

/// Converts rows `[channel][part]` to frames `[beamlet=channels][time][polarisation=1]` of float32 (`parts`
/// 1) or complex_float32 (2): number - zero. Sets `row_bytes`, the element and the conversions of the layout,
/// whose `rows` are those of a frame; counts numbers that float32 rounds. Missing rows are NaN.
void take_as_beamlets(SampleLayout& layout, const SampleNumber& number, std::size_t channels,
                      std::size_t parts, double zero);

}  // namespace takt::sensors
