#pragma once
/// A pipeline whose kernels work tile by tile, for tests of its outputs.

#include <array>
#include <string>

#include <fmt/format.h>

#include "tests/support/program.hpp"

namespace takt::test {

/// Two kernels that combine frames at the ends of two branches, and an output in the middle. The stream of 37
/// frames ends in the middle of their results. `deployment`: `ranks: 1, tiles: 4`.
inline std::string tiled_yaml(const TemporaryFolder& folder, const std::string& deployment) {
  return fmt::format(R"(name: tiled
sources:
  station: {{type: synthetic, element: complex_int8, axes: [packet=8, beamlet=12, time=16, polarisation=2], frames: 37}}
tasks:
  unpack: {{kernel: lofar_unpack, input: station}}
  spectra: {{kernel: fft, input: unpack, channels: 16}}
  power: {{kernel: stokes, input: spectra}}
  flat: {{kernel: bandpass, input: power, frames: 10}}
  integrated: {{kernel: integrate, input: flat, factor: 24}}
  moments: {{kernel: statistics, input: power, frames: 5}}
sinks:
  powers: {{type: raw, input: power, path: {0}powers}}
  sums: {{type: raw, input: integrated, path: {0}sums}}
  moments_out: {{type: raw, input: moments, path: {0}moments}}
deployment: {{{1}}}
)",
                     (folder / "").string(), deployment);
}

inline constexpr std::size_t tiled_power_bytes = 37U * 8 * 12 * 16 * 4;

/// Returns the outputs of a run: powers, sums and moments.
inline std::array<std::string, 3> tiled_outputs(const TemporaryFolder& folder) {
  return {read_file(folder / "powers"), read_file(folder / "sums"), read_file(folder / "moments")};
}

}  // namespace takt::test
