#pragma once
/// Kernels compared with bare loops: for each kernel, a frame shape and the straightforward loop.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::bench {

using pipeline::FrameType;
using pipeline::test::Written;

/// Frames in memory: inputs filled with noise, and an allocated output.
struct Frames {
  std::vector<const float*> inputs;
  float* output = nullptr;
  [[nodiscard]] const float* input() const { return inputs.front(); }
};

/// A kernel, and the same computation over plain arrays of one shape: without frames, headers, missing data
/// or parameters. The loop allocates its buffers when it is created.
struct Case {
  std::string kernel;
  Written parameters;
  std::vector<FrameType> inputs;
  std::function<std::function<void()>(const Frames&)> make_loop;
  /// Suffix of the name for further cases of a kernel.
  std::string variant = {};
  [[nodiscard]] std::string name() const { return kernel + variant; }
};

/// A lane of a LOFAR station has 122 beamlets; frames have some MB.
[[nodiscard]] std::vector<Case> spectral_cases();
[[nodiscard]] std::vector<Case> filter_cases();
[[nodiscard]] std::vector<Case> array_cases();
[[nodiscard]] std::vector<Case> power_cases();
[[nodiscard]] std::vector<Case> search_cases();

/// Returns the type `[time][channel]` of powers, with frequencies and a rate.
[[nodiscard]] FrameType powers(std::size_t times, std::size_t channels);
/// Returns the type `[beamlet][time][polarisation=2]` of complex samples; beamlets are 100 kHz apart.
[[nodiscard]] FrameType voltages(std::size_t beamlets, std::size_t samples);

}  // namespace takt::bench
