#pragma once
/// One call of a kernel, as the runtime makes it.

#include <span>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

struct KernelCall {
  /// Nothing where only the kernel's rest is wanted.
  std::span<const FrameView> inputs;
  /// Nothing more will come: the kernel is to give its rest.
  bool finishes = false;
  FrameBuffer output;
};

struct KernelResult {
  Outcome outcome = Outcome::absorbed;
  /// Whether the kernel has given its rest.
  bool has_finished = false;
};

/// There is room for one frame: a kernel that gives one for its input keeps its rest for the next call.
[[nodiscard]] inline KernelResult call_kernel(Kernel& kernel, const KernelCall& call) {
  *call.output.header = call.inputs.empty() ? FrameHeader{} : *call.inputs.front().header;
  Outcome made = Outcome::absorbed;
  if (!call.inputs.empty()) made = kernel.process(call.inputs, call.output);
  if (!call.finishes || made != Outcome::absorbed) return {made, false};
  made = kernel.finish(call.output);
  if (made == Outcome::more) return {Outcome::produced, false};
  return {made, true};
}

}  // namespace takt::pipeline
