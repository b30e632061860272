#pragma once
/// Kernels beside bare loops: for each a frame's shape, and the loop that anybody would write for it.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::bench {

using pipeline::FrameType;
using pipeline::test::Written;

/// Frames that lie ready: inputs full of noise, and room for the output.
struct Frames {
  std::vector<const float*> inputs;
  float* output = nullptr;
  [[nodiscard]] const float* input() const { return inputs.front(); }
};

/// A kernel, and the same computation over plain arrays of one shape: no frames, no headers, nothing missing,
/// no parameters. What it needs is allocated when the loop is made.
struct Case {
  std::string kernel;
  Written parameters;
  std::vector<FrameType> inputs;
  std::function<std::function<void()>(const Frames&)> make_loop;
  /// Of a kernel's further cases: what is behind its name.
  std::string variant = {};
  [[nodiscard]] std::string name() const { return kernel + variant; }
};

/// 122 beamlets are a lane of a LOFAR station; frames of some MB.
[[nodiscard]] std::vector<Case> spectral_cases();
[[nodiscard]] std::vector<Case> filter_cases();
[[nodiscard]] std::vector<Case> array_cases();
[[nodiscard]] std::vector<Case> power_cases();
[[nodiscard]] std::vector<Case> search_cases();

/// `[time][channel]` of powers with frequencies and a rate.
[[nodiscard]] FrameType powers(std::size_t times, std::size_t channels);
/// `[beamlet][time][polarisation=2]` of complex samples, 100 kHz apart, 0.1 MHz wide.
[[nodiscard]] FrameType voltages(std::size_t beamlets, std::size_t samples);

}  // namespace takt::bench
