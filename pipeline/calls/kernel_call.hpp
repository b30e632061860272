#pragma once
/// One call of a kernel, as the runtime makes it.

#include <span>

#include "pipeline/calls/canary.hpp"
#include "pipeline/kernel.hpp"

namespace takt::pipeline {

struct KernelCall {
  /// Nothing where only the kernel's rest is wanted.
  std::span<const FrameView> inputs;
  /// Nothing more will come: the kernel is to give its rest.
  bool finishes = false;
  FrameBuffer output;
  /// Whether canary_bytes behind the output are the runtime's, so that they are looked at.
  bool has_canary = false;
};

struct KernelResult {
  Outcome outcome = Outcome::absorbed;
  /// Whether the kernel has given its rest.
  bool has_finished = false;
};

/// Throws WorkError for an outcome that `process`, or `finish`, may not return.
[[noreturn]] void throw_wrong_outcome(Outcome outcome, const char* function);

/// `Kernel::process`: the outcome is `produced` or `absorbed`. Throws WorkError where the kernel returns
/// something else, or has written behind its output.
[[gnu::always_inline]] inline Outcome process_checked(Kernel& kernel, std::span<const FrameView> inputs,
                                                      const FrameBuffer& output, bool has_canary) {
  if (has_canary) plant_canary(output.bytes);
  const Outcome made = kernel.process(inputs, output);
  if (made > Outcome::absorbed) [[unlikely]]
    throw_wrong_outcome(made, "process");
  if (has_canary && !canary_lives(output.bytes)) [[unlikely]]
    throw_dead_canary(output.bytes);
  return made;
}

/// The same of `Kernel::finish`, which may say `more`, too.
inline Outcome finish_checked(Kernel& kernel, const FrameBuffer& output, bool has_canary) {
  if (has_canary) plant_canary(output.bytes);
  const Outcome made = kernel.finish(output);
  if (made > Outcome::more) throw_wrong_outcome(made, "finish");
  if (has_canary && !canary_lives(output.bytes)) throw_dead_canary(output.bytes);
  return made;
}

/// There is room for one frame: a kernel that gives one for its input keeps its rest for the next call.
[[nodiscard]] inline KernelResult call_kernel(Kernel& kernel, const KernelCall& call) {
  *call.output.header = call.inputs.empty() ? FrameHeader{} : *call.inputs.front().header;
  Outcome made = Outcome::absorbed;
  if (!call.inputs.empty()) made = process_checked(kernel, call.inputs, call.output, call.has_canary);
  if (!call.finishes || made != Outcome::absorbed) return {made, false};
  made = finish_checked(kernel, call.output, call.has_canary);
  // It waited for the end of the stream, not for the pipeline: it has no latency.
  call.output.header->ingested_ns = 0;
  if (made == Outcome::more) return {Outcome::produced, false};
  return {made, true};
}

}  // namespace takt::pipeline
